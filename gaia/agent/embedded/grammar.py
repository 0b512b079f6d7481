"""The grammar that the answer of the embedded model keeps to.

GBNF, llama.cpp's notation. An answer is plain text, or one tool call that fits
the tool's parameters. All that is not text is bounded: without bounds small
models run on until they are cut off. JSON has no optional whitespace, so that
a call is rendered later with the very bytes that the model wrote, and what
the model has cached of them holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gaia.agent.embedded.offers import Offer, Parameter, Schema

CALL_MARK = "@"
"""Begins a call. An answer in words never begins with it."""
LONGEST_STRING = 400
MOST_ITEMS = 8

_BASICS = rf"""
text ::= [^{CALL_MARK} \n\r\t\x00] [^\x00]*
string ::= "\"" ([^"\\\x00-\x1f\x7f] | "\\" ["\\/bfnrt]){{0,{LONGEST_STRING}}} "\""
integer ::= "-"? [0-9]{{1,15}}
number ::= integer ("." [0-9]{{1,15}})?
boolean ::= "true" | "false"
scalar ::= string | number | boolean | "null"
object ::= "{{" (string ":" scalar ("," string ":" scalar){{0,{MOST_ITEMS}}})? "}}"
"""
_RULES = {"string", "integer", "number", "boolean", "object"}


def grammar_for(offers: Sequence[Offer]) -> str:
    """The grammar of an answer when the tools of `offers` can be called."""
    calls = "".join(f"call{number} ::= {_call(offer)}\n" for number, offer in enumerate(offers))
    roots = " | ".join(["text", *(f"call{number}" for number in range(len(offers)))])
    return f"root ::= {roots}\n{calls}{_BASICS.lstrip()}"


def _call(offer: Offer) -> str:
    opening = _literal(f"{CALL_MARK}{offer.name} {{")
    return f"{opening} {_members(offer.parameters)} {_literal('}')}"


def _members(parameters: Sequence[Parameter]) -> str:
    """Required ones in their order, then any of the optional ones in theirs."""
    required = [_member(one) for one in parameters if one.required]
    optional = [_member(one) for one in parameters if not one.required]
    if required:
        return ' "," '.join(required) + "".join(f' ("," {member})?' for member in optional)
    chains = [
        first + "".join(f' ("," {member})?' for member in optional[number + 1 :])
        for number, first in enumerate(optional)
    ]
    return f"({' | '.join(chains)})?" if chains else '""'


def _member(parameter: Parameter) -> str:
    return f"{_literal(json.dumps(parameter.name) + ':')} {_value(parameter.schema)}"


def _value(schema: Schema) -> str:
    """A rule for values of `schema`; what it does not know becomes a flat JSON value."""
    if schema.enum:
        return _either(_literal(_json(one)) for one in schema.enum)
    if schema.choices:
        return _either(_value(choice) for choice in schema.choices)
    return _either(_of_kind(kind, schema) for kind in schema.kinds) if schema.kinds else "scalar"


def _of_kind(kind: str, schema: Schema) -> str:
    if kind == "array":
        item = _value(schema.items) if schema.items else "scalar"
        return f'"[" ({item} ("," {item}){{0,{MOST_ITEMS - 1}}})? "]"'
    if kind == "null":
        return '"null"'
    return kind if kind in _RULES else "scalar"


def _either(rules: Iterable[str]) -> str:
    return f"({' | '.join(dict.fromkeys(rules))})"


def _literal(text: str) -> str:
    """`text` as a GBNF literal."""
    return json.dumps(text, ensure_ascii=False)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
