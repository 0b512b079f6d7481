"""/share and /shared: notes of an owner's that all members read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gaia.commands.memory_text import INCOGNITO, verb_of
from gaia.commands.registry import Call, Command, Topic
from gaia.core.slash import Reply
from gaia.errors import CredentialError, UnfitMemoryError, UnknownMemoryError
from gaia.memory import credentials, shared
from gaia.memory.excerpts import quoted
from gaia.memory.memory import Memory
from gaia.messages import Button
from gaia.ports import Channel
from gaia.store import outbox
from gaia.store.memory_tables import MemorySource
from gaia.store.people import identities, own_chats
from gaia.store.people.identities import Role
from gaia.text import number_in

SHOWN = 30
"""Notes that a list has."""

HOW = (
    "What should everybody here know? For example: /share The bins go out on Monday. All members "
    "read it, guests and groups do not; /shared lists what there is."
)


def shared_commands(
    channels: Mapping[str, Channel], changed: Callable[[], None]
) -> tuple[Command, ...]:
    """The commands; `channels` are those on which an owner can be asked, `changed` is called
    once a note counts."""

    def share(call: Call) -> str | Reply:
        verb, rest = verb_of(call.words)
        is_owner = call.user.role is Role.OWNER
        number = number_in(rest)
        if verb in {"keep", "drop"} and number is not None:
            if not is_owner:
                return "Only an owner decides what all members know."
            return _decide(call, verb, number, changed)
        if not call.words:
            return HOW
        if call.conversation.is_incognito:
            return INCOGNITO
        try:
            return _share(call, changed) if is_owner else _propose(call, channels)
        except UnfitMemoryError as exc:
            return f"I can't share that: {exc}."

    return (
        Command.at_once(
            "share",
            "Tell all members something",
            share,
            role=Role.MEMBER,
            private=True,
            topic=Topic.OTHERS,
        ),
        Command.at_once(
            "shared",
            "List what all members know",
            _list,
            role=Role.MEMBER,
            private=True,
            topic=Topic.OTHERS,
        ),
    )


def _share(call: Call, changed: Callable[[], None]) -> str | Reply:
    user_id, turn_id = call.user_id, call.caller.turn_id
    try:
        added = shared.share(call.session, user_id, call.words, call.now, turn_id=turn_id)
    except CredentialError:
        memory = shared.propose(
            call.session,
            user_id,
            call.words,
            call.now,
            source=MemorySource.USER,
            turn_id=turn_id,
        )
        what = credentials.find(call.words)
        return _question(
            f"That looks like {what}. Should all members, and my model's provider, read it?", memory
        )
    number = added.memory.memory_id
    text = f"All members know that now, as #{number}. /forget {number} deletes it."
    return Reply(text, committed=changed)


def _propose(call: Call, channels: Mapping[str, Channel]) -> str | Reply:
    """Ask an owner for whoever is none."""
    session, name = call.session, call.user.name
    for owner in identities.owners(session):
        chat = own_chats.latest_direct(session, owner.user_id, list(channels))
        if chat is None:
            continue
        memory = shared.propose(
            session, owner.user_id, call.words, call.now, source=MemorySource.TOOL
        )
        asked = _question(
            f"{name} would like all members to know: {quoted(memory.text, longest=None)}\n"
            "Should they?",
            memory,
        )
        outbox.add(
            session,
            conversation_id=chat.conversation_id,
            turn_id=None,
            chunks=channels[chat.channel].split(asked.text),
            now=call.now,
            buttons=asked.buttons,
        )
        return Reply(
            f"I have asked {owner.name} whether all members should know that.",
            wakes=(chat.conversation_id,),
        )
    return "There is no owner whom I can ask at the moment."


def _question(text: str, memory: Memory) -> Reply:
    number = memory.memory_id
    yes, no = (
        Button("Yes", f"/share keep {number}", "yes"),
        Button("No", f"/share drop {number}", "no"),
    )
    return Reply(f"{text}\nAnswer yes or no, or {yes.command} or {no.command}.", (yes, no))


def _decide(call: Call, verb: str, number: int, changed: Callable[[], None]) -> str | Reply:
    try:
        if verb == "drop":
            shared.refuse(call.session, call.user_id, number)
            return "I don't share it."
        memory = shared.accept(call.session, call.user_id, number, call.now)
    except UnknownMemoryError:
        return "No note with that number is waiting to be shared. /shared lists those that are."
    return Reply(f"All members know that now, as #{memory.memory_id}.", committed=changed)


def _list(call: Call) -> str:
    found = shared.notes(call.session, call.user_id, call.now, limit=SHOWN + 1)
    if not found:
        return "Nothing is shared yet. /share and the words tell all members."
    lines = [f"#{each.memory_id} {quoted(each.text)}" for each in found[:SHOWN]]
    more = ["… and more"] if len(found) > SHOWN else []
    return "\n".join(["All members know:", *lines, *more])
