"""The tools on memory as models are told of them: few words, and whose memory is no parameter."""

from __future__ import annotations

import pytest
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from gaia.agent.embedded import wire
from gaia.agent.embedded.grammar import grammar_for
from gaia.agent.embedded.offers import Offer, read_offers
from gaia.agent.tools.memory import MemoryTools
from gaia.store.engine import Database
from gaia.testing.clock import FakeClock
from gaia.testing.memories import NothingFound


@pytest.fixture
def offers(tmp_path) -> tuple[Offer, ...]:
    tools = MemoryTools(
        Database(tmp_path / "gaia.db"),
        NothingFound(),
        FakeClock(),
        limit=5,
        changed=lambda: None,
    )
    declared = [FunctionTool(tool)._get_declaration() for tool in tools.all]
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=declared)])
    return read_offers(config)


def test_the_model_says_what_and_never_whose(offers: tuple[Offer, ...]) -> None:
    told = {offer.name: [each.name for each in offer.parameters] for offer in offers}
    assert told == {
        "remember": ["fact", "about"],
        "load_memory": ["query"],
        "update_memory": ["memory_id", "fact"],
        "forget_memory": ["memory_id"],
    }


def test_they_are_told_in_few_words(offers: tuple[Offer, ...]) -> None:
    assert len(wire.preamble(offers)) < 1100


def test_each_example_is_a_call_that_the_tool_takes(offers: tuple[Offer, ...]) -> None:
    examples = [(offer, example) for offer in offers for example in offer.examples]
    assert len(examples) >= 4
    for offer, example in examples:
        assert set(example.arguments) <= {each.name for each in offer.parameters}
        line = wire.call_line(offer.name, example.arguments)
        assert wire.read_call(line).arguments == example.arguments


def test_the_grammar_lets_the_model_leave_out_whom_it_is_about(offers: tuple[Offer, ...]) -> None:
    grammar = grammar_for(offers)
    assert r'"@remember {" "\"fact\":" (string) ("," "\"about\":" (string))? "}"' in grammar
    assert r'"@forget_memory {" "\"memory_id\":" (integer) "}"' in grammar
