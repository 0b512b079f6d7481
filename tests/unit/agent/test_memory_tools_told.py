"""The tools on memory as models are told of them: few words, and whose memory is no parameter."""

from __future__ import annotations

import json

import pytest
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from gaia.agent.tools.memory import MemoryTools
from gaia.store.sqlite.database import SqliteDatabase
from gaia.testing.clock import FakeClock
from tests.harness.memories import NothingFound


@pytest.fixture
def declared(tmp_path) -> list[types.FunctionDeclaration]:
    tools = MemoryTools(
        SqliteDatabase(tmp_path / "gaia.db"),
        NothingFound(),
        FakeClock(),
        limit=5,
        changed=lambda: None,
    )
    found = [FunctionTool(tool)._get_declaration() for tool in tools.all]
    return [each for each in found if each is not None]


def _parameters(declaration: types.FunctionDeclaration) -> list[str]:
    schema = declaration.model_dump(mode="json")
    told = schema["parameters_json_schema"] or schema["parameters"]
    return list(told["properties"])


def test_the_model_says_what_and_never_whose(declared: list[types.FunctionDeclaration]) -> None:
    assert {each.name: _parameters(each) for each in declared} == {
        "remember": ["fact", "about"],
        "load_memory": ["query"],
        "update_memory": ["memory_id", "fact"],
        "forget_memory": ["memory_id"],
    }


def test_they_are_told_in_few_words(declared: list[types.FunctionDeclaration]) -> None:
    told = [each.model_dump(mode="json", exclude_none=True) for each in declared]
    assert len(json.dumps(told)) < 2500
