"""What a digest found, as the statements that the ledger keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from gaia.digest.check import THE_USER
from gaia.memory import credentials, forgotten, text
from gaia.memory.extraction import Proposal, Relation
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.memory.memory import Statement
from gaia.memory.people import entities
from gaia.memory.people.kinship import KIN
from gaia.store.digest_tables import ArchivedTurnRow
from gaia.store.digests import Digest
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.tables import UserRow

EPISODE_LASTS = timedelta(days=90)
"""How long after it a conversation is known of by its episode."""


@dataclass(frozen=True, slots=True)
class Authorship:
    """What all statements of a digest have in common. `ended_at` is when the last turn of its
    session was said, `names` are the terms that mean the user."""

    digest: Digest
    ended_at: datetime | None
    names: frozenset[str]

    @classmethod
    def of(cls, session: Session, digest: Digest) -> Authorship:
        """Those of a digest."""
        ended_at = session.scalar(
            select(func.max(ArchivedTurnRow.said_at)).where(
                ArchivedTurnRow.user_id == digest.user_id,
                ArchivedTurnRow.session_id == digest.session_id,
            )
        )
        name = session.scalar(
            select(UserRow.name).where(
                UserRow.user_id == digest.user_id, UserRow.is_group.is_(False)
            )
        )
        names = text.content_terms(f"{THE_USER} {name or ''}")
        return cls(digest, ended_at, names)

    def statement(self, session: Session, proposal: Proposal) -> Statement:
        """A proposal as the ledger keeps it."""
        bare = text.without(proposal.text, self.names)
        first = next(iter(proposal.relations), Relation())
        return Statement(
            text=proposal.text,
            source=MemorySource.DIGEST,
            kind=proposal.kind,
            quote=proposal.quote or None,
            label=proposal.label or None,
            verdict=proposal.verdict or None,
            subject=first.subject,
            predicate=first.predicate,
            object=first.object,
            context=self.digest.context,
            sensitive=proposal.sensitive,
            entities=tuple(dict.fromkeys(self._entities(session, proposal.relations))),
            relations=tuple(proposal.relations[1:]),
            said_at=proposal.said_at,
            valid_to=proposal.said_at if proposal.is_past else None,
            expires_at=proposal.expires_at,
            due_at=proposal.due_at,
            recurrence=proposal.recurrence,
            zone=proposal.zone,
            digest_id=self.digest.digest_id,
            session_id=self.digest.session_id,
            position=proposal.archive_id,
            turn_id=proposal.turn_id,
            said_again_at=proposal.said_at if forgotten.says(proposal.quote, bare) else None,
        )

    def _entities(self, session: Session, relations: Sequence[Relation]) -> Iterator[str]:
        """Whom and what these are about, but for the user."""
        people = {
            told
            for each in relations
            if not KIN.isdisjoint(text.bare_words(each.predicate or "").split())
            for told in (each.subject, each.object)
        }
        for relation in relations:
            for told in filter(None, (relation.subject, relation.object)):
                if _is_name(told) and not text.content_terms(told) <= self.names:
                    kind = "person:" if told in people and ":" not in told else ""
                    named = entities.entity(kind + told)
                    yield from filter(
                        None, [entities.known_as(session, self.digest.user_id, named)]
                    )


def episode_of(summary: str, author: Authorship, now: datetime) -> Statement | None:
    """What a conversation was about: its abstract in the first line, and the rest. Lines
    that tell a credential are left out; None when nothing is left."""
    lines = [line.strip() for line in summary.splitlines()]
    told = "\n".join(line for line in lines if line and credentials.find(line) is None)
    if not told:
        return None
    ended_at = author.ended_at or now
    return Statement(
        text=told[:LONGEST_MEMORY],
        source=MemorySource.DIGEST,
        kind=MemoryKind.EPISODE,
        context=author.digest.context,
        said_at=ended_at,
        expires_at=ended_at + EPISODE_LASTS,
        digest_id=author.digest.digest_id,
        session_id=author.digest.session_id,
    )


def _is_name(told: str) -> bool:
    """Whether this reads like a name, and not like a description."""
    first = told.strip()[:1]
    return ":" in told or not (first.islower() or first.isdigit())
