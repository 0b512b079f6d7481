"""The order of the steps, what all of them come to, and the last two: owner and service."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import typer

from gaia.cli.home import login_name
from gaia.cli.setup import model_step, telegram_step, whatsapp_step
from gaia.cli.setup.steps import Setting
from gaia.cli.setup.telegram_step import Bot
from gaia.errors import SettingsError, UnknownTimeError, UserNameError
from gaia.extras import LOCAL
from gaia.findings import Finding
from gaia.ops.setup.answers import Answers, ModelAnswer, WhatsAppAnswer
from gaia.ops.setup.present import lacks_weights
from gaia.settings.providers import DEFAULT_NAMES, ResolvedModel
from gaia.settings.secrets import VARIABLES
from gaia.store.people.names import checked_name, usable_name
from gaia.weights.catalogue import find_model
from gaia.zones import is_utc, local_zone, the_zone

if TYPE_CHECKING:
    from gaia.ops.service.installer import Service, Steps
    from gaia.paths import Home


LATER = "later"
"""The answer of an owner who does not tell their time zone yet."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """`name` is that of an owner to be made, empty if there is one. `makes_code` is whether
    a code for them is to be made. `zone` is their time zone, empty if it is not told."""

    name: str
    makes_code: bool
    zone: str = ""


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """All that the owner wants. Nothing of it is done yet."""

    answers: Answers
    model: ResolvedModel | None
    bot: Bot
    channels: tuple[str, ...]
    """Those that will be served beside the terminal."""
    ownership: Ownership
    pulls: bool
    installs_service: bool
    heard: Finding | None = None
    """What the model's host said of itself; None if it was not asked."""
    notes: tuple[str, ...] = field(default=())


def gather(setting: Setting) -> SetupPlan:
    """Ask, step by step, what no flag answers; ask nothing if the flags say yes to all.

    Raises:
        typer.BadParameter: A flag's answer cannot be. What is typed is asked for again.
    """
    try:
        return _gather(setting)
    except (SettingsError, UnknownTimeError, UserNameError) as exc:
        mistakes = getattr(exc, "mistakes", ())
        raise typer.BadParameter("; ".join(map(str, mistakes)) or str(exc)) from exc


def _gather(setting: Setting) -> SetupPlan:
    flags, present = setting.flags, setting.present
    asks = not flags.yes
    model = whatsapp = None
    bot = Bot(None)
    if flags.answers_model:
        model = model_step.of_flags(setting)
    elif asks:
        model = model_step.ask(setting)
    resolved = _resolved(model) if model else present.model
    pulls = _pulls(setting, resolved, asks=asks)
    if flags.answers_telegram:
        bot = telegram_step.of_flags(setting)
    elif asks:
        bot = telegram_step.ask(setting)
    if flags.answers_whatsapp:
        whatsapp = whatsapp_step.of_flags(setting)
    elif asks:
        whatsapp = whatsapp_step.ask(setting)
    channels = _channels(setting, bot, whatsapp)
    settings = present.loaded.settings.channels
    are_new = (bot.answer is not None and not settings.telegram.enabled) or (
        whatsapp is not None and not settings.whatsapp.enabled
    )
    asks_owner = asks and flags.name is None
    own = ask_owner if asks_owner else owner_of_flags
    ownership = own(setting, channels, are_new=are_new)
    ownership = replace(ownership, zone=_zone(setting, asks=asks_owner))
    kept = _kept(setting, resolved, channels, asks=asks, changes=bool(model or are_new))
    installs = flags.service
    if installs is None:
        installs = ask_service(setting) if asks else False
    return SetupPlan(
        Answers(model, bot.answer, whatsapp, kept),
        resolved,
        bot,
        channels,
        ownership,
        pulls,
        installs,
        model.heard if model else None,
        tuple(setting.notes),
    )


def _resolved(answer: ModelAnswer) -> ResolvedModel:
    name = answer.name or DEFAULT_NAMES[answer.provider]
    return ResolvedModel(answer.provider, name, answer.base_url)


def _pulls(setting: Setting, model: ResolvedModel | None, *, asks: bool) -> bool:
    if model is None or not lacks_weights(setting.present.home, model):
        return False
    if not LOCAL.is_installed:
        if setting.flags.pull:
            setting.notes.append("the model is not fetched before its engine is installed")
        return False
    if setting.flags.pull is not None or not asks:
        return bool(setting.flags.pull)
    size = model_step.gigabytes(find_model(model.name).size)
    return setting.dialogue.confirm(f"Fetch it at the end (about {size})?", default=True)


def _channels(setting: Setting, bot: Bot, whatsapp: WhatsAppAnswer | None) -> tuple[str, ...]:
    settings = setting.present.loaded.settings.channels
    on = {
        "telegram": bot.answer.enabled if bot.answer else settings.telegram.enabled,
        "whatsapp": whatsapp.enabled if whatsapp else settings.whatsapp.enabled,
    }
    return tuple(name for name, is_on in on.items() if is_on)


