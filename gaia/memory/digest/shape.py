"""The shape that a model's answer is to have, as a JSON schema.

Strict, so that providers can enforce it: every field is required, none is beside them,
and what does not apply is an empty text or the number 0. A small model is asked for
less, with bounds: it runs on otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping

Shape = Mapping[str, object]

MOST_SMALL_FACTS = 6
LONGEST_SMALL_TEXT = 160
LONGEST_SMALL_SUMMARY = 200

OPERATIONS = ("add", "update", "supersede", "retract")
CONTEXTS = ("global", "work", "personal")
FACT_KINDS = ("fact", "preference")
SMALL_KINDS = ("fact", "preference", "rule")


def _object(**properties: Shape) -> Shape:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Shape, **bounds: int) -> Shape:
    return {"type": "array", "items": item, **bounds}


def _text(**bounds: int) -> Shape:
    return {"type": "string", **bounds}


def _one_of(*values: str | int) -> Shape:
    kind = "string" if all(isinstance(value, str) for value in values) else "integer"
    return {"type": kind, "enum": list(values)}


NUMBER: Shape = {"type": "integer"}
YES_OR_NO: Shape = {"type": "boolean"}

LONG: Shape = _object(
    summary=_text(),
    facts=_list(
        _object(
            quote=_text(),
            stated=YES_OR_NO,
            operation=_one_of(*OPERATIONS),
            target=NUMBER,
            kind=_one_of(*FACT_KINDS),
            text=_text(),
            subject=_text(),
            predicate=_text(),
            object=_text(),
            context=_one_of(*CONTEXTS),
            sensitive=YES_OR_NO,
        )
    ),
    rules=_list(
        _object(quote=_text(), operation=_one_of(*OPERATIONS), target=NUMBER, text=_text())
    ),
    reminders=_list(_object(quote=_text(), text=_text(), due=_text())),
)
"""Quotes come first: what is copied keeps what is made of it close to it."""


def small(offers: int) -> Shape:
    """The shape for a small model that may name one of so many known statements."""
    return _object(
        facts=_list(
            _object(
                quote=_text(maxLength=LONGEST_SMALL_TEXT),
                kind=_one_of(*SMALL_KINDS),
                text=_text(maxLength=LONGEST_SMALL_TEXT),
                replaces=_one_of(*range(offers + 1)),
            ),
            maxItems=MOST_SMALL_FACTS,
        ),
        summary=_text(maxLength=LONGEST_SMALL_SUMMARY),
    )
