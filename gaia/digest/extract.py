"""Extracting: from a window to what a model finds in it.

What can be read of an answer is taken, whatever stands around it; one finding that cannot
be read costs itself alone. An answer without anything of what was asked for is an error,
never "nothing found".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gaia.digest import prompt
from gaia.digest.answers import (
    fields_of,
    listed,
    number_of,
    read_json,
    text_of,
    truth_of,
    unwrapped,
)
from gaia.digest.check import has_content, refuse_unusable
from gaia.digest.windows import window_tokens
from gaia.errors import UnusableExtractionError
from gaia.memory.extraction import AskModel, Extracted, Extraction, Finding, Offer, Window
from gaia.store.memory_tables import MemoryKind
from gaia.store.usage import DIGEST, Usage

KINDS = {
    "facts": frozenset({MemoryKind.FACT, MemoryKind.PREFERENCE}),
    "rules": frozenset({MemoryKind.RULE}),
    "reminders": frozenset({MemoryKind.REMINDER}),
}
"""The lists of an answer, and what may stand in each; the first is for what has no kind."""

FIELDS = frozenset({"summary", *KINDS})

LONGEST_FIELD = 4000
"""Characters of a field that are read: what is longer is no statement."""


class GaiaExtractor:
    """Implements `Extractor`: gaia's own instructions, one answer a window.

    `instructions` say what is worth remembering, in the place of gaia's own.
    """

    asks_model = True

    def __init__(self, ask: AskModel, instructions: str = "") -> None:
        self._ask = ask
        self._instructions = instructions

    @property
    def window_tokens(self) -> int:
        return window_tokens(self._ask)

    async def extract(self, window: Window, offers: Sequence[Offer]) -> Extracted:
        """What is in the window; of one with nothing but greetings nobody is asked."""
        if not has_content(window):
            nothing = Usage(self._ask.name, DIGEST, calls=0, tokens_in=0, tokens_out=0)
            return Extracted(Extraction(window.so_far, ()), nothing)
        answer = await self._ask(
            prompt.instructions(window, self._instructions),
            prompt.text(window, offers, tokens=self.window_tokens, zone=window.zone),
            prompt.LONG_SHAPE,
            purpose=DIGEST,
        )
        try:
            found = read(answer.text)
            refuse_unusable(found, window)
        except UnusableExtractionError as exc:
            exc.tokens_in, exc.tokens_out = answer.usage.tokens_in, answer.usage.tokens_out
            raise
        return Extracted(found, answer.usage)


def read(answer: str) -> Extraction:
    """The extraction that an answer tells.

    Raises:
        UnusableExtractionError: It tells nothing of what was asked for.
    """
    told = unwrapped(read_json(answer), FIELDS)
    fields = fields_of(told)
    names = ["facts"] if isinstance(told, list) else list(KINDS)
    lists = {name: list(listed(told, name)) for name in names}
    if told is None or not (any(lists.values()) or FIELDS & fields.keys()):
        raise UnusableExtractionError(
            "the model's answer has nothing of what was asked for, or is cut off: it is asked again"
        )
    found = [_finding(each, KINDS[name]) for name, objects in lists.items() for each in objects]
    findings = [each for each in found if each is not None]
    return Extraction(text_of(fields, "summary"), findings, lost=len(found) - len(findings))


def _finding(told: Mapping[str, object], kinds: frozenset[MemoryKind]) -> Finding | None:
    """The finding that an object is; None where it has no quote."""
    quote = text_of(told, "quote", "sentence")[:LONGEST_FIELD]
    if not quote:
        return None
    named = text_of(told, "kind", "type").casefold()
    is_known = named in {kind.value for kind in MemoryKind}
    kind = MemoryKind(named) if is_known else MemoryKind.FACT
    if kind not in kinds and kinds != KINDS["facts"]:
        (kind,) = kinds
    return Finding(
        kind=kind,
        text=text_of(told, "text", "claim")[:LONGEST_FIELD],
        quote=quote,
        target=number_of(told, "replaces", "target") or None,
        subject=text_of(told, "subject") or None,
        predicate=text_of(told, "predicate") or None,
        object=text_of(told, "object") or None,
        sensitive=truth_of(told, "sensitive", usual=False),
        when=text_of(told, "when", "due"),
        is_stated=truth_of(told, "stated", usual=True),
    )
