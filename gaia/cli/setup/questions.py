"""The order of the steps, and what all of them come to."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from gaia.cli.setup import model_step, owner_step, service_step, telegram_step, whatsapp_step
from gaia.cli.setup.owner_step import Ownership
from gaia.cli.setup.steps import Setting
from gaia.cli.setup.telegram_step import Bot
from gaia.ops.setup.answers import Answers, ModelAnswer, WhatsAppAnswer
from gaia.ops.setup.present import lacks_weights
from gaia.settings.providers import DEFAULT_NAMES, ResolvedModel
from gaia.settings.secrets import VARIABLES
from gaia.weights.catalogue import find_model


@dataclass(frozen=True, slots=True)
class Wishes:
    """All that the owner wants. Nothing of it is done yet."""

    answers: Answers
    model: ResolvedModel | None
    bot: Bot
    channels: tuple[str, ...]
    """Those that will be served beside the terminal."""
    ownership: Ownership
    pulls: bool
    installs_service: bool
    notes: tuple[str, ...] = field(default=())


def gather(setting: Setting) -> Wishes:
    """Ask, step by step, what no flag answers; ask nothing if the flags say yes to all."""
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
    own = owner_step.of_flags if flags.name or not asks else owner_step.ask
    ownership = own(setting, channels, are_new=are_new)
    kept = _kept(setting, resolved, channels, asks=asks, changes=bool(model or are_new))
    installs = flags.service
    if installs is None:
        installs = service_step.ask(setting) if asks else False
    return Wishes(
        Answers(model, bot.answer, whatsapp, kept),
        resolved,
        bot,
        channels,
        ownership,
        pulls,
        installs,
        tuple(setting.notes),
    )


def _resolved(answer: ModelAnswer) -> ResolvedModel:
    name = answer.name or DEFAULT_NAMES[answer.provider]
    return ResolvedModel(answer.provider, name, answer.base_url)


def _pulls(setting: Setting, model: ResolvedModel | None, *, asks: bool) -> bool:
    if model is None or not lacks_weights(setting.present.home, model):
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
        setting.notes.append(
            f"{name} is one thing in this shell and another in .env, which counts for a service"
        )
    unkept = {name: value for name, value in present.unkept.items() if name in needed}
    if not unkept:
        return {}
    keeps = flags.save_keys
    if keeps is None and asks:
        names = " and ".join(unkept)
        are = "are" if len(unkept) > 1 else "is"
        setting.dialogue.heading("Keys")
        setting.dialogue.say(f"{names} {are} set in this shell alone; a service has none of it.")
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
