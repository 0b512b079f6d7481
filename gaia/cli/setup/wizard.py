"""One run of `gaia setup`, from the first look to the last word."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from shlex import quote

import typer

from gaia.cli.chat import chat_command
from gaia.cli.console import WaitingLine, terminal_width, wants_colour
from gaia.cli.control import is_served
from gaia.cli.home import login_name
from gaia.cli.setup import INTERRUPTED, Flags
from gaia.cli.setup.dialogue import Dialogue
from gaia.cli.setup.model_step import describe
from gaia.cli.setup.questions import ServiceDone, SetupPlan, gather, install_service
from gaia.cli.setup.steps import ProviderProbe, Setting
from gaia.cli.setup.whatsapp_step import HOOK
from gaia.clock import SystemClock
from gaia.errors import GaiaError, ModelFileError
from gaia.extras import LOCAL
from gaia.findings import Finding, Outcome
from gaia.ops.setup.answers import plan
from gaia.ops.setup.files import write
from gaia.ops.setup.owner import make_owner, new_code, read_owners
from gaia.ops.setup.present import (
    Present,
    check_place,
    lacks_weights,
    look_around,
    make_private_home,
)
from gaia.paths import Home, expanded, find_home
from gaia.ports import Clock
from gaia.settings.providers import ResolvedModel
from gaia.store.opener import open_database
from gaia.store.people.users import Users
from gaia.weights.catalogue import find_model

WELCOME = (
    "This sets gaia up. Enter accepts the value in brackets. Nothing is written before the "
    "last question, so Ctrl-C changes nothing. You can run it again at any time."
)


def run(flags: Flags, home_named: str, *, as_json: bool) -> None:
    """Ask, do, and tell."""
    clock = SystemClock()
    dialogue = Dialogue(width=terminal_width(), is_coloured=wants_colour(sys.stdout, os.environ))
    try:
        if not flags.yes:
            dialogue.say(WELCOME)
        home = _choose_home(dialogue, home_named, asks=not flags.yes)
        present = asyncio.run(look_around(home, os.environ, clock))
        probe = ProviderProbe(clock, WaitingLine(sys.stderr, os.environ), wanted=flags.check)
        setup_plan = gather(Setting(present, flags, probe, dialogue))
    except (typer.Abort, KeyboardInterrupt):
        typer.echo("\nNothing was changed.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    done = carry_out(present, setup_plan, clock)
    if as_json:
        typer.echo(done_as_json(done))
    else:
        show_done(done, dialogue)
        if not flags.yes and done.lacks is None:
            _offer_chat(done, dialogue)


def _offer_chat(done: Done, dialogue: Dialogue) -> None:
    """Have the owner talk to gaia, if they wish. All is done by now: leaving here is a no."""
    typer.echo("")
    is_silent = done.heard is not None and done.heard.outcome is Outcome.WARNING
    try:
        if not dialogue.confirm("Start chatting now?", default=not is_silent):
            return
    except typer.Abort:
        typer.echo("")
        return
    os.environ["GAIA_HOME"] = str(done.home)
    chat_command(message=None, user=None)


def _choose_home(dialogue: Dialogue, named: str, *, asks: bool) -> Home:
    """The home that is named; a new one where the owner wants it."""
    home = Home(expanded(named).absolute()) if named else find_home()
    if asks and not named and not os.environ.get("GAIA_HOME") and not home.root.exists():
        dialogue.heading("gaia's home")
        dialogue.say(
            "One folder holds everything gaia keeps: settings, keys, memory, conversations."
        )
        chosen = dialogue.ask("Where?", default=str(home.root), check=_usable)
        home = Home(Path(chosen))
    check_place(home)
    return home


def _usable(text: str) -> str:
    root = expanded(text).absolute()
    check_place(Home(root))
    return str(root)


class Lack(StrEnum):
    """What the embedded model may want. Without an engine its file is of no use."""

    ENGINE = "engine"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Done:
    """What there is now. `code` is the owner's alone to see."""

    home: Path
    written: Sequence[Path]
    model: ResolvedModel | None
    heard: Finding | None
    """What the model's host said; None if it was not asked."""
    lacks: Lack | None
    """What the model cannot answer without."""
    channels: Sequence[str]
    bot_name: str
    whatsapp_number: str
    public_url: str
    owners: Sequence[str]
    code: str = field(default="", repr=False)
    service: str = ""
    is_service: bool = False
    is_running: bool = False
    notes: Sequence[str] = ()


