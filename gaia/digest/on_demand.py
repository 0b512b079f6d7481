"""At once: sessions are digested because the owner asks for it, who waits for what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from sqlalchemy.orm import Session

from gaia.digest.seal import seal_now
from gaia.digest.worker import DigestWorker
from gaia.errors import LearningOffError
from gaia.ports import Clock
from gaia.store import digests
from gaia.store.digest_tables import DigestState
from gaia.store.digests import Digest
from gaia.store.engine import Database

OVER = (DigestState.CLEARED, DigestState.FAILED)

OFF = LearningOffError(
    "gaia does not learn by itself: set memory.enabled and memory.auto_ingest to true"
)


async def digest_now(
    database: Database,
    digest_worker: DigestWorker,
    clock: Clock,
    user_id: str | None,
    *,
    retry: bool,
    tell: Callable[[int, int], None],
) -> Sequence[Digest]:
    """Digest the present sessions, of one user if named, or with `retry` what failed; see
    `seal_now`. Returns how the digests stand when nothing more comes of them for now;
    `tell` gets of how many that is so, and of how many in all.

    Raises:
        LearningOffError: It is set not to be done.
    """
    if not digest_worker.enabled:
        raise OFF
    begun = await database.write(seal_now, user_id, clock.now(), retry=retry)
    digest_ids = [digest.digest_id for digest in begun]
    with digest_worker.watched() as stepped:
        for owner in {digest.user_id for digest in begun}:
            digest_worker.wake(owner)
        while True:
            stepped.clear()
            standing, unanswered = await database.read(_standing, digest_ids)
            left = _unsettled(standing, unanswered, digest_worker.over_budget)
            tell(len(begun) - left, len(begun))
            if not left or digest_worker.closed:
                return standing
            await stepped.wait()


def _standing(
    session: Session, digest_ids: Sequence[int]
) -> tuple[Sequence[Digest], Collection[int]]:
    """The digests, and the numbers of those that wait for turns of their session."""
    found = [digests.get(session, digest_id) for digest_id in digest_ids]
    standing = [digest for digest in found if digest is not None]
    unanswered = {
        digest.digest_id
        for digest in standing
        if digest.state is DigestState.SEALED and digests.waits_for_turns(session, digest)
    }
    return standing, unanswered


def _unsettled(
    standing: Sequence[Digest], unanswered: Collection[int], over_budget: Collection[str]
) -> int:
    """How many will go on soon: not those of a user for whom it has just failed, and not
    those whose session has messages that wait, who knows how long, for their answers."""
    waiting = {digest.user_id for digest in standing if digest.attempts} | {*over_budget}
    return sum(
        each.state not in OVER and each.user_id not in waiting and each.digest_id not in unanswered
        for each in standing
    )
