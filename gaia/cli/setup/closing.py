"""What `gaia setup` says at its end: what there is now, and what comes next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from shlex import quote

import typer

from gaia.cli.setup.carrying_out import Done, needs_to_be_told
from gaia.cli.setup.dialogue import Dialogue
from gaia.cli.setup.model_step import describe
from gaia.cli.setup.whatsapp_step import HOOK


def show(done: Done, dialogue: Dialogue) -> None:
    """Tell it to a person."""
    dialogue.heading("Done")
    if done.written:
        dialogue.say(f"Written: {' and '.join(map(str, done.written))}.")
    else:
        dialogue.say(f"All is set as it was: no file in {done.home} had to change.")
    if done.model is not None:
        dialogue.say(f"{describe(done.model)} answers.")
    if done.owners:
        dialogue.say(f"The owner is {', '.join(done.owners)}.")
    if done.service:
        dialogue.say(done.service)
    if done.code:
        dialogue.heading(f"Your code: {done.code}")
        dialogue.say(
            "It is good for an hour, and whoever writes it is you: keep it to yourself. "
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


def as_json(done: Done) -> str:
    """Tell it to a script. The code stands there: the script's owner is the owner."""
    told = {
        "home": str(done.home),
        "written": [str(file) for file in done.written],
        "model": {"provider": done.model.provider, "name": done.model.name} if done.model else None,
        "model_missing": done.lacks_weights,
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
    return f"{told} A link that writes it:" if dict(_links(done)) else told


def _links(done: Done) -> Iterator[tuple[str, str]]:
    """Addresses that write the code by a tap."""
    if not done.code:
        return
    if "telegram" in done.channels and done.bot_name:
        start = done.code.replace("-", "")
        yield "telegram", f"https://t.me/{done.bot_name}?start={start}"
    if "whatsapp" in done.channels:
        yield "whatsapp", f"https://wa.me/{done.whatsapp_number.lstrip('+')}?text={done.code}"


def _next(done: Done) -> Iterator[tuple[str, str]]:
    if needs_to_be_told(done.home):
        yield f"export GAIA_HOME={quote(str(done.home))}", ""
    if done.lacks_weights:
        yield "gaia model pull", "fetches the model"
    if done.is_running:
        yield "gaia status", "gaia runs, and takes over what has changed"
    elif not done.service:
        yield "gaia serve", "runs gaia, as long as you leave it running"
    yield "gaia chat", "talks to it here"
    yield "gaia doctor", "looks whether all of it works"


def _hook(done: Done) -> str:
    """The address that Twilio has to be told."""
    return f"{done.public_url}{HOOK}" if "whatsapp" in done.channels else ""
