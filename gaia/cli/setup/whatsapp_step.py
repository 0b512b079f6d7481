"""The number on WhatsApp, through Twilio."""

from __future__ import annotations

import typer
from pydantic import SecretStr

from channels.credentials import TwilioCredentials, twilio_credentials
from gaia.cli.setup import read_secret
from gaia.cli.setup.steps import Setting, well_formed
from gaia.errors import SettingsError
from gaia.ops.setup.answers import WhatsAppAnswer
from gaia.settings.keys import describe_allowed
from gaia.settings.schema import Secrets, WhatsAppSettings

ACCOUNT, TOKEN = "GAIA_TWILIO_ACCOUNT_SID", "GAIA_TWILIO_AUTH_TOKEN"
HOOK = "/hooks/whatsapp"
TWILIO = "an Account SID and an auth token"


def ask(setting: Setting) -> WhatsAppAnswer | None:
    """The owner's choice; None if all is to stay."""
    dialogue, loaded = setting.dialogue, setting.present.loaded
    settings = loaded.settings.channels.whatsapp
    dialogue.heading("WhatsApp")
    if settings.enabled:
        dialogue.say(f"It is on, as {settings.number}, behind {settings.public_url}.")
        if not dialogue.confirm("Change it?", default=False):
            return None
    else:
        dialogue.say(
            "A number at Twilio, which forwards messages. You need an account there, and a public "
            "address that leads to gaia, such as a tunnel's."
        )
    if not dialogue.confirm("Talk to gaia on WhatsApp?", default=settings.enabled):
        return WhatsAppAnswer(enabled=False) if settings.enabled else None
    credentials = _ask_account(setting)
    if credentials is None:
        return None
    # Twilio's client, which it stands beside, is loaded by now.
    from channels.whatsapp.doctor import SANDBOX

    number = dialogue.ask(
        "The number (Enter: that of Twilio's sandbox)" if not settings.number else "The number",
        default=settings.number or SANDBOX,
        check=checked_number,
    )
    public_url = dialogue.ask(
        "The address on the internet, without /hooks",
        default=settings.public_url,
        check=checked_address,
    )
    account_sid, auth_token = credentials
    return WhatsAppAnswer(True, number, public_url, account_sid, auth_token)


def of_flags(setting: Setting) -> WhatsAppAnswer:
    """The choice that the flags make.

    Raises:
        SettingsError: Something does not look as it should.
        ProviderRefusedError: Twilio refuses the account.
    """
    flags, loaded = setting.flags, setting.present.loaded
    if flags.whatsapp is False:
        return WhatsAppAnswer(enabled=False)
    account = SecretStr(flags.twilio_account) if flags.twilio_account else None
    token = None
    if flags.twilio_token_file is not None:
        token = SecretStr(read_secret(flags.twilio_token_file, "--twilio-token-file"))
    settings = loaded.settings.channels.whatsapp
    wanted = flags.whatsapp_number or settings.number
    number = checked_number(_given(wanted, "number on WhatsApp", "--whatsapp-number"))
    wanted = flags.public_url or settings.public_url
    public_url = checked_address(_given(wanted, "public address", "--public-url"))
    held_account = account or loaded.secrets.twilio_account_sid
    held_token = token or loaded.secrets.twilio_auth_token
    for held, option, variable in (
        (held_account, "--twilio-account", ACCOUNT),
        (held_token, "--twilio-token-file", TOKEN),
    ):
        if held is None:
            raise typer.BadParameter(
                f"it is missing: give it, or set {variable}", param_hint=option
            )
    given = Secrets(twilio_account_sid=held_account, twilio_auth_token=held_token)
    setting.accept(setting.probe.account(settings, well_formed(twilio_credentials, given, TWILIO)))
    return WhatsAppAnswer(True, number, public_url, account, token)


def _given(text: str, what: str, option: str) -> str:
    if not text:
        raise typer.BadParameter(f"there is no {what} yet: give one", param_hint=option)
    return text


def checked_number(text: str) -> str:
    """A number on WhatsApp. Blanks and hyphens in it are left out.

    Raises:
        SettingsError: It is none.
    """
    number = "".join(text.split()).replace("-", "")
    return _checked("number", number, text)


def checked_address(text: str) -> str:
    """The public address of gaia's web server.

    Raises:
        SettingsError: It is none.
    """
    return _checked("public_url", text.rstrip("/").removesuffix(HOOK), text)


def _ask_account(setting: Setting) -> tuple[SecretStr | None, SecretStr | None] | None:
    """Account SID and auth token, as far as they are others than there are; None to go on
    without WhatsApp."""
    dialogue, loaded = setting.dialogue, setting.present.loaded
    settings = loaded.settings.channels.whatsapp
    known = loaded.secrets
    if known.twilio_account_sid is not None and known.twilio_auth_token is not None:
        dialogue.say("Account SID and auth token are set.")
        if setting.is_taken(setting.probe.account(settings, twilio_credentials(known))):
            return None, None
    dialogue.say("Both are on the first page of console.twilio.com.")
    while True:
        account = dialogue.ask("Account SID, which begins with AC (Enter leaves WhatsApp out)")
        if not account:
            return None
        token = dialogue.ask_hidden("Auth token (it does not show)")
        given = Secrets(twilio_account_sid=SecretStr(account), twilio_auth_token=SecretStr(token))
        try:
            credentials: TwilioCredentials = well_formed(twilio_credentials, given, TWILIO)
        except SettingsError as exc:
            dialogue.refuse(str(exc))
            continue
        if setting.is_taken(setting.probe.account(settings, credentials)):
            return given.twilio_account_sid, given.twilio_auth_token


def _checked(name: str, value: str, given: str) -> str:
    try:
        if not value:
            raise ValueError(name)
        WhatsAppSettings.model_validate({name: value})
    except ValueError as exc:
        allowed = describe_allowed(("channels", "whatsapp", name)).removeprefix("empty, or ")
        what = {"number": "number on WhatsApp", "public_url": "public address"}[name]
        raise SettingsError(f"{given!r} is no {what}: allowed is {allowed}") from exc
    return value
