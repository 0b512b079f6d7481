"""The archive of what was said: kept by the terms that it is found by."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from gaia.memory import text
from gaia.memory.owner import owner
from gaia.store import archive
from gaia.store.archive import Ended


async def keep(session: AsyncSession, turn: Ended) -> None:
    """Keep a turn that came to its end, to be found by what was asked and answered.
    Idempotent.

    Raises:
        MissingOwnerError: It names no user.
    """
    owner(turn.user_id)
    await archive.add(session, turn, terms_of(turn.asked, turn.answer))


def terms_of(*texts: str) -> Mapping[str, int]:
    """The terms by which a turn is found that these texts are all of."""
    return text.terms("\n".join(texts))
