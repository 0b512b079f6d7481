"""`gaia setup`: from nothing to a gaia that answers, by questions or by flags.

It is read for the help of all commands, so it imports nothing heavy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

INTERRUPTED = 130
OF_SECRETS = "a file, or - for standard input"
LONGEST_SECRET_BYTES = 4096
STANDARD_INPUT = "-"


def setup_command(
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: what no flag sets stays as it is.")
    ] = False,
    home: Annotated[str, typer.Option(help="The folder for everything gaia keeps.")] = "",
    model: Annotated[ProviderName | None, typer.Option(help="Whose model answers.")] = None,
    model_url: Annotated[
        str | None, typer.Option(help="Where it is asked: a host that speaks like OpenAI.")
    ] = None,
    model_name: Annotated[str | None, typer.Option(help="The model's name there.")] = None,
    model_key_file: Annotated[
        str | None, typer.Option(metavar="FILE", help=f"Its key: {OF_SECRETS}.")
    ] = None,
    pull: Annotated[
        bool | None, typer.Option("--pull/--no-pull", help="Fetch the embedded model.")
    ] = None,
    telegram: Annotated[
        bool | None, typer.Option("--telegram/--no-telegram", help="Serve a bot on Telegram.")
    ] = None,
    telegram_token_file: Annotated[
        str | None, typer.Option(metavar="FILE", help=f"Its token: {OF_SECRETS}.")
    ] = None,
    whatsapp: Annotated[
        bool | None, typer.Option("--whatsapp/--no-whatsapp", help="Serve a number on WhatsApp.")
    ] = None,
    whatsapp_number: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="That number, such as +14155238886.")
    ] = None,
    public_url: Annotated[
        str | None, typer.Option(metavar="URL", help="gaia's address on the internet.")
    ] = None,
    twilio_account: Annotated[
        str | None, typer.Option(metavar="SID", help="The Account SID at Twilio.")
    ] = None,
    twilio_token_file: Annotated[
        str | None, typer.Option(metavar="FILE", help=f"Its auth token: {OF_SECRETS}.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What gaia calls its owner.")] = None,
    timezone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="The owner's time zone, or their city.")
    ] = None,
    pair: Annotated[
        bool | None, typer.Option("--pair/--no-pair", help="Make a code for the owner.")
    ] = None,
    service: Annotated[
        bool | None, typer.Option("--service/--no-service", help="Install gaia as a service.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Test keys and tokens before saving them.")
    ] = True,
    save_keys: Annotated[
        bool | None,
        typer.Option("--save-keys/--no-save-keys", help="Keep keys of the environment in .env."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --yes: print JSON for a script to read.")
    ] = False,
) -> None:
    """Set gaia up, by questions or by flags. May be run again.

    Keys and tokens come from files, or from the environment under the names that they have
    in .env; never from the command line, where others could read them.
    """
    flags = Flags(
        yes=yes,
        model=model,
        model_url=model_url,
        model_name=model_name,
        model_key_file=model_key_file,
        telegram=telegram,
        telegram_token_file=telegram_token_file,
        whatsapp=whatsapp,
        whatsapp_number=whatsapp_number,
        public_url=public_url,
        twilio_account=twilio_account,
        twilio_token_file=twilio_token_file,
        name=name,
        timezone=timezone,
        pull=pull,
        pair=pair,
        service=service,
        check=check,
        save_keys=save_keys,
    )
    _check_usage(flags, as_json=as_json)

    from gaia.cli.setup.wizard import run

    run(flags, home, as_json=as_json)


def _check_usage(flags: Flags, *, as_json: bool) -> None:
    import sys

    if as_json and not flags.yes:
        raise typer.BadParameter("goes with --yes: questions are for people", param_hint="--json")
    if not flags.yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise typer.BadParameter(
            "there is no terminal to ask questions on: answer by flags, such as --yes --model "
            "gemini --telegram --name Ada; 'gaia setup --help' has all of them",
            param_hint="--yes",
        )
    if flags.secret_files.count(STANDARD_INPUT) > 1:
        raise typer.BadParameter("standard input holds one secret: name files for the others")
    if flags.secret_files.count(STANDARD_INPUT) and not flags.yes:
        raise typer.BadParameter("standard input is where you answer: add --yes, or name a file")


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
    timezone: str | None = None
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

    from gaia.paths import expanded

    try:
        if file == STANDARD_INPUT:
            text = sys.stdin.read(LONGEST_SECRET_BYTES)
        else:
            with expanded(file).open(encoding="utf-8") as stream:
                text = stream.read(LONGEST_SECRET_BYTES)
    except (OSError, UnicodeDecodeError) as exc:
        cause = (exc.strerror or "unreadable") if isinstance(exc, OSError) else "it is not text"
        raise typer.BadParameter(f"{file!r} cannot be read: {cause}", param_hint=option) from exc
    secret = text.strip()
    if not secret or len(secret.split()) > 1:
        raise typer.BadParameter(f"{file!r} does not hold one secret", param_hint=option)
    return secret
