"""Changes to a configuration file as mistakes make them: keys lost, values of the wrong kind,
lines cut, bytes of no encoding. Each follows from the number that it is made with."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

VALUES = (
    "",
    "-1",
    "0",
    "1e99",
    "null",
    "true",
    "[]",
    "{}",
    "'x'",
    "!!python/name:os.system",
    "~",
    "🙂",
    "NO",
    "4.5",
    "+14155238886",
    "08",
    "010",
    "1_000",
    "0x1F",
    "3:30",
    "3:30.5",
    ".inf",
    "-.nan",
    "1e999",
    "99999999999999999999",
    "2026-01-01",
    "<<: {a: 1}",
    "&a [*a, *a]",
    "*nothing",
    "!!binary aGVsbG8=",
    "!!set {a, b}",
    "!!int 'x'",
    "!!float nan",
    "'\\0'",
    '"\\0"',
    '"\\ud800"',
    '"\\x07"',
    "|",
    ">-",
    "? a",
    "a: b",
    "a # b",
    "a #b",
    "'it''s'",
    "${HOME}",
    "[" * 500,
    "{a: " * 200,
    "x" * 100_000,
)

Mutation = Callable[[random.Random, list[str]], list[str]]


def mutated(text: str, number: int) -> bytes:
    """The text with one to three changes."""
    chance = random.Random(number)
    lines = text.splitlines()
    for _ in range(chance.randint(1, 3)):
        lines = chance.choice(MUTATIONS)(chance, lines)
    content = "\n".join(lines).encode()
    if chance.random() < 0.1:
        place = chance.randrange(len(content) + 1)
        content = content[:place] + bytes([chance.randrange(128, 256)]) + content[place:]
    return content


def _settings(lines: Sequence[str]) -> list[int]:
    """The lines that set something."""
    return [
        at for at, line in enumerate(lines) if ":" in line and not line.lstrip().startswith("#")
    ]


def _other_value(chance: random.Random, lines: list[str]) -> list[str]:
    for at in chance.sample(settings, 1) if (settings := _settings(lines)) else []:
        lines[at] = f"{lines[at].partition(':')[0]}: {chance.choice(VALUES)}"
    return lines


def _other_key(chance: random.Random, lines: list[str]) -> list[str]:
    for at in chance.sample(settings, 1) if (settings := _settings(lines)) else []:
        lines[at] = lines[at].replace(":", f"{chance.choice('xs_')}:", 1)
    return lines


def _lose(chance: random.Random, lines: list[str]) -> list[str]:
    if lines:
        del lines[chance.randrange(len(lines))]
    return lines


def _twice(chance: random.Random, lines: list[str]) -> list[str]:
    if lines:
        at = chance.randrange(len(lines))
        lines.insert(at, lines[at])
    return lines


def _indent(chance: random.Random, lines: list[str]) -> list[str]:
    if lines:
        at = chance.randrange(len(lines))
        lines[at] = chance.choice((" ", "\t", "      ")) + lines[at]
    return lines


def _cut(chance: random.Random, lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    return text[: chance.randrange(len(text) + 1)].split("\n")


def _noise(chance: random.Random, lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    place = chance.randrange(len(text) + 1)
    noise = "".join(chance.choice("{}[]:,&*!|>'\"%@`#\0\x07\n ") for _ in range(4))
    return (text[:place] + noise + text[place:]).split("\n")


MUTATIONS: Sequence[Mutation] = (_other_value, _other_key, _lose, _twice, _indent, _cut, _noise)
