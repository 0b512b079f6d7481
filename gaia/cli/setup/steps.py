"""What all steps of the wizard share: what there is, what came as flags, and whom to ask.

Each step has two ways to its answer: `ask`, by questions, and `of_flags`, without any.
None writes anything.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from channels.credentials import TwilioCredentials
from gaia.cli.console import WaitingLine
from gaia.cli.setup import Flags
from gaia.cli.setup.dialogue import Dialogue
from gaia.errors import ProviderRefusedError, SettingsError
from gaia.findings import Finding, Outcome, skipped
from gaia.logs import Redaction
from gaia.ops.doctor.model_host import Host, look_at_host
from gaia.ops.setup.present import Present
from gaia.ports import Clock
from gaia.settings.providers import ResolvedModel
from gaia.settings.schema import ModelSettings, Secrets, TelegramSettings, WhatsAppSettings

T = TypeVar("T")

LOCAL_HOSTS = ("http://127.0.0.1:11434/v1", "http://127.0.0.1:8080/v1")
"""Where Ollama and llama.cpp serve their models, unless they are told otherwise."""

LOCAL_SECONDS = 2.0
NOT_TRIED = skipped("not tried")


class ProviderProbe:
    """Asks each provider, or nobody if it is not `wanted`. A finding is a failure if a
    provider refuses what it was given, and a warning if nobody can tell."""

    def __init__(
        self,
        clock: Clock,
        line: WaitingLine,
        *,
        wanted: bool,
        local_hosts: Sequence[str] = LOCAL_HOSTS,
    ) -> None:
        self._clock = clock
        self._line = line
        self._wanted = wanted
        self._local_hosts = local_hosts

    def model(self, resolved: ResolvedModel, settings: ModelSettings) -> Host:
        """The host of a remote model."""
        if not self._wanted:
            return Host(NOT_TRIED)
        asking = look_at_host(resolved, settings.api_version, self._clock)
        host = self._run("the model's host", asking)
        secrets = [resolved.api_key.get_secret_value()] if resolved.api_key else []
        return Host(_redacted(host.finding, *secrets), host.names)

    def local_hosts(self) -> Sequence[str]:
        """Which of the usual addresses on this machine serve models."""
        found = []
        for url in self._local_hosts:
            asked = ResolvedModel("openai", "", url)
            asking = look_at_host(asked, "", self._clock, seconds=LOCAL_SECONDS)
            if self._run(url, asking).names:
                found.append(url)
        return found

    def bot(self, settings: TelegramSettings, token: str) -> tuple[Finding, str]:
        """A bot's token; with the bot's user name, if Telegram told it."""
        if not self._wanted:
            return NOT_TRIED, ""
        from channels.telegram.doctor import try_bot

        finding, name = self._run("the token at Telegram", try_bot(settings, token))
        return _redacted(finding, token), name

    def account(self, settings: WhatsAppSettings, credentials: TwilioCredentials) -> Finding:
        """An account at Twilio, and its token."""
        if not self._wanted:
            return NOT_TRIED
        from channels.whatsapp.doctor import try_account

        finding = self._run("the account at Twilio", try_account(settings, credentials))
        return _redacted(finding, credentials.account_sid, credentials.auth_token)

    def _run(self, what: str, asking: Coroutine[Any, Any, T]) -> T:
        self._line.say(what)
        try:
            with _nothing_logged():
                return asyncio.run(asking)
        finally:
            self._line.clear()


@dataclass(frozen=True, slots=True)
class Setting:
    """One run of `gaia setup`."""

    present: Present
    flags: Flags
    probe: ProviderProbe
    dialogue: Dialogue
    notes: list[str] = field(default_factory=list)
    """What the owner should know at the end."""

    def is_taken(self, finding: Finding) -> bool:
        """Tell a finding; whether what it is about can be gone on with. Where nobody can
        tell, the owner says."""
        self.dialogue.told(finding)
        if finding.outcome is Outcome.WARNING:
            return self.dialogue.confirm("Use it anyway?", default=True)
        return not is_refusal(finding)

    def accept(self, finding: Finding) -> None:
        """Take a finding without asking: what nobody can tell is noted.

        Raises:
            ProviderRefusedError: The provider refuses what it was given.
        """
        if is_refusal(finding):
            remedy = finding.remedy[:1].lower() + finding.remedy[1:].rstrip(".")
            raise ProviderRefusedError(f"{finding.detail}: {remedy}")
        if finding.outcome is Outcome.WARNING:
            self.notes.append(f"{finding.detail}. {finding.remedy}".strip())


def checked_secret(text: str) -> str:
    """A key, if it can be one.

    Raises:
        SettingsError: No key looks like that. Nothing of it is told.
    """
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise SettingsError("that has a space or a character that no key has: copy it again")
    return text


def well_formed(read: Callable[[Secrets], T], secrets: Secrets, what: str) -> T:
    """Return what one of `channels.credentials` reads out of secrets that were just given;
    `what` is what they should be.

    Raises:
        SettingsError: They do not look like that.
    """
    try:
        return read(secrets)
    except SettingsError as exc:
        remedies = [mistake.remedy for mistake in exc.mistakes]
        raise SettingsError(f"that does not look like {what}. {'; '.join(remedies)}") from exc


def is_refusal(finding: Finding) -> bool:
    """Whether the provider said no."""
    return finding.outcome is Outcome.FAILED


def _redacted(finding: Finding, *secrets: str) -> Finding:
    redact = Redaction(secrets)
    return Finding(finding.outcome, redact(finding.detail), redact(finding.remedy))


@contextmanager
def _nothing_logged() -> Iterator[None]:
    """What the clients would log goes nowhere: it may hold what was just typed."""
    silence, root = logging.NullHandler(), logging.getLogger()
    root.addHandler(silence)
    try:
        yield
    finally:
        root.removeHandler(silence)
