"""Shapes that providers can enforce, and that a small model can fill."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gaia.memory.digest import shape


def parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, Mapping):
        if "type" in schema and not isinstance(schema["type"], Mapping):
            yield schema
        for each in schema.values():
            yield from parts(each)


@pytest.mark.parametrize("schema", [shape.LONG, shape.small(0), shape.small(10)])
def test_every_field_is_required_and_none_is_beside_them(schema: shape.Shape) -> None:
    objects = [each for each in parts(schema) if each["type"] == "object"]
    assert objects
    for each in objects:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])


def test_all_that_a_small_model_writes_is_bounded() -> None:
    for each in parts(shape.small(10)):
        if each["type"] == "string":
            assert "enum" in each or each["maxLength"] <= 200
        if each["type"] == "array":
            assert each["maxItems"] == 6


def test_a_small_model_can_name_only_what_was_offered() -> None:
    numbers = [each["enum"] for each in parts(shape.small(3)) if each["type"] == "integer"]
    assert numbers == [[0, 1, 2, 3]]
