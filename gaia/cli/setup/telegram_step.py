"""The bot on Telegram."""

from __future__ import annotations

from dataclasses import dataclass

import typer
from pydantic import SecretStr

from channels.credentials import telegram_token
from gaia.cli.setup import read_secret
from gaia.cli.setup.steps import Setting, well_formed
from gaia.ops.setup.answers import TelegramAnswer
from gaia.settings.schema import Secrets, TelegramSettings

VARIABLE = "GAIA_TELEGRAM_BOT_TOKEN"


@dataclass(frozen=True, slots=True)
class Bot:
    """What is to become of the bot. Without an `answer` all stays; `name` is its user name,
    where Telegram told it."""

    answer: TelegramAnswer | None
    name: str = ""

    @property
    def link(self) -> str:
        """Where it is found."""
        return f"https://t.me/{self.name}" if self.name else ""


def ask(setting: Setting) -> Bot:
    """The owner's choice."""
    dialogue, present = setting.dialogue, setting.present
    settings, token = present.loaded.settings.channels.telegram, present.loaded.secrets
    dialogue.heading("Telegram")
    known = token.telegram_bot_token
    if settings.enabled and known is not None:
        dialogue.say("It is on, and its token is set.")
        finding, name = setting.probe.bot(settings, known.get_secret_value())
        dialogue.told(finding)
        if not dialogue.confirm("Change it?", default=False):
            return Bot(None, name)
    else:
        dialogue.say(
            "A bot of your own. Write /newbot to @BotFather on Telegram and choose two names: it "
            "gives you a token, by which gaia is that bot. You need nothing else."
        )
    wanted = settings.enabled or present.is_first
    if not dialogue.confirm("Talk to gaia on Telegram?", default=wanted):
        return Bot(TelegramAnswer(enabled=False) if settings.enabled else None)
    if known is not None and not settings.enabled:
        finding, name = setting.probe.bot(settings, known.get_secret_value())
        if setting.is_taken(finding):
            _say_where(setting, name)
            return Bot(TelegramAnswer(enabled=True), name)
    return _ask_token(setting, settings)


def of_flags(setting: Setting) -> Bot:
    """The choice that the flags make.

    Raises:
        SettingsError: The token does not look like one.
        ProviderRefusedError: Telegram refuses the token.
    """
    flags, loaded = setting.flags, setting.present.loaded
    if flags.telegram is False:
        return Bot(TelegramAnswer(enabled=False))
    token = None
    if flags.telegram_token_file is not None:
        token = SecretStr(_checked(read_secret(flags.telegram_token_file, "--telegram-token-file")))
    held = token or loaded.secrets.telegram_bot_token
    if held is None:
        raise typer.BadParameter(
            f"its token is missing: name a file that has it, or set {VARIABLE}",
            param_hint="--telegram-token-file",
        )
    settings = loaded.settings.channels.telegram
    finding, name = setting.probe.bot(settings, _checked(held.get_secret_value()))
    setting.accept(finding)
    return Bot(TelegramAnswer(enabled=True, token=token), name)


def _ask_token(setting: Setting, settings: TelegramSettings) -> Bot:
    """Ask until Telegram takes it, or the owner goes on without."""
    is_on = settings.enabled
    leaves = "keeps what there is" if is_on else "leaves Telegram out"
    while True:
        token = setting.dialogue.ask_hidden(
            f"Its token (it does not show; Enter {leaves})", check=_checked
        )
        if not token:
            return Bot(None)
        finding, name = setting.probe.bot(settings, token)
        if setting.is_taken(finding):
            _say_where(setting, name)
            return Bot(TelegramAnswer(enabled=True, token=SecretStr(token)), name)


def _say_where(setting: Setting, name: str) -> None:
    if name:
        setting.dialogue.say(f"It is at https://t.me/{name}")


def _checked(token: str) -> str:
    return well_formed(telegram_token, Secrets(telegram_bot_token=SecretStr(token)), "a bot token")
