"""Proposals of a digest, and digests that wait to be written, for tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count

from gaia.digest import write
from gaia.digest.write import Committed
from gaia.memory.extraction import Change, Checked, Proposal, Target
from gaia.store import digests
from gaia.store.digest_tables import ArchivedTurnRow, DigestRow, DigestState
from gaia.store.digests import Digest
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind
from gaia.store.tables import ConversationRow
from gaia.testing.clock import START

SAID = START + timedelta(hours=1)
READ = START + timedelta(hours=2)


def proposal(text: str, *, minute: int = 0, **fields: object) -> Proposal:
    """Something that was said in the given minute after `SAID`, by the same words."""
    made = Proposal(
        kind=MemoryKind.FACT,
        text=text,
        quote=text,
        turn_id=f"turn-{minute}",
        archive_id=minute + 1,
        said_at=SAID + timedelta(minutes=minute),
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def instead_of(memory_id: int, text: str, *, minute: int = 0, **fields: object) -> Proposal:
    """Something that takes the place of a memory."""
    changes = {"changes": [(Target(memory_id), Change.REPLACES)]}
    return proposal(text, minute=minute, **(changes | fields))


def window(*proposals: Proposal, summary: str = "") -> Checked:
    """What was found in a window."""
    return Checked(summary, proposals, {})


class Digests:
    """Digests of one user as tests write them, each of a session of its own."""

    def __init__(self, database: Database, user_id: str) -> None:
        self.database = database
        self.user_id = user_id
        self._chats = count(1)

    async def sealed(self, *, ended_at: datetime = SAID) -> Digest:
        """A digest that waits, of a session whose last turn was said at `ended_at`."""
        with self.database.writing() as session:
            conversation = ConversationRow(
                user_id=self.user_id,
                channel="terminal",
                chat=f"chat-{next(self._chats)}",
                first_chat="x",
                direct=True,
                created_at=START,
                last_message_at=ended_at,
            )
            session.add(conversation)
            session.flush()
            number = conversation.conversation_id
            row = DigestRow(
                session_id=f"session-{number}",
                user_id=self.user_id,
                conversation_id=number,
                generation=1,
                reason="idle",
                state=DigestState.EXTRACTED,
                created_at=ended_at,
            )
            session.add(row)
            session.add(
                ArchivedTurnRow(
                    turn_id=f"last-{number}",
                    user_id=self.user_id,
                    conversation_id=number,
                    session_id=row.session_id,
                    asked="",
                    words="",
                    answer="",
                    said_at=ended_at,
                    length=0,
                )
            )
            session.flush()
            sealed = digests.get(session, row.digest_id)
            assert sealed is not None
            return sealed

    async def commit(
        self, digest: Digest, *windows: Checked, now: datetime = READ, is_fallback: bool = False
    ) -> Committed:
        """Write a digest, and mark it as written."""
        with self.database.writing() as session:
            done = write.commit(session, digest, windows, now, is_fallback=is_fallback)
            row = session.get_one(DigestRow, digest.digest_id, populate_existing=True)
            row.state, row.committed_at = DigestState.COMMITTED, now
            return done

    async def digested(self, *proposals: Proposal, summary: str = "") -> Committed:
        """A session that was read in one window, and written."""
        return await self.commit(await self.sealed(), window(*proposals, summary=summary))
