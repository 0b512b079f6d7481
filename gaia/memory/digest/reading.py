"""Reading: from a window to what a model finds in it.

An answer is taken as it was asked for or not at all: one that is cut off, or of another
shape, is an error, never "nothing found".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, tzinfo
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from gaia.errors import UnusableExtractionError
from gaia.memory.digest import shape, wording
from gaia.memory.digest.checks import has_content, refuse_unusable
from gaia.memory.digest.findings import (
    AskModel,
    Extracted,
    Extraction,
    Finding,
    Offer,
    Operation,
    Window,
)
from gaia.memory.digest.windows import window_tokens
from gaia.store.memory_tables import MemoryKind
from gaia.store.usage import DIGEST, Usage

MORNING = time(9)
"""When a reminder is due for which only a day was named."""

FENCED = re.compile(r"\s*```\w*\s*\n(.*)\n\s*```\s*", re.DOTALL)


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Fact(_Part):
    quote: str
    stated: bool
    operation: Literal["add", "update", "supersede", "retract"]
    target: int
    kind: Literal["fact", "preference"]
    text: str
    subject: str
    predicate: str
    object: str
    context: Literal["global", "work", "personal"]
    sensitive: bool


class _Rule(_Part):
    quote: str
    operation: Literal["add", "update", "supersede", "retract"]
    target: int
    text: str


class _Reminder(_Part):
    quote: str
    text: str
    due: str


class _Long(_Part):
    summary: str
    facts: list[_Fact]
    rules: list[_Rule]
    reminders: list[_Reminder]


class _SmallFact(_Part):
    quote: str
    kind: Literal["fact", "preference", "rule"]
    text: str
    replaces: int


class _Small(_Part):
    facts: list[_SmallFact]
    summary: str


class GaiaExtractor:
    """Implements `Extractor`: gaia's own instructions, one answer a window.

    `instructions` say what is worth remembering, in the place of gaia's own. Times are
    told to the model in `zone`, or that of this machine.
    """

    def __init__(self, ask: AskModel, instructions: str = "", zone: tzinfo | None = None) -> None:
        self._ask = ask
        self._instructions = instructions
        self._zone = zone

    @property
    def window_tokens(self) -> int:
        return window_tokens(self._ask)

    async def extract(self, window: Window, offers: Sequence[Offer]) -> Extracted:
        """What is in the window; of one with nothing but greetings nobody is asked."""
        if not has_content(window):
            usage = Usage(self._ask.name, DIGEST, calls=0, tokens_in=0, tokens_out=0)
            return Extracted(Extraction(window.so_far, ()), usage)
        small = self._ask.is_small
        answer = await self._ask(
            wording.instructions(window, self._instructions, small=small),
            wording.text(window, offers, tokens=self.window_tokens, zone=self._zone, small=small),
            shape.small(len(offers)) if small else shape.LONG,
            purpose=DIGEST,
        )
        try:
            read = read_small(answer.text) if small else read_long(answer.text, self._zone)
            refuse_unusable(read, window)
        except UnusableExtractionError as exc:
            exc.tokens_in, exc.tokens_out = answer.usage.tokens_in, answer.usage.tokens_out
            raise
        return Extracted(read, answer.usage)


def read_long(answer: str, zone: tzinfo | None) -> Extraction:
    """The extraction that an answer of the shape `LONG` tells.

    Raises:
        UnusableExtractionError: It has another shape.
    """
    told = _parsed(answer, _Long)
    facts = [_fact(each) for each in told.facts]
    rules = [
        Finding(
            operation=Operation(each.operation),
            kind=MemoryKind.RULE,
            text=each.text,
            quote=each.quote,
            target=_target(each.operation, each.target),
        )
        for each in told.rules
    ]
    reminders = [
        Finding(
            operation=Operation.ADD,
            kind=MemoryKind.REMINDER,
            text=each.text,
            quote=each.quote,
            due_at=due(each.due, zone),
        )
        for each in told.reminders
    ]
    return Extraction(told.summary, [*facts, *rules, *reminders])


def read_small(answer: str) -> Extraction:
    """The extraction that an answer of the shape `small` tells.

    Raises:
        UnusableExtractionError: It has another shape.
    """
    told = _parsed(answer, _Small)
    findings = [
        Finding(
            operation=Operation.SUPERSEDE if each.replaces else Operation.ADD,
            kind=MemoryKind(each.kind),
            text=each.text,
            quote=each.quote,
            target=each.replaces or None,
        )
        for each in told.facts
    ]
    return Extraction(told.summary, findings)


def due(told: str, zone: tzinfo | None) -> datetime | None:
    """The time that a model names, local where it says nothing else; None for no time."""
    try:
        moment = datetime.fromisoformat(told.strip())
        if moment.time() == time() and ":" not in told:
            moment = datetime.combine(moment.date(), MORNING)
        if moment.tzinfo is None and zone is not None:
            moment = moment.replace(tzinfo=zone)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _fact(told: _Fact) -> Finding:
    return Finding(
        operation=Operation(told.operation),
        kind=MemoryKind(told.kind),
        text=told.text,
        quote=told.quote,
        target=_target(told.operation, told.target),
        subject=told.subject or None,
        predicate=told.predicate or None,
        object=told.object or None,
        context=told.context,
        sensitive=told.sensitive,
        is_stated=told.stated,
    )


def _target(operation: str, number: int) -> int | None:
    """Zero is for none, and what is new has none: many models name one all the same."""
    return None if operation == Operation.ADD else number or None


TOLD = TypeVar("TOLD", bound=_Part)


def _parsed(answer: str, told: type[TOLD]) -> TOLD:
    fenced = FENCED.fullmatch(answer)
    try:
        return told.model_validate_json(fenced[1] if fenced else answer)
    except ValidationError as exc:
        # Neither the error nor where it comes from may hold a word of the answer.
        raise UnusableExtractionError(f"the model's answer {_mistake(exc)}") from None


def _mistake(exc: ValidationError) -> str:
    first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "is not JSON, or is cut off: it is asked again"
    where = ".".join(str(part) for part in first["loc"] if first["type"] != "extra_forbidden")
    return f"has another shape than was asked for ({first['type']} at {where or 'the top'})"
