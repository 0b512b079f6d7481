"""What a small model is told of the tools, and how its calls are read."""

from datetime import UTC, datetime
from typing import Literal

import pytest
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from gaia.agent.embedded import wire
from gaia.agent.embedded.grammar import grammar_for
from gaia.agent.embedded.offers import Offer, read_offers
from gaia.agent.tools import built_in_tools
from gaia.testing.clock import FakeClock


def book(guests: int, room: Literal["red", "blue"], note: str | None = None) -> str:
    """Book a table,
    if there is one.

    This is told to larger models only.

    Args:
        guests: How many come,
            the host among them.
        room: Which room.

    Example:
        A table for two -> {"guests": 2, "room": "red"}
        this line is no example
        A table for none -> {broken}
    """
    return f"{guests}{room}{note}"


def offers_of(*tools: FunctionTool) -> tuple[Offer, ...]:
    request = LlmRequest()
    request.append_tools(list(tools))
    return read_offers(request.config)


def test_a_tool_is_told_in_one_line_and_its_example() -> None:
    told = wire.preamble(offers_of(FunctionTool(book))).splitlines()

    assert (
        '@book {"guests":<How many come, the host among them>,"room":"Which room",'
        '"note"?:<value>} - Book a table, if there is one.'
    ) in told
    assert 'Asked "A table for two", you write: @book {"guests":2,"room":"red"}' in told
    assert not any("none" in line or "larger" in line for line in told)


def test_nothing_is_told_without_tools() -> None:
    assert wire.preamble(()) == ""


def test_each_built_in_tool_has_an_example_and_notes() -> None:
    tools = [
        FunctionTool(tool) for tool in built_in_tools(FakeClock(datetime(2026, 1, 1, tzinfo=UTC)))
    ]

    for offer in offers_of(*tools):
        assert offer.examples
        assert all(parameter.note for parameter in offer.parameters)


def test_genai_schemas_are_read_like_json_schemas() -> None:
    declared = types.FunctionDeclaration(
        name="book",
        description="Book a table.",
        parameters=types.Schema(
            type=types.Type.OBJECT,
            properties={"guests": types.Schema(type=types.Type.INTEGER, description="How many")},
            required=["guests"],
        ),
    )
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])

    [offer] = read_offers(config)

    assert wire.preamble([offer]).splitlines()[1] == '@book {"guests":<How many>} - Book a table.'
    assert r'"@book {" "\"guests\":" (integer) "}"' in grammar_for([offer])


def test_the_grammar_names_each_argument_in_order_and_bounds_what_is_free() -> None:
    [call] = [
        line
        for line in grammar_for(offers_of(FunctionTool(book))).splitlines()
        if line.startswith("call0")
    ]

    assert call == (
        r'call0 ::= "@book {" "\"guests\":" (integer) "," "\"room\":" ("\"red\"" | "\"blue\"")'
        r' ("," "\"note\":" ((string) | ("null")))? "}"'
    )


def test_the_grammar_without_tools_is_text() -> None:
    assert grammar_for(()).startswith("root ::= text\n")


def test_a_call_is_rendered_with_the_bytes_it_was_written_in() -> None:
    written = '@book {"guests":2,"room":"Zoë & 3","more":[1,2.5,true,null]}'
    call = wire.read_call(written)

    assert wire.call_line(call.name, call.arguments) == written


@pytest.mark.parametrize("text", ["@book", '@book {"guests":', "@book [1]"])
def test_a_call_that_is_cut_off_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|no object"):
        wire.read_call(text)


@pytest.mark.parametrize(
    ("response", "line"),
    [
        ({"result": "51"}, "@calculate 51"),
        ({"result": 51}, "@calculate 51"),
        ({"time": "noon", "zone": "UTC"}, '@calculate {"time":"noon","zone":"UTC"}'),
    ],
)
def test_a_single_result_stands_bare(response: dict[str, object], line: str) -> None:
    assert wire.result_line("calculate", response) == line
