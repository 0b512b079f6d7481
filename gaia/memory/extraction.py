"""What is found in a window of a conversation: first as the model tells it, then checked.

A `Finding` is what a model claims, a `Proposal` what the user said and is to be kept.
Both are values; proposals are kept as JSON until their digest is committed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import NamedTuple, Protocol

from gaia.store.archive import ArchivedTurn
from gaia.store.memory_tables import MemoryKind
from gaia.store.usage import Tariff, Usage


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a sealed session that goes to the model in one call.

    `number` counts from 1 to `of`. `so_far` is the summary of the windows before,
    empty in the first one, `before` the last of their turns. `user_name` is the person's, or
    the group's, and `zone` their time zone.
    """

    number: int
    of: int
    turns: Sequence[ArchivedTurn]
    so_far: str
    user_name: str
    in_group: bool
    zone: tzinfo = UTC
    before: ArchivedTurn | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What an operation is about: a memory of the ledger, or, where `memory_id` is None,
    the proposal `position` (from 0) of an earlier window of the same digest."""

    memory_id: int | None
    window: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """Something known already, shown to the model under a small `number`, from 1."""

    number: int
    target: Target
    kind: MemoryKind
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a model claims to have found; it may be wrong in everything.

    `quote` are to be the user's own words, `text` tells what they say. `target` is the
    number of the `Offer` that holds no longer because of it. `when` are the words of the
    quote that name a time. `is_stated` says that the user said it outright, rather than
    let it be gathered.
    """

    kind: MemoryKind
    text: str
    quote: str
    target: int | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    sensitive: bool = False
    when: str = ""
    is_stated: bool = True


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a model makes of a window: the summary of all up to here, and findings. `lost`
    counts those that could not be read."""

    summary: str
    findings: Sequence[Finding]
    lost: int = 0


class Change(StrEnum):
    """Whether a sentence takes the place of what is known: as was verified, or only where it
    denies that word for word, since somebody may err who takes it for a change."""

    REPLACES = "replaces"
    IF_COVERED = "if_covered"


@dataclass(frozen=True, slots=True)
class Relation:
    """Two people or things, and what one is to the other; each may be missing."""

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A sentence of the user's that is to be kept, and where it stands.

    `quote` is the whole sentence, as they wrote it in the turn `turn_id`, `text` the same
    with who said it, in a group, and with the dates that it names. `label` is a model's
    wording of it that was verified: it is only searched. `verdict` is what came of
    verifying it, empty if nobody did. One that `names_time` may hold for as long as that
    alone. One that is `pending` waits for its user's yes.
    """

    kind: MemoryKind
    text: str
    quote: str
    turn_id: str
    archive_id: int
    said_at: datetime
    label: str = ""
    verdict: str = ""
    changes: Sequence[tuple[Target, Change]] = ()
    relations: Sequence[Relation] = ()
    sensitive: bool = False
    due_at: datetime | None = None
    recurrence: str | None = None
    zone: str | None = None
    expires_at: datetime | None = None
    is_past: bool = False
    names_time: bool = False
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """The part of an extraction that is to be written, and why the rest is not: reasons and how
    often, without a word of it."""

    summary: str
    proposals: Sequence[Proposal]
    refused: Mapping[str, int]


class Extracted(NamedTuple):
    """An extraction, and what it cost."""

    extraction: Extraction
    usage: Usage


class Extractor(Protocol):
    """Finds in a window what to keep of it."""

    @property
    def asks_model(self) -> bool:
        """Whether it asks the model: a call that is counted, and waited for."""
        ...

    @property
    def window_tokens(self) -> int:
        """About how many tokens of a conversation it reads at once."""
        ...

    async def extract(self, window: Window, offers: Sequence[Offer]) -> Extracted:
        """What is in the window.

        Raises:
            ModelError: The model gave no answer.
            UnusableExtractionError: It gave one that is not what was asked for.
        """
        ...


class Answer(NamedTuple):
    """What a model answered, and what it cost."""

    text: str
    usage: Usage


class AskModel(Protocol):
    """Asks a model for one answer in JSON, apart from any conversation."""

    @property
    def name(self) -> str:
        """The model's name, as usage is counted by."""
        ...

    @property
    def is_small(self) -> bool:
        """Whether it runs on this machine: short prompts and simple shapes."""
        ...

    @property
    def most_tokens(self) -> float | None:
        """About how long a request may be, once its host has refused a longer one."""
        ...

    @property
    def tariff(self) -> Tariff:
        """Who knows what its tokens cost."""
        ...

    async def __call__(
        self, instructions: str, text: str, shape: Mapping[str, object], *, purpose: str
    ) -> Answer:
        """The answer to `text`, which is to have the JSON schema `shape`; whether it has
        is for the caller to see.

        Raises:
            ModelError: The model gave no answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads conversations and writes profiles: the model that is asked, and who asks it."""

    ask: AskModel
    extractor: Extractor
