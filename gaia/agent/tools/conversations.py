"""The tool on earlier conversations. Whose they are, ADK's context says, never the model.

Its docstring is part of each request: a small model reads every word of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import tzinfo

from google.adk.tools.tool_context import ToolContext

from gaia import fence
from gaia.agent.tools.context import FAULTS, Told, context_and_zone, failed, turn_of
from gaia.memory import archive, credentials
from gaia.memory.archive import Hit
from gaia.memory.contexts import visible
from gaia.memory.dates import between
from gaia.memory.owner import owner
from gaia.ports import Clock
from gaia.store.archive import MESSAGE_BREAK
from gaia.store.engine import Database

HITS, EXCERPT = 8, 300
"""How many turns a result shows, and characters of what was said in each, and answered."""

FEW_HITS, SHORT_EXCERPT = 3, 120
"""The same for a model that reads slowly."""

NOTHING = frozenset({"", "none", "null"})
"""What a small model gives where it means nothing."""


class ConversationTools:
    """Finds what was said in earlier conversations. `small` is for a model that reads slowly."""

    def __init__(self, database: Database, clock: Clock, *, small: bool) -> None:
        self._database = database
        self._clock = clock
        self._limit, self._excerpt = (FEW_HITS, SHORT_EXCERPT) if small else (HITS, EXCERPT)

    async def search_conversations(
        self, words: str, tool_context: ToolContext, since: str = "", until: str = ""
    ) -> Told:
        """Find what you and the user said to each other earlier.

        Args:
            words: What it was about.
            since: First day or month, as 2026-06-30 or June.
            until: Last day or month.
        """
        try:
            user_id, turn_id = owner(tool_context.user_id), turn_of(tool_context)
            context, zone = await self._database.read(context_and_zone, user_id, turn_id)
            begins, ends = between(_text(since), _text(until), self._clock.now(), zone)
            hits = await self._database.read(
                archive.search,
                user_id,
                words=_text(words),
                since=begins,
                until=ends,
                contexts=visible(context),
                limit=2 * self._limit,
                excerpt=self._excerpt,
            )
        except FAULTS as exc:
            return failed(exc, "earlier conversations cannot be searched")
        # It reads every word of what was found.
        told = await asyncio.to_thread(_told, hits, zone)
        return {"result": "\n".join(told[: self._limit]) or "nothing was said of that"}


def _told(hits: Sequence[Hit], zone: tzinfo) -> Sequence[str]:
    return [_shown(hit, zone) for hit in hits if not _tells_a_password(hit)]


def _tells_a_password(hit: Hit) -> bool:
    """Whether a password was said, which a later model is not told. The whole texts are
    searched too: an excerpt may have a password without the word for it."""
    texts = (hit.turn.asked, hit.turn.answer, hit.asked, hit.answer)
    return any(map(credentials.find, texts))


def _shown(hit: Hit, zone: tzinfo) -> str:
    said = hit.said_at.astimezone(zone)
    is_own = hit.turn.asked == hit.turn.words.replace(MESSAGE_BREAK, "\n")
    own = "said" if is_own else "sent, partly in words of others,"
    return (
        f"- {said.day} {said:%B %Y, %H:%M}: the user {own} {fence.quoted(hit.asked)}, "
        f"you answered {fence.quoted(hit.answer)}"
    )


def _text(told: object) -> str:
    """What the model gives as words, or as a time: `2026`, too, and `null`, or a list."""
    if isinstance(told, list):
        told = " ".join(map(str, told))
    text = str(told)
    return "" if text.strip().lower() in NOTHING else text
