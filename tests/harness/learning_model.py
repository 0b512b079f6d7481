"""A model that reads conversations and writes profiles: each answer follows from what it
is asked, so that a test need not know in which order it is.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from tests.servers.model_server.conversation import Answer, Asked

KNOWN = re.compile(r"^(\d+)\. \(\w+\) (.*)$", re.MULTILINE)
SAID = re.compile(r"^user\| (.*)$", re.MULTILINE)
ITEM = re.compile(r"^item \d+$", re.MULTILINE)
STATEMENT = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the model finds in a conversation in which the sentence `said` stands, whoever
    said it, and how it would put it. `replaces` is a word of what is known that gives way
    to it."""

    said: str
    text: str
    kind: Literal["fact", "preference", "rule"] = "fact"
    replaces: str = ""


class LearningModel:
    """Answers requests for JSON. `reading` conversations wait for being read; `says` is what
    it answers instead of reading, if anything."""

    def __init__(self, *lessons: Lesson) -> None:
        self.lessons = lessons
        self.says: str | None = None
        self.reading = 0
        self._open = asyncio.Event()
        self._open.set()

    def hold(self) -> None:
        """Let conversations wait for being read from now on."""
        self._open.clear()

    def release(self) -> None:
        """Read all that wait, and further ones at once."""
        self._open.set()

    async def __call__(self, asked: Asked) -> Answer:
        """The answer, in the shape that is asked for."""
        properties = (asked.shape or {}).get("properties")
        if isinstance(properties, Mapping) and "facts" in properties:
            self.reading += 1
            try:
                await self._open.wait()
            finally:
                self.reading -= 1
            return Answer(self.says or json.dumps(self._read(asked.last.text)))
        if isinstance(properties, Mapping) and "verdicts" in properties:
            return Answer(json.dumps(self._judge(asked.last.text)))
        return Answer(json.dumps(_profile(asked.last.text)))

    def _judge(self, text: str) -> JsonValue:
        """All that it found it stands by."""
        items = ITEM.split(text)[1:]
        return {
            "verdicts": [
                {"item": number, "verdict": "same"} for number in range(1, len(items) + 1)
            ],
            "changes": [
                {"item": item, "known": int(number), "change": self._change(told, words)}
                for item, words in enumerate(items, 1)
                for number, told in KNOWN.findall(words)
            ],
        }

    def _change(self, known: str, words: str) -> str:
        replaces = [each.replaces for each in self.lessons if each.said in words and each.replaces]
        return "replaces" if any(each in known for each in replaces) else "adds"

    def _read(self, text: str) -> JsonValue:
        known = {told: int(number) for number, told in KNOWN.findall(text)}
        heard = [each for each in self.lessons if each.said in text]
        return {
            "summary": f"About {next(iter(SAID.findall(text)), 'nothing').split()[-1]}",
            "facts": [_fact(each, known) for each in heard if each.kind != "rule"],
            "rules": [_rule(each) for each in heard if each.kind == "rule"],
            "reminders": [],
        }


def _fact(lesson: Lesson, known: Mapping[str, int]) -> JsonValue:
    replaced = [number for told, number in known.items() if lesson.replaces in told]
    target = replaced[0] if replaced and lesson.replaces else 0
    return {
        "quote": lesson.said,
        "stated": True,
        "replaces": target,
        "kind": lesson.kind,
        "text": lesson.text,
        "subject": "",
        "predicate": "",
        "object": "",
        "sensitive": False,
    }


def _rule(lesson: Lesson) -> JsonValue:
    return {"quote": lesson.said, "replaces": 0, "text": lesson.text}


def _profile(text: str) -> JsonValue:
    return {"numbers": [int(number) for number, _ in STATEMENT.findall(text)]}
