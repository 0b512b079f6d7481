#!/usr/bin/env python3
"""How many everyday conversations the embedded model gets right, and how long it takes.

A file has a list of conversations, each with what is said in turn, `say`, and for each
message a regular expression that the answer has to match, `want`; `{weekday}`, `{day}`,
`{month}`, `{year}` and `{hour}` in it stand for now, `{tomorrow_weekday}` and
`{tomorrow_day}` for the day after. `{weekday_de}` and `{tomorrow_weekday_de}` are the
weekdays in German, and likewise in `es`, `fr`, `it` and `pt`. Each conversation is held in
a fresh home, with the real daemon over its socket. The model's file is taken from
`--models`, and nothing is fetched.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from gaia.errors import ModelMissingError
from gaia.paths import Home, find_home
from gaia.settings.providers import DEFAULT_NAMES
from gaia.weights.catalogue import CatalogueModel, find_model
from gaia.weights.folder import Weights
from tests.harness.processes import Talker, running_daemon, talking

SKIPPED = 77
"""The exit code of automake's for a test that could not be run."""
WEEKDAYS = {
    "de": ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
    "es": ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
    "fr": ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    "it": ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
    "pt": ["segunda", "terça", "quarta", "quinta", "sexta", "sábado", "domingo"],
}
SETTINGS = """\
model: {{provider: embedded, name: {name}, embedded: {{tools: {tools}}}}}
web: {{enabled: false}}
"""


class Talk(BaseModel):
    """A conversation, and what its answers have to match."""

    id: str
    say: list[str]
    want: list[str]


@dataclass(frozen=True, slots=True)
class Answered:
    """A message, its answer, and whether it is right."""

    said: str
    answer: str
    wanted: str
    first_seconds: float
    seconds: float

    @property
    def is_right(self) -> bool:
        return re.search(self.wanted, self.answer) is not None


@dataclass(frozen=True, slots=True)
class Held:
    """A conversation that was held."""

    id: str
    turns: Sequence[Answered]

    @property
    def is_right(self) -> bool:
        return all(turn.is_right for turn in self.turns)


async def hold(talk: Talk, model: CatalogueModel, models: Path, *, tools: bool) -> Held:
    """Hold one conversation in a home of its own."""
    with tempfile.TemporaryDirectory(prefix="gaia-talk-") as folder:
        home = Home(Path(folder))
        home.create()
        for file in (model.file_name, f"{model.name}.verified"):
            (home.models / file).symlink_to(models / file)
        settings = SETTINGS.format(name=model.name, tools=str(tools).lower())
        (home.root / "gaia.yaml").write_text(settings, encoding="utf-8")
        async with running_daemon(home), talking(home, getpass.getuser()) as person:
            turns = [
                await ask(person, said, wanted)
                for said, wanted in zip(talk.say, talk.want, strict=True)
            ]
        return Held(talk.id, turns)


async def ask(person: Talker, said: str, wanted: str) -> Answered:
    began = time.perf_counter()
    answer = await person.ask(said, wants_preview=True)
    seconds = time.perf_counter() - began
    return Answered(said, answer, dated(wanted), person.first_seconds or seconds, seconds)


def dated(wanted: str) -> str:
    """`wanted` with the present day and hour in it."""
    now = datetime.now()
    tomorrow = now + timedelta(days=1)
    names = {
        "weekday": f"{now:%A}",
        "day": str(now.day),
        "month": f"{now:%B}",
        "year": str(now.year),
        "hour": f"({now:%H}|{int(f'{now:%I}')})",
        "tomorrow_weekday": f"{tomorrow:%A}",
        "tomorrow_day": str(tomorrow.day),
    }
    for language, days in WEEKDAYS.items():
        names[f"weekday_{language}"] = days[now.weekday()]
        names[f"tomorrow_weekday_{language}"] = days[tomorrow.weekday()]
    for name, value in names.items():
        wanted = wanted.replace(f"{{{name}}}", value)
    return wanted


def report(held: Held) -> None:
    """Tell of one conversation: in one line, and what was said where it failed."""
    took = sum(turn.seconds for turn in held.turns)
    slowest = max((turn.first_seconds for turn in held.turns[1:]), default=0.0)
    print(f"{'ok  ' if held.is_right else 'FAIL'} {held.id:20} {took:6.1f} s {slowest:6.1f} s")
    if not held.is_right:
        for turn in held.turns:
            print(f"     {'  ' if turn.is_right else '->'} {turn.said!r}: {turn.answer!r}")


async def bench(talks: Sequence[Talk], options: argparse.Namespace) -> int:
    model = find_model(options.model)
    Weights(options.models).require(model)
    began = time.perf_counter()
    all_held = []
    for talk in talks:
        held = await hold(talk, model, options.models, tools=options.tools)
        all_held.append(held)
        if not options.json:
            report(held)
    right = sum(held.is_right for held in all_held)
    seconds = time.perf_counter() - began
    if options.json:
        told = [{**asdict(held), "is_right": held.is_right} for held in all_held]
        print(json.dumps({"right": right, "seconds": seconds, "talks": told}, ensure_ascii=False))
    else:
        print(f"{right} of {len(talks)} right, {seconds:.0f} s with {len(talks)} starts of gaia")
    return 0 if right >= options.at_least else 1


def read(files: Sequence[Path]) -> list[Talk]:
    reader = TypeAdapter(list[Talk])
    return [talk for file in files for talk in reader.validate_json(file.read_bytes())]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--model", default=DEFAULT_NAMES["embedded"])
    parser.add_argument("--models", type=Path, default=find_home().models, metavar="FOLDER")
    parser.add_argument("--tools", action="store_true", help="offer the tools to the model")
    parser.add_argument("--only", action="append", metavar="ID", help="only this conversation")
    parser.add_argument("--at-least", type=int, default=0, help="exit with 1 if fewer are right")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        talks = [
            talk for talk in read(options.files) if options.only is None or talk.id in options.only
        ]
        return asyncio.run(bench(talks, options))
    except (OSError, ValidationError) as exc:
        print(f"skipped: {exc}", file=sys.stderr)
    except ModelMissingError as exc:
        print(f"skipped: {exc} (looked in {str(options.models)!r}, see --models)", file=sys.stderr)
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
