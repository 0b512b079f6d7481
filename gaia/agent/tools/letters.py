"""The tool by which the model tells another user something. It sends nothing: the user is asked."""

from __future__ import annotations

from google.adk.tools.tool_context import ToolContext
from sqlalchemy.orm import Session

from gaia.agent.tools.context import FAULTS, Told, failed, turn_of
from gaia.errors import UnfitMemoryError
from gaia.memory.contexts import visible
from gaia.memory.owner import owner
from gaia.memory.people import contacts
from gaia.memory.people.paths import Scope
from gaia.ports import Clock
from gaia.store import letters, turn_contexts
from gaia.store.engine import Database
from gaia.store.letters import LONGEST_LETTER
from gaia.store.people import identities
from gaia.store.people.identities import Role

ASKS = "the user is asked whether to tell {name}: nothing is sent before their yes"
SEVERAL = "that may be {names}: ask the user which one"
NOT_REACHED = "{names} cannot be written to: nobody of that name has access to this assistant"
NOBODY = "nobody is known by that: ask the user for the name"
NOT_HERE = "nobody can be told anything from this conversation"


class LetterTools:
    """Writes letters, which wait for a yes."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def send_message(self, to: str, text: str, tool_context: ToolContext) -> Told:
        """Write to another person who uses this assistant.

        Args:
            to: Name, or the user's words, as "my boss".
            text: What to tell them.
        """
        user_id = owner(tool_context.user_id)
        turn_id = turn_of(tool_context)
        try:
            name = await self._database.write(
                self._write, user_id, turn_id, str(to).strip(), str(text).strip()
            )
        except FAULTS as exc:
            return failed(exc, "messages do not work")
        return {"result": ASKS.format(name=name)}

    def _write(self, session: Session, user_id: str, turn_id: str, to: str, text: str) -> str:
        sender = identities.find(session, user_id)
        conversation = turn_contexts.of_turn(session, turn_id)
        if (
            conversation is None
            or not conversation.direct
            or conversation.is_incognito
            or sender.role is Role.GUEST
        ):
            raise UnfitMemoryError(NOT_HERE)
        if not 0 < len(text) <= LONGEST_LETTER:
            raise UnfitMemoryError(f"give between 1 and {LONGEST_LETTER:,} characters")
        now = self._clock.now()
        found = contacts.resolve(session, sender, to, Scope(now, visible(conversation.context)))
        if len(found.contacts) > 1:
            names = ", ".join(each.user.name for each in found.contacts)
            raise UnfitMemoryError(SEVERAL.format(names=names))
        if not found.contacts:
            names = ", ".join(found.names)
            raise UnfitMemoryError(NOT_REACHED.format(names=names) if names else NOBODY)
        (addressee,) = found.contacts
        letters.add(session, user_id, addressee.user.user_id, text, now, turn_id)
        return addressee.user.name
