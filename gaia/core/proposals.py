"""What tools proposed in a turn, as the question that its reply ends with.

A plain yes or no, a button or the command that it names answers it. There is one question
at a time: to forget comes first, since that waits nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from gaia.core.sentences import or_in_words, plain, yes_or_no_in_words
from gaia.core.slash import Reply
from gaia.memory import ledger, pending
from gaia.memory.excerpts import quoted
from gaia.memory.memory import Memory
from gaia.memory.people import contacts
from gaia.memory.people.contacts import Contact
from gaia.messages import Button
from gaia.store import forgets, letters
from gaia.store.letters import Letter

KEEP_ALL = Button("Keep", "/cancel", "no")
"""The answer no to a question whether to forget."""

CHANNELS = {"telegram": "on Telegram", "whatsapp": "on WhatsApp", "terminal": "in the terminal"}
"""Where somebody is told something."""

MOST_ASKED = 4
"""Memories of which one command holds the numbers, in the 64 bytes that a button has."""

WHY = "I ask because it may come from what somebody else wrote, or because I am not sure."


def question(session: Session, user_id: str, turn_id: str, *, direct: bool) -> Reply | None:
    """The question for what tools proposed in a turn, in a direct chat or a group; None if they
    proposed nothing."""
    letter = letters.of_turn(session, user_id, turn_id)
    request = forgets.asked_in_turn(session, user_id, turn_id)
    proposed = pending.of_turn(session, user_id, turn_id)
    if request is not None:
        gone = ledger.get_many(session, user_id, request.memory_ids)
        if gone:
            shown, tail = _lines(gone), _aside(proposed)
            return whether_to_forget(shown, len(gone), request.forget_id, tail, direct=direct)
    addressee = None if letter is None else contacts.contact(session, letter.to_user_id)
    if letter is not None and addressee is not None:
        return whether_to_send(letter, addressee, _aside(proposed), direct=direct)
    return _whether_to_keep(session, user_id, proposed, direct=direct) if proposed else None


def whether_to_send(letter: Letter, addressee: Contact, tail: str = "", *, direct: bool) -> Reply:
    """Ask whether a letter is to be sent."""
    channel = CHANNELS.get(addressee.conversation.channel, addressee.conversation.channel)
    yes, no = f"/tell yes {letter.letter_id}", f"/tell no {letter.letter_id}"
    return Reply(
        f"Should I tell {plain(addressee.user.name)} {channel}: “{letter.text}”? "
        f"Answer {or_in_words('yes or no', direct=direct)}{yes}, within an hour.{tail}",
        (Button("Send", yes, "yes"), Button("Don't send", no, "no")),
    )


def whether_to_forget(
    shown: str, count: int, forget_id: int, tail: str = "", *, direct: bool
) -> Reply:
    """Ask whether the memories that are `shown` are to be forgotten."""
    what = "it" if count == 1 else f"these {count:,}"
    command = f"/forget yes {forget_id}"
    return Reply(
        f"{shown}\nShould I forget {what}? It cannot be undone. "
        f"Answer {or_in_words('yes', direct=direct)}{command}, within an hour.{tail}",
        (Button("Forget", command, "yes"), KEEP_ALL),
    )


def _whether_to_keep(
    session: Session, user_id: str, proposed: Sequence[Memory], *, direct: bool
) -> Reply:
    asked, more = proposed[:MOST_ASKED], proposed[MOST_ASKED:]
    replaced = {each.memory_id: each for each in _replaced(session, user_id, asked)}
    lines = [_line(each, replaced.get(each.replaces or 0)) for each in asked]
    numbers = " ".join(str(each.memory_id) for each in asked)
    keep, drop = f"/memory keep {numbers}", f"/memory drop {numbers}"
    them = "it" if len(asked) == 1 else "them"
    answer = yes_or_no_in_words(direct=direct)
    return Reply(
        "\n".join(
            [
                "Should I remember this?",
                *lines,
                f"{WHY} {answer}{keep} keeps {them}, {drop} drops {them}.{_aside(more)}",
            ]
        ),
        (Button("Remember", keep, "yes"), Button("Don't remember", drop, "no")),
    )


def _replaced(session: Session, user_id: str, asked: Sequence[Memory]) -> Sequence[Memory]:
    numbers = [each.replaces for each in asked if each.replaces is not None]
    return ledger.get_many(session, user_id, numbers)


def _line(memory: Memory, replaced: Memory | None) -> str:
    told = f"#{memory.memory_id} {quoted(memory.text)}"
    if replaced is None:
        return told
    return f"{told}, in the place of #{replaced.memory_id} {quoted(replaced.text)}"


def _lines(memories: Sequence[Memory]) -> str:
    return "\n".join(f"#{each.memory_id} {quoted(each.text)}" for each in memories)


def _aside(proposed: Sequence[Memory]) -> str:
    if not proposed:
        return ""
    return f" I am not sure of {len(proposed):,} more: /memory pending lists them."
