"""Configuration files as mistakes make them, of files that people have."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gaia.settings.load import config_folder, default_settings_file
from tests.harness.mutations import mutated

SECRET = "sk-ant-canary-0123456789abcdef"

OWN = """\
# What a household has.
model:
  provider: openai
  name: "4.5"
  base_url: 'http://127.0.0.1:11434/v1'   # Ollama
  instructions: |
    You are gaia. Answer in the language of the question.
    Never mention #hashtags.
channels:
  telegram: {enabled: true, mode: polling}
  whatsapp:
    enabled: true
    number: "+14155238886"
    public_url: https://gaia.example.org
  terminal:
    enabled: yes
sessions: {idle_consolidate_minutes: 30, window_turns: 20}
memory:
  enabled: true
  embedder: {provider: openai, config: {model: text-embedding-3-small, embedding_dims: 1536}}
limits:
  messages_per_minute: 20
  drain_seconds: 25.5
costs: {currency: EUR}
web: {host: 127.0.0.1, port: 8642}
backup:
  folder: ~/backups
  hour: 3
logging: {level: INFO}
"""

SECRETS = {
    "GEMINI_API_KEY": "AIzaCanary_0123456789abcdefghijklmnopqrst",
    "OPENAI_API_KEY": "sk-canary-0123456789abcdef",
    "ANTHROPIC_API_KEY": SECRET,
    "GAIA_TELEGRAM_BOT_TOKEN": "123456789:AAcanary_0123456789abcdefghijklmnop",
    "GAIA_TWILIO_ACCOUNT_SID": "AC" + "0a" * 16,
    "GAIA_TWILIO_AUTH_TOKEN": "c0ffee" * 5 + "00",
    "GAIA_BACKUP_PASSPHRASE": "correct horse battery staple",
}

QUOTES = ("{}", "'{}'", '"{}"', "{}  ", "{} # mine", "{} #1", "{}#1", "'{}' # old", '"{}', "'{}")
NAMES = ("{}", "export {}", "  {}", "{} ", "{}S", "#{}")

EDITS = (
    "\\n",
    "\\t",
    "\\'",
    '\\"',
    "${HOME}",
    " #",
    "#",
    "'",
    '"',
    "\n",
    " ",
    "=",
    "\\",
    "é",
    "\0",
)


@dataclass(frozen=True, slots=True)
class OddFiles:
    """A gaia.yaml and a `.env`, and the number that they come from."""

    number: int
    yaml: bytes
    env: bytes


def odd_files(count: int, seed: int) -> Iterator[OddFiles]:
    """So many pairs of files."""
    examples = sorted((config_folder() / "examples").glob("*.yaml"))
    texts = [OWN, *(each.read_text(encoding="utf-8") for each in examples)]
    whole = default_settings_file().read_text(encoding="utf-8")
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        chance = random.Random(number)
        # The whole file takes ten times as long.
        text = whole if chance.random() < 0.2 else chance.choice(texts)
        if chance.random() < 0.1:
            text = _with_secret(chance, text)
        yield OddFiles(number, mutated(text, number), _env(chance))


def _with_secret(chance: random.Random, text: str) -> str:
    """The text with a secret as the value of some key, or in a comment."""
    lines = text.splitlines()
    at = chance.randrange(len(lines))
    lines[at] = f"{lines[at].partition(':')[0]}: {chance.choice(QUOTES[:5]).format(SECRET)}"
    return "\n".join(lines)


def _env(chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        return "\n".join(f"{name}={value}" for name, value in SECRETS.items()).encode()
    lines = [_assignment(chance, name, value) for name, value in SECRETS.items()]
    chance.shuffle(lines)
    for _ in range(chance.randrange(3)):
        chance.choice(ENV_EDITS)(chance, lines)
    return "\n".join(lines[: chance.randrange(1, len(lines) + 1)]).encode()


def _assignment(chance: random.Random, name: str, value: str) -> str:
    if chance.random() < 0.2:
        place = chance.randrange(len(value) + 1)
        value = value[:place] + chance.choice(EDITS) + value[place:]
    quoted = "{}" if chance.random() < 0.5 else chance.choice(QUOTES)
    named = "{}" if chance.random() < 0.8 else chance.choice(NAMES)
    return f"{named.format(name)}={quoted.format(value)}"


def _twice(chance: random.Random, lines: list[str]) -> None:
    lines.append(chance.choice(lines).replace("canary", "other"))


def _cut(chance: random.Random, lines: list[str]) -> None:
    at = chance.randrange(len(lines))
    lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]


def _noise(chance: random.Random, lines: list[str]) -> None:
    at = chance.randrange(len(lines))
    place = chance.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + chance.choice(EDITS) + lines[at][place:]


ENV_EDITS: Sequence[Callable[[random.Random, list[str]], None]] = (_twice, _cut, _noise)
