"""The model of a soak: it answers at once, also whoever reads a conversation that is over."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from google.adk.models.llm_request import LlmRequest
from kit import ANSWER, AtOnceModel
from pydantic import JsonValue

LIKES = re.compile(r"^user\| (I like (.+))$", re.MULTILINE)
STATEMENT = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
SUMMARY = "They talked about this and that."


class SoakModel(AtOnceModel):
    """Finds in a conversation what somebody says that they like, and makes a profile of all
    that it is told."""

    def answer(self, llm_request: LlmRequest) -> str:
        shape = llm_request.config.response_schema
        if not isinstance(shape, Mapping):
            return ANSWER
        text = "\n".join(
            part.text or "" for content in llm_request.contents for part in content.parts or ()
        )
        read = _extraction if "facts" in shape["properties"] else _profile
        return json.dumps(read(text))


def _extraction(text: str) -> JsonValue:
    facts = [_fact(quote, what) for quote, what in LIKES.findall(text)]
    return {"summary": SUMMARY, "facts": facts, "rules": [], "reminders": []}


def _fact(quote: str, what: str) -> JsonValue:
    return {
        "quote": quote,
        "stated": True,
        "operation": "add",
        "target": 0,
        "kind": "preference",
        "text": f"Likes {what}",
        "subject": "",
        "predicate": "",
        "object": "",
        "context": "global",
        "sensitive": False,
    }


def _profile(text: str) -> JsonValue:
    lines = [{"text": told, "numbers": [int(number)]} for number, told in STATEMENT.findall(text)]
    return {"lines": lines}
