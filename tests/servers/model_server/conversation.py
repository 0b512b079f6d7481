"""What was asked and what is answered, in no provider's terms.

Without a script the server answers like this, from the request alone, so that
a test sees whether the history was sent along:

    my name is Ada      -> Nice to meet you, Ada.
    what's my name?     -> Your name is Ada.   (or: I don't know your name.)
    use NAME {json}     -> a call of the tool NAME, when it was offered
    a tool's result     -> NAME said: <result>
    a shape             -> the emptiest JSON of it, with "echo" for each text
    anything else       -> echo: <text>
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import JsonValue

from gaia.testing.function_model import user_text
from tests.servers.model_server.script import ScriptedCall, Step

_MY_NAME = re.compile(r"\bmy name is (\w+)", re.IGNORECASE)
_WHATS_MY_NAME = re.compile(r"\bwhat(?:'s| is) my name\b", re.IGNORECASE)
_USE_TOOL = re.compile(r"^use (\w+)\s*(\{.*\})?$", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the history. A tool's result has the tool's name in `name`."""

    role: Literal["user", "model", "tool"]
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. `messages` is the history, oldest first, the new one last; `shape` is
    the JSON schema that the answer is to have."""

    model: str
    stream: bool
    system: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[str, ...] = ()
    shape: Mapping[str, JsonValue] | None = None

    @property
    def last(self) -> Message:
        return self.messages[-1] if self.messages else Message("user", "")

    @property
    def user_texts(self) -> tuple[str, ...]:
        """What the user said, without gaia's context blocks, oldest first."""
        return tuple(user_text(m.text) for m in self.messages if m.role == "user")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model says: a text, or a call, or that it was blocked; or a text that
    the limit of tokens cut off."""

    text: str = ""
    call: ScriptedCall | None = None
    blocked: bool = False
    cut: bool = False

    def pieces(self) -> Iterator[str]:
        """The text in pieces of a word, as a stream sends them."""
        yield from re.findall(r"\s*\S+\s*", self.text)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, counted as words of the history and of the answer."""

    prompt: int
    completion: int

    @property
    def total(self) -> int:
        return self.prompt + self.completion


def answer_by(step: Step, asked: Asked) -> Answer:
    """The answer that `step` wants, or the server's own."""
    if step.blocked:
        return Answer(blocked=True)
    if step.call is not None:
        return Answer(call=step.call)
    if step.text is not None:
        return Answer(step.text, cut=step.cut)
    return replace(own_answer(asked), cut=step.cut)


def own_answer(asked: Asked) -> Answer:
    """The answer by the rules in this module's head."""
    if asked.last.role == "tool":
        return Answer(f"{asked.last.name} said: {asked.last.text}")
    if asked.shape is not None:
        return Answer(json.dumps(_emptiest(asked.shape)))
    said = asked.user_texts[-1] if asked.user_texts else ""
    wants = _USE_TOOL.match(said)
    if wants and wants[1] in asked.tools:
        return Answer(call=ScriptedCall(name=wants[1], args=json.loads(wants[2] or "{}")))
    if _WHATS_MY_NAME.search(said):
        names = [found[1] for text in asked.user_texts if (found := _MY_NAME.search(text))]
        return Answer(f"Your name is {names[-1]}." if names else "I don't know your name.")
    if named := _MY_NAME.search(said):
        return Answer(f"Nice to meet you, {named[1]}.")
    return Answer(f"echo: {said}")


def _emptiest(shape: Mapping[str, JsonValue]) -> JsonValue:
    """The emptiest value of a JSON schema without references."""
    match shape:
        case {"enum": [first, *_]}:
            return first
        case {"type": "object"}:
            members = shape.get("properties")
            named = members.items() if isinstance(members, Mapping) else ()
            return {name: _emptiest(each) for name, each in named if isinstance(each, Mapping)}
        case {"type": "string"}:
            return "echo"
        case {"type": "integer" | "number"}:
            return 0
        case {"type": "boolean"}:
            return False
        case {"type": "array"}:
            return []
    return None


def usage_of(asked: Asked, answer: Answer) -> Usage:
    """Count the tokens of a request and its answer; at least one for an answer."""
    words = sum(len(message.text.split()) for message in asked.messages)
    return Usage(
        prompt=words + len(asked.system.split()), completion=max(1, len(answer.text.split()))
    )
