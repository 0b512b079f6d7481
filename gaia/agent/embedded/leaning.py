"""How much the embedded model is nudged towards a tool call.

The first token decides between words and a call. After turns in words a small
model hardly ever calls a tool, however clear the question; the margin between
questions for a tool and other messages stays wide, only its middle moves. The
bias moves it back. It has no effect on a text beyond its first character, but
for addresses with the call mark in them.
"""

from __future__ import annotations

from itertools import takewhile

from gaia.agent.embedded import wire
from gaia.agent.embedded.rendering import Message, Prompt, Turn

BIASES = (0.7, 3.0, 4.0, 5.0)
"""Added to the logit of the call mark, by the number of turns in words just
before this one. Measured with the default model on 8 questions for a tool and
11 other messages after 0, 1 and 3 such turns: the logits of the two kinds, call
mark less best word, lie at -1.6 .. 1.8 and below -0.9 after none, at -2.4 .. 1.0
and below -7.4 after one, at -6.0 .. 0.7 and below -7.3 after three."""


MOST_CALLS = 2
"""Tool calls in one turn. A small model that was told "kept" goes on to keep the same thing
again, up to the bound of model calls, and says nothing; two are enough for what was seen of
it doing something useful."""


def may_call(prompt: Prompt) -> bool:
    """Whether the next answer may be one more tool call."""
    turn = prompt.turns[-1] if prompt.turns else ()
    return sum(map(_is_call, turn)) < MOST_CALLS


def call_bias(prompt: Prompt) -> float:
    """The bias for the next answer. None after a result: that is to be told."""
    if not prompt.turns or prompt.turns[-1][-1].role != "user":
        return 0.0
    earlier = reversed(prompt.turns[:-1])
    in_words = sum(1 for _ in takewhile(_is_in_words, earlier))
    return BIASES[min(in_words, len(BIASES) - 1)]


def _is_in_words(turn: Turn) -> bool:
    return not any(map(_is_call, turn))


def _is_call(message: Message) -> bool:
    return message.role == "assistant" and wire.is_call(message.content)
