"""The catalogue agrees with itself and with what the providers ask of it."""

import re

import pytest

from gaia.errors import ModelMissingError
from gaia.settings.providers import DEFAULT_NAMES
from gaia.weights.catalogue import CATALOGUE, CatalogueModel, find_model, recommended

GB = 10**9


@pytest.mark.parametrize("model", CATALOGUE, ids=lambda model: model.name)
def test_a_model_has_a_hash_or_a_publisher_who_lists_it(model: CatalogueModel) -> None:
    if model.sha256:
        assert sum(part.size for part in model.parts) == model.size
        assert re.fullmatch(r"[0-9a-f]{64}", model.sha256)
    else:
        assert not model.parts  # A mirror is nobody to ask for a hash.
        assert model.url is not None
        assert model.url.startswith("https://huggingface.co/")


@pytest.mark.parametrize(
    ("memory", "cores", "name"),
    [
        (0.5, 1, "qwen2.5-coder-0.5b-instruct-q4_k_m"),
        (1.9, 4, "qwen2.5-coder-0.5b-instruct-q4_k_m"),
        (4.1, 4, DEFAULT_NAMES["embedded"]),
        (24, 2, DEFAULT_NAMES["embedded"]),
        (8.2, 4, "ministral-3-3b-instruct-2512-q4_k_m"),
        (16.4, 8, "ministral-3-8b-instruct-2512-q4_k_m"),
        (512, 64, "ministral-3-8b-instruct-2512-q4_k_m"),
    ],
)
def test_the_larger_machine_is_recommended_the_larger_model(
    memory: float, cores: int, name: str
) -> None:
    assert recommended(int(memory * GB), cores).name == name


def test_the_default_model_is_offered() -> None:
    assert find_model(DEFAULT_NAMES["embedded"]).offered


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ModelMissingError, match=r"'gpt-9'.*qwen2\.5-coder-1\.5b") as failure:
        find_model("gpt-9")
    assert "smollm2" not in str(failure.value)