def _kept(
    setting: Setting,
    model: ResolvedModel | None,
    channels: tuple[str, ...],
    *,
    asks: bool,
    changes: bool,
) -> Mapping[str, str]:
    """What the environment has that gaia needs, and that is to stand in `.env` too."""
    present, flags = setting.present, setting.flags
    needed = _needed(model, channels)
    for name in sorted(present.contested & needed):
        setting.notes.append(f"{name} differs between this shell and .env, and a service uses .env")
    unkept = {name: value for name, value in present.unkept.items() if name in needed}
    if not unkept:
        return {}
    keeps = flags.save_keys
    if keeps is None and asks:
        names = " and ".join(unkept)
        are = "are" if len(unkept) > 1 else "is"
        setting.dialogue.heading("Keys")
        setting.dialogue.say(f"{names} {are} set in this shell only; a service would not see it.")
        question = f"Keep {'them' if len(unkept) > 1 else 'it'} in .env as well?"
        keeps = setting.dialogue.confirm(question, default=present.is_first or changes)
    return unkept if keeps is None or keeps else {}


def _needed(model: ResolvedModel | None, channels: tuple[str, ...]) -> Set[str]:
    """The variables of what will be used."""
    needed: set[str] = set()
    if model is not None and model.provider != "embedded":
        needed |= set(VARIABLES[f"{model.provider}_api_key"])
    if "telegram" in channels:
        needed.add(telegram_step.VARIABLE)
    if "whatsapp" in channels:
        needed |= {whatsapp_step.ACCOUNT, whatsapp_step.TOKEN}
    return needed


def ask_owner(setting: Setting, channels: Sequence[str], *, are_new: bool) -> Ownership:
    """The owner's name and wish; `channels` are those that will be served beside the
    terminal, and whether one of them is only now."""
    dialogue, owners = setting.dialogue, setting.present.owners
    dialogue.heading("You")
    name = ""
    if not owners.names:
        dialogue.say(
            "You are gaia's owner: you may give others access, and change what they may do."
        )
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
        dialogue.say("The code that you got is still valid: send it to gaia, and gaia knows you.")
    question = (
        "Make another code?" if has_code else "Make a code, so that gaia recognises you there?"
    )
    return Ownership(name, makes_code=dialogue.confirm(question, default=not has_code))


def owner_of_flags(setting: Setting, channels: Sequence[str], *, are_new: bool) -> Ownership:
    """What the flags say; else an owner is made, and a code if none is waiting.

    Raises:
        UserNameError: Nobody can be called so.
    """
    flags, owners = setting.flags, setting.present.owners
    name = "" if owners.names else checked_name(usual_name() if flags.name is None else flags.name)
    if flags.name is not None and owners.names and flags.name not in owners.names:
        setting.notes.append(
            f"gaia has an owner already, {owners.names[0]}: --name changed nothing"
        )
    needed = _is_code_needed(setting, channels)
    has_code = owners.owner is not None and owners.owner.has_code
    wanted = (are_new or not has_code) if flags.pair is None else flags.pair
    return Ownership(name, makes_code=needed and wanted)


def _zone(setting: Setting, *, asks: bool) -> str:
    """The owner's time zone, by the flag or as they tell it; empty if that is not known."""
    owners, here = setting.present.owners, str(local_zone())
    if setting.flags.timezone is not None:
        return the_zone(setting.flags.timezone)
    known = owners.owner is not None and owners.owner.user.zone is not None
    if known or len(owners.names) > 1:
        return ""
    usual = "" if is_utc(here) else here
    if not asks:
        return ""
    return setting.dialogue.ask(
        "Your time zone, or the nearest large city, for reminders?",
        default=usual or LATER,
        check=_zone_told,
    )


def _zone_told(text: str) -> str:
    return "" if text == LATER else the_zone(text)


def usual_name() -> str:
    """What the owner may be called, for all that is known of them."""
    return usable_name((login_name() or "owner").replace("_", " ").replace(".", " ").title())


def _is_code_needed(setting: Setting, channels: Sequence[str]) -> bool:
    """Whether there is a channel on which the only owner is not known yet."""
    owners = setting.present.owners
    known = owners.owner.channels if owners.owner is not None else frozenset()
    return len(owners.names) < 2 and any(channel not in known for channel in channels)


@dataclass(frozen=True, slots=True)
class ServiceDone:
    """What became of the service: `told` says so in a sentence, or more of them."""

    is_installed: bool
    told: str


def ask_service(setting: Setting) -> bool:
    """Whether it is to be installed."""
    if sys.platform != "linux":
        return False
    service = _of_this_user()
    if service.written() is not None or not service.state().has_manager:
        return False
    setting.dialogue.heading("The service")
    setting.dialogue.say("systemd can start gaia with the machine, and restart it if it fails.")
    return setting.dialogue.confirm("Install it as your user's service?", default=True)


def install_service(home: Home, *, starts: bool) -> ServiceDone:
    """Install it. `starts` is whether it runs at once.

    Raises:
        ServiceError: It cannot be installed.
    """
    from gaia.errors import ServiceError
    from gaia.ops.service.unit import user_unit
    from gaia.settings.load import load_settings

    if sys.platform != "linux":
        raise ServiceError("a gaia service needs systemd, which this system does not have")
    unit = user_unit(home, load_settings(home).settings)
    return _told(_of_this_user().install(unit, force=False, starts=starts))


def _of_this_user() -> Service:
    from gaia.ops.service.installer import service_of
    from gaia.ops.service.unit import Scope

    return service_of(Scope.USER, os.environ)


def _told(steps: Steps) -> ServiceDone:
    by_hand = f" Left for you to run: {'; '.join(steps.by_hand)}." if steps.by_hand else ""
    done = "gaia is a service" if steps.has_manager else "systemd does not answer here; the unit is"
    return ServiceDone(steps.has_manager, f"{done}: {steps.path}.{by_hand}")
