"""Who the owner is, and whether they are to get a code."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from dataclasses import dataclass

from gaia.cli.setup.steps import Setting
from gaia.store.names import checked_name, usable_name


@dataclass(frozen=True, slots=True)
class Ownership:
    """`name` is that of an owner to be made, empty if there is one. `makes_code` is whether
    a code for them is to be made."""

    name: str
    makes_code: bool


def ask(setting: Setting, channels: Sequence[str], *, are_new: bool) -> Ownership:
    """The owner's name and wish; `channels` are those that will be served beside the
    terminal, and whether one of them is only now."""
    dialogue, owners = setting.dialogue, setting.present.owners
    dialogue.heading("You")
    name = ""
    if not owners.names:
        dialogue.say("You are gaia's owner: who may let others in, and change what they may do.")
        name = dialogue.ask("What should gaia call you?", default=usual_name(), check=checked_name)
    elif owners.owner is not None:
        dialogue.say(f"You are {owners.owner.user.name}, gaia's owner.")
    else:
        dialogue.say(f"gaia has several owners: {', '.join(owners.names)}.")
    if not _is_code_needed(setting, channels):
        return Ownership(name, makes_code=False)
    if are_new or name:
        return Ownership(name, makes_code=True)
    has_code = owners.owner is not None and owners.owner.has_code
    if has_code:
        dialogue.say("A code that you got is still good: write it to gaia, and it knows you.")
    question = "Make another code?" if has_code else "Make a code, so that gaia knows you there?"
    return Ownership(name, makes_code=dialogue.confirm(question, default=not has_code))


def of_flags(setting: Setting, channels: Sequence[str], *, are_new: bool) -> Ownership:
    """What the flags say; else an owner is made, and a code if none is waiting.

    Raises:
        UserNameError: Nobody can be called so.
    """
    flags, owners = setting.flags, setting.present.owners
    name = "" if owners.names else checked_name(flags.name or usual_name())
    if flags.name and owners.names and flags.name not in owners.names:
        setting.notes.append(
            f"gaia has an owner already, {owners.names[0]}: --name changed nothing"
        )
    needed = _is_code_needed(setting, channels)
    has_code = owners.owner is not None and owners.owner.has_code
    wanted = (are_new or not has_code) if flags.pair is None else flags.pair
    return Ownership(name, makes_code=needed and wanted)


def login_name() -> str:
    """Who `gaia chat` takes this user for."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "owner"


def usual_name() -> str:
    """What the owner may be called, for all that is known of them."""
    return usable_name(login_name().replace("_", " ").replace(".", " ").title())


def _is_code_needed(setting: Setting, channels: Sequence[str]) -> bool:
    """Whether there is a channel on which the only owner is not known yet."""
    owners = setting.present.owners
    known = owners.owner.channels if owners.owner is not None else frozenset()
    return len(owners.names) < 2 and any(channel not in known for channel in channels)
