"""The catalogue agrees with itself and with what the providers ask of it."""

import re

import pytest

from gaia.agent.embedded.catalogue import CATALOGUE, CatalogueModel, find_model
from gaia.agent.providers import DEFAULT_NAMES
from gaia.errors import ModelMissingError


@pytest.mark.parametrize("model", CATALOGUE, ids=lambda model: model.name)
def test_the_parts_of_a_model_add_up_to_its_size(model: CatalogueModel) -> None:
    assert sum(part.size for part in model.parts) == model.size
    assert re.fullmatch(r"[0-9a-f]{64}", model.sha256)


def test_the_default_model_is_offered() -> None:
    assert find_model(DEFAULT_NAMES["embedded"]).offered


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ModelMissingError, match=r"'gpt-9'.*qwen2\.5-coder-1\.5b") as failure:
        find_model("gpt-9")
    assert "smollm2" not in str(failure.value)
