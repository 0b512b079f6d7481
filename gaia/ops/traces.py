"""Takes words out of the files beside gaia.db: copies of it that were made before a migration,
logs, also the one that is being written, and the terminal's history.

A copy has the tables of its time, so each statement asks first whether they are there; one
that cannot be cleaned is removed: it must not outlive what was forgotten. A line of a log
goes with all that belongs to it, such as the traceback below it.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gaia.files import UNFINISHED, rewrite
from gaia.logs import PrivateFileHandler
from gaia.logs.line import INDENT, parse
from gaia.store.redaction import FORGET_COMMAND, REPLACEMENT, Redaction

logger = logging.getLogger(__name__)

MESSAGES: Mapping[str, Mapping[str, str | None]] = {
    "inbox": {"text": REPLACEMENT, "notes": "[]", "attachments": "[]"},
    "outbox": {"text": REPLACEMENT, "buttons": "[]", "error": None},
}
"""The columns of each queue that hold words, and what they hold without them."""

TYPED = b"+"
"""Begins each line of an entry; others, such as its time, stand between two entries."""


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
        changed = self._delete("memories", "memory_id", "NULL, text, quote")
        changed += self._delete("archived_turns", "archive_id", "turn_id, asked, words, answer")
        changed += self._delete_events()
        # Beside requests to forget: what gaia had made of all that, and makes again.
        for table in ("forgets", "profiles", "digest_windows"):
            changed += self._drop(table, self._own)
        self._seal_digests()
        changed += self._drop("outbox_files", self._in_chats)
        for table, columns in MESSAGES.items():
            changed += self._empty_messages(table, columns)
        self.connection.execute("COMMIT")
        if changed:
            self.connection.execute("VACUUM")

    def _delete(self, table: str, key: str, columns: str) -> int:
        """Delete the rows that hold what goes, and with them what is made of them. The first of
        the columns is the turn."""
        rows = self._rows(table, f"{key}, {columns}", self._own)
        going = [(number,) for number, turn_id, *words in rows if self._goes(turn_id, words)]
        return self._change(f"DELETE FROM {table} WHERE {key} = ?", going)  # noqa: S608

    def _delete_events(self) -> int:
        """Delete whole turns of sessions: a call without its result would be of no use."""
        rows = self._rows("events", "user_id, turn_id, event", self._own)
        going = {(owner, turn_id) for owner, turn_id, event in rows if self._goes(turn_id, [event])}
        return self._change("DELETE FROM events WHERE user_id = ? AND turn_id = ?", going)

    def _seal_digests(self) -> None:
        """Have what was read for a digest be read again."""
        if self._columns("digests"):
            self.connection.execute(
                f"UPDATE digests SET state = 'sealed' WHERE state = 'extracted' AND {self._own}",  # noqa: S608
                tuple(self.user_ids),
            )

    def _empty_messages(self, table: str, columns: Mapping[str, str | None]) -> int:
        present = self._columns(table)
        if "conversation_id" not in present:
            return 0
        columns = {column: empty for column, empty in columns.items() if column in present}
        rows = self._rows(table, f"rowid, turn_id, {', '.join(columns)}", self._in_chats)
        going = [
            (*columns.values(), rowid)
            for rowid, turn_id, *words in rows
            if words != list(columns.values()) and self._goes(turn_id, words)
        ]
        sets = ", ".join(f"{column} = ?" for column in columns)
        return self._change(f"UPDATE {table} SET {sets} WHERE rowid = ?", going)  # noqa: S608

    @property
    def _own(self) -> str:
        return f"user_id IN ({', '.join('?' * len(self.user_ids))})"

    @property
    def _in_chats(self) -> str:
        own = f"SELECT conversation_id FROM conversations WHERE {self._own}"  # noqa: S608
        return f"conversation_id IN ({own})"

    def _rows(self, table: str, columns: str, whose: str) -> Sequence[tuple[Any, ...]]:
        if not self._columns(table):
            return []
        query = f"SELECT {columns} FROM {table} WHERE {whose}"  # noqa: S608
        return self.connection.execute(query, tuple(self.user_ids)).fetchall()

    def _drop(self, table: str, whose: str) -> int:
        if not self._columns(table):
            return 0
        statement = f"DELETE FROM {table} WHERE {whose}"  # noqa: S608
        return self.connection.execute(statement, tuple(self.user_ids)).rowcount

    def _change(self, statement: str, going: Collection[tuple[Any, ...]]) -> int:
        """Change one row for each; where there is none, there may be no such table."""
        if going:
            self.connection.executemany(statement, going)
        return len(going)

    def _columns(self, table: str) -> frozenset[str]:
        return frozenset(row[1] for row in self.connection.execute(f"PRAGMA table_info({table})"))

    def _goes(self, turn_id: str | None, words: Collection[str | None]) -> bool:
        return (
            self.redaction.everything
            or turn_id in self.redaction.sources
            or any(word.strip().lower().startswith(FORGET_COMMAND) for word in _said(words))
            or any(map(self.redaction.says, _said(words)))
        )


def _said(words: Collection[str | None]) -> Iterator[str]:
    """The words, those of JSON as they were before they were escaped."""
    for word in filter(None, words):
        try:
            yield json.dumps(json.loads(word), ensure_ascii=False)
        except ValueError:
            yield word


def cut_lines(folder: Path, says: Callable[[str], bool]) -> int:
    """Take the lines that `says` finds out of all log files; returns how many.

    Blocks, for seconds where logs are long. Lines are written meanwhile, but for the
    moment in which files are replaced: by then all but the newest lines were judged.
    """
    for left in folder.glob(f"*{UNFINISHED}"):
        left.unlink()
    judged: dict[int, int] = {}
    going: set[bytes] = set()
    for file in _log_files(folder):
        content = file.read_bytes()
        judged[file.stat().st_ino] = len(content)
        going |= _lines_that_say(content, says)
    cut = 0
    with _nobody_writing(folder):
        for file in _log_files(folder):
            content = file.read_bytes()
            # Files may have been rotated meanwhile, and have become longer.
            known = judged.get(file.stat().st_ino, 0)
            going |= _lines_that_say(content[known:], says)
            lines = _lines(content)
            kept = [line for line in lines if line not in going]
            if len(kept) < len(lines):
                rewrite(file, b"".join(kept))
                cut += len(lines) - len(kept)
    return cut


@contextmanager
def _nobody_writing(folder: Path) -> Iterator[None]:
    """Hold up whoever wants to log into the folder, who then opens the file again."""
    with ExitStack() as stack:
        for handler in logging.getLogger().handlers:
            if isinstance(handler, PrivateFileHandler) and handler.writes_into(folder):
                handler.acquire()
                stack.callback(handler.release)
                handler.let_go()
        yield


def _log_files(folder: Path) -> Sequence[Path]:
    return sorted(file for file in folder.glob("*.log*") if file.is_file())


def _lines_that_say(content: bytes, says: Callable[[str], bool]) -> set[bytes]:
    return {line for line in _lines(content) if _says(line.decode("utf-8", "replace"), says)}


def _lines(content: bytes) -> Sequence[bytes]:
    """The lines with what is indented below them."""
    lines: list[list[bytes]] = []
    for line in content.splitlines(keepends=True):
        if lines and line.startswith(INDENT.encode()):
            lines[-1].append(line)
        else:
            lines.append([line])
    return [b"".join(line) for line in lines]


def _says(text: str, says: Callable[[str], bool]) -> bool:
    """JSON writes some words otherwise than they were said."""
    line = parse(text.rstrip("\n")) if text.startswith("{") else None
    return says(text) or (line is not None and says(line.said))


def cut_entries(file: Path, says: Callable[[str], bool]) -> int:
    """Take out the entries that `says` finds, and those that tell what to forget;
    returns how many. Blocks."""
    file.with_name(file.name + UNFINISHED).unlink(missing_ok=True)
    if not file.exists():
        return 0
    content = file.read_bytes()
    kept: list[bytes] = []
    cut = 0
    for entry in _entries(content):
        if _goes(entry, says):
            cut += 1
        else:
            kept += entry
    if cut:
        rewrite(file, b"".join(kept))
    return cut


def _entries(content: bytes) -> Iterator[list[bytes]]:
    """The lines of each entry, with those that stand before it."""
    entry: list[bytes] = []
    for line in content.splitlines(keepends=True):
        if not line.startswith(TYPED) and entry and entry[-1].startswith(TYPED):
            yield entry
            entry = []
        entry.append(line)
    yield entry


def _goes(entry: list[bytes], says: Callable[[str], bool]) -> bool:
    typed = [line.removeprefix(TYPED) for line in entry if line.startswith(TYPED)]
    text = b"".join(typed).decode("utf-8", errors="replace")
    return text.strip().lower().startswith(FORGET_COMMAND) or says(text)