def carry_out(present: Present, setup_plan: SetupPlan, clock: Clock) -> Done:
    """Do all of it. What can be made up for later is noted when it fails.

    Raises:
        GaiaError: The home or its files cannot be written. Files that were there are
            whole: as they were, or as they should be.
    """
    home, notes = present.home, list(setup_plan.notes)
    make_private_home(home)
    written = write(home, plan(setup_plan.answers, present.loaded))
    if setup_plan.pulls and setup_plan.model is not None:
        _pull(present, setup_plan.model, notes)
    owners, code = asyncio.run(_own(present, setup_plan, clock))
    is_running, service = is_served(home), ServiceDone(is_installed=False, told="")
    if setup_plan.installs_service:
        try:
            service = install_service(home, starts=not is_running)
        except GaiaError as exc:
            notes.append(str(exc))
    answer, settings = setup_plan.answers.whatsapp, present.loaded.settings.channels.whatsapp
    return Done(
        home=home.root,
        written=written,
        model=setup_plan.model,
        heard=setup_plan.heard,
        lacks=_lack(home, setup_plan.model),
        channels=setup_plan.channels,
        bot_name=setup_plan.bot.name,
        whatsapp_number=(answer and answer.number) or settings.number,
        public_url=(answer and answer.public_url) or settings.public_url,
        owners=owners,
        code=code,
        service=service.told,
        is_service=service.is_installed,
        is_running=is_running,
        notes=notes,
    )


def _lack(home: Home, model: ResolvedModel | None) -> Lack | None:
    if model is None or model.provider != "embedded":
        return None
    if not LOCAL.is_installed:
        return Lack.ENGINE
    return Lack.FILE if lacks_weights(home, model) else None


def _pull(present: Present, model: ResolvedModel, notes: list[str]) -> None:
    from gaia.cli.progress import pull_progress
    from gaia.weights.pull import pull

    try:
        with pull_progress(model.name) as progress:
            pull(find_model(model.name), present.home.models, progress)
    except ModelFileError as exc:
        notes.append(str(exc))
    except KeyboardInterrupt:
        notes.append("the model is not complete yet: 'gaia model pull' resumes the download")


async def _own(present: Present, setup_plan: SetupPlan, clock: Clock) -> tuple[Sequence[str], str]:
    """Make owner and code, as far as they are wanted; the owners' names, and the code."""
    wanted = setup_plan.ownership
    if not wanted.name and not wanted.makes_code and not wanted.zone:
        return present.owners.names, ""
    database = await open_database(present.home)
    try:
        if wanted.name:
            await make_owner(database, wanted.name, login_name() or "owner", clock)
        owners = await read_owners(database, clock)
        if wanted.zone and owners.owner is not None:
            await Users(database, clock).set_zone(owners.owner.user, wanted.zone)
        code = ""
        if wanted.makes_code and owners.owner is not None:
            code = await new_code(database, owners.owner.user, clock)
        return owners.names, code
    finally:
        await database.close()


def needs_to_be_told(home: Path) -> bool:
    """Whether commands find this home only if they are told where it is."""
    named = os.environ.get("GAIA_HOME", "").strip()
    usual = expanded(named or "~/.gaia").absolute()
    return home != usual


