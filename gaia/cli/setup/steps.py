"""What all steps of the wizard share: what there is, what came as flags, and whom to ask.

Each step has two ways to its answer: `ask`, by questions, and `of_flags`, without any.
None writes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from gaia.cli.setup.dialogue import Dialogue
from gaia.cli.setup.flags import Flags
from gaia.cli.setup.trying import Trying, is_refusal
from gaia.errors import ProviderRefusedError, SettingsError
from gaia.findings import Finding, Outcome
from gaia.ops.setup.present import Present
from gaia.settings.schema import Secrets

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting:
    """One run of `gaia setup`."""

    present: Present
    flags: Flags
    trying: Trying
    dialogue: Dialogue
    notes: list[str] = field(default_factory=list)
    """What the owner should know at the end."""

    def is_taken(self, finding: Finding) -> bool:
        """Tell a finding; whether what it is about can be gone on with. Where nobody can
        tell, the owner says."""
        self.dialogue.told(finding)
        if finding.outcome is Outcome.WARNING:
            return self.dialogue.confirm("Go on with it all the same?", default=True)
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
        raise SettingsError("that holds a space or a character that no key has: copy it anew")
    return text


def well_formed(read: Callable[[Secrets], T], secrets: Secrets) -> T:
    """What one of `channels.credentials` reads out of secrets that were just given.

    Raises:
        SettingsError: They do not look like it.
    """
    try:
        return read(secrets)
    except SettingsError as exc:
        remedies = [mistake.remedy for mistake in exc.mistakes]
        raise SettingsError(f"that does not look like it. {'; '.join(remedies)}") from exc
