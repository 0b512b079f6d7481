"""DigestCommitter: what was read becomes memory, in one transaction, and then the session goes.

Each step may be repeated after a crash. Nothing goes that is not committed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Protocol

from sqlalchemy.orm import Session

from gaia.core.delivery import Delivery
from gaia.core.slash import Reply
from gaia.core.turn_end import session_key
from gaia.digest import extractive, outcome, write
from gaia.digest.corrections import corrected
from gaia.digest.write import Committed
from gaia.errors import GaiaError
from gaia.memory.extraction import Checked
from gaia.ports import Channel, Clock
from gaia.store import archive, conversations, digests, forgets, outbox, sessions
from gaia.store.archive import ArchivedTurn
from gaia.store.conversations import Conversation
from gaia.store.digest_tables import DigestReason, DigestState
from gaia.store.digests import Digest
from gaia.store.engine import Database
from gaia.store.people import identities
from gaia.zones import zone_of

logger = logging.getLogger(__name__)

UNREAD = (DigestState.SEALED, DigestState.EXTRACTED)

SOON = timedelta(hours=1)
"""How long after a new beginning somebody is told that it does not work yet. Later they are
told only what comes of it."""


class Announcements(Protocol):
    """The words for what came of a conversation."""

    def learned(self, committed: Committed) -> Reply:
        """What was learned from it, if anything."""
        ...

    def unread(self, zone: tzinfo) -> Reply:
        """It could not be read yet. `zone` is that of whoever is told."""
        ...


class DigestCommitter:
    """Brings digests to their end. `learned` is called after a commit, with the user."""

    def __init__(
        self,
        *,
        database: Database,
        channels: Mapping[str, Channel],
        delivery: Delivery,
        announcements: Announcements,
        learned: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._database = database
        self._channels = channels
        self._delivery = delivery
        self._announcements = announcements
        self._learned = learned
        self._clock = clock

    async def commit(self, digest: Digest) -> None:
        """Write what was read in all windows of a digest; have it read again when that
        is not the whole session."""
        now = self._clock.now()
        done = await self._database.write(self._commit, digest, now)
        if done is None:
            return
        present, committed = done
        logger.info(
            "digest %d is committed: %d learned, %d changed, %d pending, %d left out",
            digest.digest_id,
            len(committed.learned),
            len(committed.replaced),
            committed.pending,
            committed.left_out,
        )
        self._learned(present.user_id)
        self._delivery.wake(present.conversation_id)

    def _commit(
        self, session: Session, digest: Digest, now: datetime
    ) -> tuple[Digest, Committed] | None:
        present = digests.get(session, digest.digest_id)
        if present is None or present.state is not DigestState.EXTRACTED:
            return None
        sealed = outcome.load(session, present)
        if sealed is None or sealed.rest:
            digests.read_again(session, digest.digest_id)
            return None
        read = corrected(session, present.user_id, sealed.read)
        committed = write.commit(session, present, read, now)
        digests.committed(
            session,
            digest.digest_id,
            learned=len(committed.learned),
            changed=len(committed.replaced),
            now=now,
        )
        if present.reason is DigestReason.RESET:
            self._announce(session, present, self._announcements.learned(committed))
        return present, committed

    async def give_up(self, digest: Digest, error: str, *, is_told: bool = True) -> None:
        """Say that a digest failed for good, and hold what can be told of its session
        without a model, if it `is_told`. The session stays, to be read. Nothing is done
        while its user has something forgotten, or when they had it since: it is for the
        next failure to say so."""
        mark = await self._database.read(forgets.mark, digest.user_id)
        found = await self._told_without_model(digest) if is_told else None
        now = self._clock.now()
        present = await self._database.write(self._fail, digest, mark, found, now, error)
        if present is None:
            return
        logger.error("digest %d failed: %s", digest.digest_id, error)
        self._learned(present.user_id)
        self._delivery.wake(present.conversation_id)

    def _fail(
        self,
        session: Session,
        digest: Digest,
        mark: int | None,
        found: Checked | None,
        now: datetime,
        error: str,
    ) -> Digest | None:
        present = digests.get(session, digest.digest_id)
        if present is None or present.state not in UNREAD:
            return None
        if mark is None or mark != forgets.mark(session, present.user_id):
            return None
        if found is not None:
            write.commit(session, present, [found], now, is_fallback=True)
        digests.failed(session, digest.digest_id, error=error)
        if present.reason is DigestReason.RESET and now - present.created_at < SOON:
            zone = zone_of(identities.find(session, present.user_id).zone)
            self._announce(session, present, self._announcements.unread(zone))
        return present

    async def clear(self, digest: Digest) -> None:
        """Delete the session of a digest that is committed. What was said before there
        was an archive stays: nothing has read it."""
        await self._database.write(_clear, digest)

    async def _told_without_model(self, digest: Digest) -> Checked:
        conversation, turns = await self._database.read(_conversation_and_turns, digest)
        in_group = conversation is not None and not conversation.direct
        # It reads every word of the session.
        return await asyncio.to_thread(extractive.findings, turns, in_group=in_group)

    def _announce(self, session: Session, digest: Digest, reply: Reply) -> None:
        conversation = conversations.get(session, digest.conversation_id)
        channel = self._channels.get(conversation.channel) if conversation else None
        if channel is None:
            return
        outbox.add(
            session,
            conversation_id=digest.conversation_id,
            turn_id=None,
            chunks=channel.split(reply.text),
            now=self._clock.now(),
            buttons=reply.buttons,
        )


def _conversation_and_turns(
    session: Session, digest: Digest
) -> tuple[Conversation | None, Sequence[ArchivedTurn]]:
    conversation = conversations.get(session, digest.conversation_id)
    return conversation, archive.of_session(session, digest.session_id)


def _clear(session: Session, digest: Digest) -> None:
    conversation, turns = _conversation_and_turns(session, digest)
    if conversation is not None:
        present = session_key(conversation, conversation.generation).session_id
        if present == digest.session_id:
            raise GaiaError(f"digest {digest.digest_id} is of a session that is not sealed")
    said = sessions.turn_ids(session, digest.session_id)
    if said <= {turn.turn_id for turn in turns}:
        sessions.delete_session(session, digest.session_id)
    digests.cleared(session, digest.digest_id)
