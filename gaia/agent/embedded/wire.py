"""How tools, calls and results are written for the embedded model, and read back.

A call is one line, `@name {"argument":"value"}`, and so is its result,
`@name value`. Answers are plain text: wrapped into JSON they get worse.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from gaia.agent.embedded.grammar import CALL_MARK
from gaia.agent.embedded.offers import Offer, Parameter

WORDS_EXAMPLE = 'Told "I have a dog.", you write: How nice! What is it called?'
"""Without it a small model takes a number in what it is told for a calculation."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the model wrote."""

    name: str
    arguments: dict[str, JsonValue]


def preamble(offers: Sequence[Offer]) -> str:
    """What the system message says of the tools; empty without any."""
    if not offers:
        return ""
    lines = [
        "What the tools can tell, you cannot know by yourself. To use a tool, write its line "
        "and nothing else, and the result is given to you:",
        *(_offer_line(offer) for offer in offers),
        "Otherwise answer in plain words.",
        *(
            f"Asked {json.dumps(example.question, ensure_ascii=False)}, you write: "
            f"{call_line(offer.name, example.arguments)}"
            for offer in offers
            for example in offer.examples
        ),
        WORDS_EXAMPLE,
    ]
    return "\n".join(lines)


def call_line(name: str, arguments: Mapping[str, object]) -> str:
    """A call as the grammar lets the model write it."""
    return f"{CALL_MARK}{name} {_compact(arguments)}"


def result_line(name: str, response: Mapping[str, object]) -> str:
    """What a tool answered; a single value stands bare."""
    values = list(response.values())
    if len(values) == 1:
        told = values[0] if isinstance(values[0], str) else _compact(values[0])
        return f"{CALL_MARK}{name} {told}"
    return f"{CALL_MARK}{name} {_compact(response)}"


def is_call(text: str) -> bool:
    """Whether an answer that begins like `text` is a call."""
    return text.startswith(CALL_MARK)


def read_call(text: str) -> Call:
    """Read a whole call. Raises ValueError when it is cut off."""
    name, _, told = text.removeprefix(CALL_MARK).partition(" ")
    arguments = json.loads(told)
    if not isinstance(arguments, dict):
        raise ValueError(f"arguments that are no object: {told!r}")
    return Call(name, arguments)


def _offer_line(offer: Offer) -> str:
    members = ",".join(_member(parameter) for parameter in offer.parameters)
    return f"{CALL_MARK}{offer.name} {{{members}}} - {offer.purpose}"


def _member(parameter: Parameter) -> str:
    """A parameter with its note in place of a value."""
    kind = parameter.schema.kinds[0] if parameter.schema.kinds else "value"
    choices = "|".join(str(one) for one in parameter.schema.enum)
    note = parameter.note.rstrip(".") or choices or kind
    shown = json.dumps(note, ensure_ascii=False) if kind == "string" else f"<{note}>"
    return f"{json.dumps(parameter.name)}{'' if parameter.required else '?'}:{shown}"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
