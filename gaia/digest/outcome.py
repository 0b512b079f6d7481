"""Outcome: what was read of a sealed session so far. Each window waits as JSON for its digest.

Nothing is kept of a session that has changed while a model was asked, because its user had
something forgotten.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from gaia.errors import UnusableExtractionError
from gaia.memory.extraction import Checked, Window
from gaia.store import archive, digests, forgets
from gaia.store.archive import ArchivedTurn
from gaia.store.digest_tables import DigestState
from gaia.store.digests import Digest, ReadWindow
from gaia.store.people import identities
from gaia.store.people.identities import User

logger = logging.getLogger(__name__)

CHECKED = TypeAdapter(Checked)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed session, and what was read of it so far, up to the turn `last`. `mark` is
    that of `forgets` at the time: None while its user has something forgotten."""

    user: User
    turns: Sequence[ArchivedTurn]
    read: Sequence[Checked]
    last: int
    mark: int | None

    @property
    def rest(self) -> Sequence[ArchivedTurn]:
        """What is to be read. Of a session without a word of the user's own nothing is:
        there is nothing in it to be learned."""
        if not any(turn.words.strip() for turn in self.turns):
            return ()
        return [turn for turn in self.turns if turn.archive_id > self.last]


def load(session: Session, digest: Digest) -> Sealed | None:
    """The session of a digest, as it is now; None where what was read of it cannot be read
    back: it is to be read again.

    Raises:
        UnknownUserError: Its user was removed.
    """
    windows = digests.windows_of(session, digest.digest_id)
    try:
        read = [from_json(window.outcome) for window in windows]
    except UnusableExtractionError as exc:
        logger.warning("digest %d is read again: %s", digest.digest_id, exc)
        return None
    return Sealed(
        user=identities.find(session, digest.user_id),
        turns=archive.of_session(session, digest.session_id),
        read=read,
        last=windows[-1].last_archive_id if windows else 0,
        mark=forgets.mark(session, digest.user_id),
    )


def keep(
    session: Session,
    digest: Digest,
    sealed: Sealed,
    window: Window,
    checked: Checked,
    now: datetime,
) -> None:
    """Keep what was read in the next window, if the session is still what it was."""
    present = digests.get(session, digest.digest_id)
    before = digests.windows_of(session, digest.digest_id)
    turns = archive.of_session(session, digest.session_id, after=sealed.last)
    if present is None or present.state is not DigestState.SEALED:
        return
    is_next = len(before) == window.number - 1
    # What is known of the user may have told it as well, not their words alone.
    is_next &= sealed.mark == forgets.mark(session, present.user_id)
    if not is_next or tuple(turns[: len(window.turns)]) != tuple(window.turns):
        logger.info("digest %d: its session has changed meanwhile", digest.digest_id)
        return
    read = ReadWindow(window.number, window.turns[-1].archive_id, to_json(checked))
    digests.add_window(session, digest.digest_id, present.user_id, read, now)
    digests.succeeded(session, digest.digest_id)


def end(session: Session, digest: Digest, sealed: Sealed) -> None:
    """Say that all of a session was read, if it is still what it was."""
    present = digests.get(session, digest.digest_id)
    turns = archive.of_session(session, digest.session_id)
    unchanged = tuple(turns) == tuple(sealed.turns)
    if present is not None and present.state is DigestState.SEALED and unchanged:
        digests.extracted(session, digest.digest_id)


def to_json(checked: Checked) -> dict[str, object]:
    """JSON that `from_json` understands."""
    written: dict[str, object] = CHECKED.dump_python(checked, mode="json")
    return written


def from_json(written: Mapping[str, object]) -> Checked:
    """What was written.

    Raises:
        UnusableExtractionError: It is something else: the window is to be read again.
    """
    try:
        checked = CHECKED.validate_json(json.dumps(written), strict=True)
    except (ValidationError, TypeError, ValueError) as exc:
        # The error itself would tell what stands there.
        raise _unusable(type(exc).__name__) from None
    times = [(each.said_at, each.due_at, each.expires_at) for each in checked.proposals]
    if any(time is not None and time.tzinfo is None for of_one in times for time in of_one):
        raise _unusable("a time without a zone")
    return checked


def _unusable(cause: str) -> UnusableExtractionError:
    return UnusableExtractionError(
        f"what was read of a window cannot be read back ({cause}): the window is read again"
    )
