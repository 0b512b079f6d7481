"""The tool by which the model sets a reminder. Its time is placed by code, in the user's zone."""

from __future__ import annotations

from collections.abc import Callable

from google.adk.tools.tool_context import ToolContext
from sqlalchemy.orm import Session

from gaia.agent.tools.context import (
    FAULTS,
    Told,
    context_of,
    failed,
    others_may_lead,
    turn_of,
)
from gaia.errors import UnfitMemoryError
from gaia.memory.owner import owner
from gaia.memory.reminders import recurrence, reminders
from gaia.memory.reminders import requests as reminder_words
from gaia.memory.reminders.requests import Wanted
from gaia.ports import Clock
from gaia.store import inbox
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.people import identities
from gaia.zones import zone_of

OTHERS = (
    "somebody else's words are near, so nothing is set: tell the user to write it themselves, "
    "as in /remind tomorrow at nine to call Bob"
)


class ReminderTools:
    """Sets reminders. `changed` is called after each commit, `hour` is that of a day for which
    no time is named."""

    def __init__(
        self, database: Database, clock: Clock, *, hour: int, changed: Callable[[], None]
    ) -> None:
        self._database = database
        self._clock = clock
        self._hour = hour
        self._changed = changed

    async def remind(self, what: str, when: str, tool_context: ToolContext) -> Told:
        """Remind the user at a time.

        Args:
            what: What to remind of, with any condition: nobody checks it.
            when: The user's words for when, as "every Monday at 9".
        """
        user_id = owner(tool_context.user_id)
        turn_id = turn_of(tool_context)
        try:
            told = await self._database.write(
                self._remind, tool_context, user_id, turn_id, str(what).strip(), str(when)
            )
        except FAULTS as exc:
            return failed(exc, "reminders do not work")
        self._changed()
        return {"result": told}

    def _remind(
        self,
        session: Session,
        tool_context: ToolContext,
        user_id: str,
        turn_id: str,
        what: str,
        when: str,
    ) -> str:
        now = self._clock.now()
        if others_may_lead(session, tool_context, turn_id):
            raise UnfitMemoryError(OTHERS)
        context = context_of(session, turn_id, writes=True)
        zone = zone_of(identities.find(session, user_id).zone)
        said = inbox.words_of_turn(session, turn_id)
        said_at = min(said.sent_at, now) if said else now
        due = reminder_words.time_named(when, said_at, zone, self._hour)
        if due is None:
            raise UnfitMemoryError(
                f"{when!r} names no time to come, or says more than that: give day and time in "
                "the user's own time zone alone, or ask the user for them"
            )
        due = recurrence.to_come(due, now)
        if due is None:
            raise UnfitMemoryError(
                f"{when!r} had passed when the message came: ask the user for another time"
            )
        added = reminders.add(
            session,
            user_id,
            Wanted(what, due),
            now,
            source=MemorySource.TOOL,
            context=context,
            turn_id=turn_id or None,
            said_again_at=said.received_at if said else None,
        )
        local = due.at.astimezone(zone)
        number = added.memory.memory_id
        edited = reminders.of_edited(session, user_id, turn_id) if turn_id else ()
        reminders.give_way(session, edited, number, now)
        return f"reminder #{number} is set for {local:%A} {local.day} {local:%B %Y, %H:%M}"
