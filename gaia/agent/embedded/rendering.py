"""An ADK request as chat messages: one for the system, then turn after turn.

The same history gives the same messages in each request, so that what the
model evaluated for one turn is the beginning of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from gaia.agent.embedded import wire
from gaia.agent.embedded.offers import Offer

CONTEXT_FENCE = "<context>"
"""Begins the part with a turn's context. It becomes a message of its own: it is
gone from the next request, and what stands around it is then found unchanged."""
UNREADABLE = "[a file, which you cannot read]"

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the chat protocol."""

    role: Role
    content: str


Turn = tuple[Message, ...]
"""What a person said, and all up to the next thing that a person says."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model reads."""

    system: Message
    turns: tuple[Turn, ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        return (self.system, *(message for turn in self.turns for message in turn))


def render(request: LlmRequest, offers: Sequence[Offer]) -> Prompt:
    """The messages of `request`, with the tools described in the first."""
    told = [_text_of(request.config.system_instruction), wire.preamble(offers)]
    turns: list[list[Message]] = []
    for content in request.contents:
        messages = _messages(content)
        if not turns or (messages and messages[-1].role == "user"):
            turns.append([])
        turns[-1] += messages
    system = Message("system", _defused("\n\n".join(text for text in told if text)))
    return Prompt(system, tuple(tuple(turn) for turn in turns if turn))


def trim(prompt: Prompt, budget: int, tokens: Callable[[Sequence[Message]], int]) -> Prompt:
    """Drop whole turns from the beginning until `prompt` has at most `budget` tokens.

    Whenever the history outgrows the budget it falls to half of it, so that it
    begins at the same turn for a while. Which turn that is follows from the
    history alone. The last turn always stays.
    """
    room = budget - tokens([prompt.system])
    kept: list[tuple[Turn, int]] = []
    used = 0
    for turn in prompt.turns:
        size = tokens(turn)
        kept.append((turn, size))
        used += size
        if used > room:
            while len(kept) > 1 and used > room // 2:
                used -= kept.pop(0)[1]
    return Prompt(prompt.system, tuple(turn for turn, _ in kept))


def _messages(content: types.Content) -> list[Message]:
    parts = content.parts or []
    results = [part.function_response for part in parts if part.function_response]
    if results:
        return [
            Message("system", _defused(wire.result_line(one.name or "", one.response or {})))
            for one in results
        ]
    if content.role == "user":
        return _said(parts)
    lines = [part.text for part in parts if part.text and not part.thought]
    calls = [part.function_call for part in parts if part.function_call]
    lines += [wire.call_line(call.name or "", call.args or {}) for call in calls]
    return [Message("assistant", _defused("\n".join(lines)))] if lines else []


def _said(parts: Sequence[types.Part]) -> list[Message]:
    """A person's message, and before it the turn's context if there is one: small
    models answer what they read last."""
    texts = [part.text if part.text is not None else UNREADABLE for part in parts]
    words = [text for text in texts if not text.startswith(CONTEXT_FENCE)]
    context = [text for text in texts if text.startswith(CONTEXT_FENCE)]
    said = [Message("user", _defused("\n".join(words)))] if words else []
    return [*(Message("system", _defused(text)) for text in context), *said]


def _text_of(instruction: object) -> str:
    """The text of a system instruction, in whichever form ADK gives it."""
    if isinstance(instruction, str):
        return instruction
    if isinstance(instruction, types.Content):
        return "\n".join(part.text for part in instruction.parts or [] if part.text)
    if isinstance(instruction, types.Part):
        return instruction.text or ""
    if isinstance(instruction, list):
        return "\n".join(_text_of(one) for one in instruction)
    return ""


def _defused(text: str) -> str:
    """`text` without what would end a message: the template's control tokens."""
    return text.replace("<|", "< |")
