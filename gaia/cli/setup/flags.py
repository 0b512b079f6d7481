"""The answers that came as flags. Nothing heavy is imported here: each command reads it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

LONGEST_SECRET_BYTES = 4096
STANDARD_INPUT = "-"


class ProviderName(StrEnum):
    """The providers of `gaia.settings.providers`, without what that imports."""

    GEMINI = "gemini"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class Flags:
    """What was answered on the command line; None where nothing was. Files hold secrets."""

    yes: bool = False
    model: ProviderName | None = None
    model_url: str | None = None
    model_name: str | None = None
    model_key_file: str | None = None
    telegram: bool | None = None
    telegram_token_file: str | None = None
    whatsapp: bool | None = None
    whatsapp_number: str | None = None
    public_url: str | None = None
    twilio_account: str | None = None
    twilio_token_file: str | None = None
    name: str | None = None
    pull: bool | None = None
    pair: bool | None = None
    service: bool | None = None
    check: bool = True
    save_keys: bool | None = None

    @property
    def answers_model(self) -> bool:
        """Whether one of them is about the model."""
        return any((self.model, self.model_url, self.model_name, self.model_key_file))

    @property
    def answers_telegram(self) -> bool:
        """Whether one of them is about Telegram."""
        return self.telegram is not None or self.telegram_token_file is not None

    @property
    def answers_whatsapp(self) -> bool:
        """Whether one of them is about WhatsApp."""
        told = (self.whatsapp_number, self.public_url, self.twilio_account, self.twilio_token_file)
        return self.whatsapp is not None or any(each is not None for each in told)

    @property
    def secret_files(self) -> tuple[str, ...]:
        """The files that secrets are read from."""
        files = (self.model_key_file, self.telegram_token_file, self.twilio_token_file)
        return tuple(file for file in files if file is not None)


def read_secret(file: str, option: str) -> str:
    """The one line of a file, or of standard input.

    Raises:
        typer.BadParameter: It cannot be read, or is no single line. Nothing of it is told.
    """
    import sys

    import typer

    try:
        if file == STANDARD_INPUT:
            text = sys.stdin.read(LONGEST_SECRET_BYTES)
        else:
            with Path(file).expanduser().open(encoding="utf-8") as stream:
                text = stream.read(LONGEST_SECRET_BYTES)
    except (OSError, UnicodeDecodeError) as exc:
        cause = (exc.strerror or "unreadable") if isinstance(exc, OSError) else "it is not text"
        raise typer.BadParameter(f"{file!r} cannot be read: {cause}", param_hint=option) from exc
    secret = text.strip()
    if not secret or len(secret.split()) > 1:
        raise typer.BadParameter(f"{file!r} does not hold one secret", param_hint=option)
    return secret
