"""Takes words out of the copies of gaia.db that were made before a migration.

A copy has the tables of its time, so each statement asks first whether they are there.
A copy that cannot be cleaned is removed: it must not outlive what was forgotten.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from gaia.store.redaction import FORGET_COMMAND, REPLACEMENT, Redaction

logger = logging.getLogger(__name__)

MESSAGES: Mapping[str, Mapping[str, str | None]] = {
    "inbox": {"text": REPLACEMENT, "notes": "[]", "attachments": "[]"},
    "outbox": {"text": REPLACEMENT, "buttons": "[]", "error": None},
}
"""The columns of each queue that hold words, and what they hold without them."""


def clean_copies(folder: Path, redaction: Redaction, user_ids: Collection[str]) -> None:
    """Clean all copies in the folder of what goes, of these users, who are one person.

    Blocks. Idempotent.
    """
    for copy in sorted([*folder.glob("*.db"), *folder.glob("*-at-*.partial")]):
        try:
            with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
                _Copy(connection, redaction, user_ids).clean()
        except sqlite3.Error as exc:
            logger.warning("%s cannot be cleaned (%s), and is removed", copy.name, exc)
            for file in folder.glob(f"{copy.name}*"):
                file.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Copy:
    connection: sqlite3.Connection
    redaction: Redaction
    user_ids: Collection[str]

    def clean(self) -> None:
        for pragma in ("journal_mode = DELETE", "secure_delete = ON", "foreign_keys = ON"):
            self.connection.execute(f"PRAGMA {pragma}")
        self.connection.execute("BEGIN IMMEDIATE")
        changed = self._clean_memories() + self._clean_archive() + self._drop_made()
        changed += self._clean_events() + self._drop_files()
        for table, columns in MESSAGES.items():
            changed += self._clean_messages(table, columns)
        self.connection.execute("COMMIT")
        if changed:
            self.connection.execute("VACUUM")

    def _clean_messages(self, table: str, columns: Mapping[str, str | None]) -> int:
        present = self._columns(table)
        if "conversation_id" not in present:
            return 0
        columns = {column: empty for column, empty in columns.items() if column in present}
        rows = self.connection.execute(
            f"SELECT rowid, turn_id, {', '.join(columns)} FROM {table} WHERE conversation_id IN "  # noqa: S608
            f"(SELECT conversation_id FROM conversations WHERE user_id IN ({self._marks}))",
            tuple(self.user_ids),
        ).fetchall()
        going = [
            (*columns.values(), rowid)
            for rowid, turn_id, *words in rows
            if words != list(columns.values()) and self._goes(turn_id, words)
        ]
        sets = ", ".join(f"{column} = ?" for column in columns)
        self.connection.executemany(f"UPDATE {table} SET {sets} WHERE rowid = ?", going)  # noqa: S608
        return len(going)

    def _clean_memories(self) -> int:
        """Delete whole rows; what is made of them goes along."""
        if not self._columns("memories"):
            return 0
        rows = self.connection.execute(
            f"SELECT memory_id, text, quote FROM memories WHERE user_id IN ({self._marks})",  # noqa: S608
            tuple(self.user_ids),
        ).fetchall()
        going = [(number,) for number, *words in rows if self._goes(None, words)]
        self.connection.executemany("DELETE FROM memories WHERE memory_id = ?", going)
        wishes = self.connection.execute(
            f"DELETE FROM forgets WHERE user_id IN ({self._marks})",  # noqa: S608
            tuple(self.user_ids),
        )
        return len(going) + wishes.rowcount

    def _clean_archive(self) -> int:
        """Delete whole turns, with their terms."""
        if not self._columns("archived_turns"):
            return 0
        rows = self.connection.execute(
            "SELECT archive_id, turn_id, asked, words, answer FROM archived_turns "  # noqa: S608
            f"WHERE user_id IN ({self._marks})",
            tuple(self.user_ids),
        ).fetchall()
        going = [(number,) for number, turn_id, *words in rows if self._goes(turn_id, words)]
        self.connection.executemany("DELETE FROM archived_turns WHERE archive_id = ?", going)
        return len(going)

    def _clean_events(self) -> int:
        """Delete whole turns of sessions: a call without its result would be of no use."""
        if not self._columns("events"):
            return 0
        rows = self.connection.execute(
            f"SELECT user_id, turn_id, event FROM events WHERE user_id IN ({self._marks})",  # noqa: S608
            tuple(self.user_ids),
        ).fetchall()
        going = {(owner, turn_id) for owner, turn_id, event in rows if self._goes(turn_id, [event])}
        self.connection.executemany("DELETE FROM events WHERE user_id = ? AND turn_id = ?", going)
        return len(going)

    def _drop_made(self) -> int:
        """Delete what gaia had made of all that, and makes again: the profile, and what it
        had read for a digest."""
        dropped = 0
        for table in ("digest_windows", "profiles"):
            if self._columns(table):
                dropped += self.connection.execute(
                    f"DELETE FROM {table} WHERE user_id IN ({self._marks})",  # noqa: S608
                    tuple(self.user_ids),
                ).rowcount
        if self._columns("digests"):
            self.connection.execute(
                "UPDATE digests SET state = 'sealed' "  # noqa: S608
                f"WHERE state = 'extracted' AND user_id IN ({self._marks})",
                tuple(self.user_ids),
            )
        return dropped

    def _drop_files(self) -> int:
        """Delete what was to be sent as a file."""
        if not self._columns("outbox_files"):
            return 0
        return self.connection.execute(
            "DELETE FROM outbox_files WHERE conversation_id IN "  # noqa: S608
            f"(SELECT conversation_id FROM conversations WHERE user_id IN ({self._marks}))",
            tuple(self.user_ids),
        ).rowcount

    @property
    def _marks(self) -> str:
        return ", ".join("?" * len(self.user_ids))

    def _goes(self, turn_id: str | None, words: Collection[str | None]) -> bool:
        return (
            self.redaction.everything
            or turn_id in self.redaction.sources
            or any(word.strip().lower().startswith(FORGET_COMMAND) for word in _said(words))
            or any(map(self.redaction.says, _said(words)))
        )

    def _columns(self, table: str) -> frozenset[str]:
        return frozenset(row[1] for row in self.connection.execute(f"PRAGMA table_info({table})"))


def _said(words: Collection[str | None]) -> Iterator[str]:
    """The words, those of JSON as they were before they were escaped."""
    for word in filter(None, words):
        try:
            yield json.dumps(json.loads(word), ensure_ascii=False)
        except ValueError:
            yield word