def show_done(done: Done, dialogue: Dialogue) -> None:
    """Tell it to a person."""
    dialogue.heading("Done")
    if done.written:
        dialogue.say(f"Written: {' and '.join(map(str, done.written))}.")
    else:
        dialogue.say(f"Nothing changed: no file in {done.home} needed an update.")
    if done.model is not None:
        dialogue.say(f"The model is {describe(done.model)}. {_how_it_is(done.model, done)}")
    if done.owners:
        dialogue.say(f"The owner is {', '.join(done.owners)}.")
    if done.service:
        dialogue.say(done.service)
    if done.code:
        dialogue.heading(f"Your code: {done.code}")
        dialogue.say(
            "It is valid for an hour, and whoever sends it is treated as you: keep it secret. "
            f"{'Now' if done.is_running else 'When gaia runs,'} {_how_to_pair(done)}"
        )
        for _, link in _links(done):
            typer.echo(f"  {link}")
    if done.written and (hook := _hook(done)):
        dialogue.say(
            f"Twilio has to know where gaia is: enter {hook} in its console, under 'When a message "
            "comes in', with POST."
        )
    for note in done.notes:
        dialogue.refuse(note)
    dialogue.heading("Next")
    steps = list(_next(done))
    width = max(len(command) for command, about in steps if about) + 2
    for command, about in steps:
        typer.echo(f"  {command:<{width}}{about}".rstrip())


def _how_it_is(model: ResolvedModel, done: Done) -> str:
    """Whether it can answer, as far as that is known."""
    match done.lacks:
        case Lack.ENGINE:
            return "Its engine is not installed yet."
        case Lack.FILE:
            return "It is not fetched yet."
        case None if model.provider == "embedded":
            return "It is on this machine."
    if done.heard is None or done.heard.outcome is Outcome.SKIPPED:
        return "Its host was not asked."
    return f"{done.heard.detail[:1].upper()}{done.heard.detail[1:]}."


def done_as_json(done: Done) -> str:
    """Tell it to a script. The code stands there: the script's owner is the owner."""
    told = {
        "home": str(done.home),
        "written": [str(file) for file in done.written],
        "model": {"provider": done.model.provider, "name": done.model.name} if done.model else None,
        "model_missing": done.lacks is not None,
        "model_lacks": done.lacks,
        "channels": list(done.channels),
        "telegram_bot": done.bot_name or None,
        "webhook": _hook(done) or None,
        "owners": list(done.owners),
        "pairing_code": done.code or None,
        "pairing_links": dict(_links(done)),
        "service": done.service or None,
        "running": done.is_running,
        "notes": list(done.notes),
        "next": [command for command, _ in _next(done)],
    }
    return json.dumps(told, indent=2, ensure_ascii=False)


def _how_to_pair(done: Done) -> str:
    ways = []
    if "telegram" in done.channels:
        ways.append(f"to {f'@{done.bot_name}' if done.bot_name else 'the bot'} on Telegram")
    if "whatsapp" in done.channels:
        ways.append(f"to {done.whatsapp_number} on WhatsApp")
    told = f"write it {' or '.join(ways)}."
    if len(ways) > 1:
        told += " It serves once: for the other of the two, write /link where gaia knows you."
    return f"{told} Open the chat by:" if dict(_links(done)) else told


def _links(done: Done) -> Iterator[tuple[str, str]]:
    """Addresses of the chats in which the code is to be written. A link that sent an owner's
    code by a tap would make an owner of whoever is given it."""
    if not done.code:
        return
    if "telegram" in done.channels and done.bot_name:
        yield "telegram", f"https://t.me/{done.bot_name}"
    if "whatsapp" in done.channels:
        yield "whatsapp", f"https://wa.me/{done.whatsapp_number.lstrip('+')}?text={done.code}"


def _next(done: Done) -> Iterator[tuple[str, str]]:
    if needs_to_be_told(done.home):
        yield f"export GAIA_HOME={quote(str(done.home))}", ""
    if done.lacks is Lack.ENGINE:
        yield LOCAL.install_line, ""
    if done.lacks is not None:
        yield "gaia model pull", "fetches the model"
    if done.is_running:
        yield "gaia status", "gaia runs, and applies the changes"
    elif not done.is_service:
        yield "gaia serve", "runs gaia in this terminal"
    yield "gaia chat", "talks to it here"
    yield "gaia doctor", "checks that everything works"


def _hook(done: Done) -> str:
    """The address that Twilio has to be told."""
    return f"{done.public_url.rstrip('/')}{HOOK}" if "whatsapp" in done.channels else ""
