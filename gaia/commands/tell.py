"""/tell: tells another user of this gaia something, after a yes."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from gaia.commands.registry import Call, Command, Topic
from gaia.core.proposals import CHANNELS, whether_to_send
from gaia.core.sentences import plain
from gaia.core.slash import Reply
from gaia.memory.excerpts import quoted
from gaia.memory.people import contacts
from gaia.memory.people.paths import Scope
from gaia.messages import Button
from gaia.ports import Channel
from gaia.store import letters, outbox
from gaia.store.letters import LONGEST_LETTER
from gaia.store.people.users import Role, User

HOW = (
    "Whom should I tell what? For example: /tell Ann: I am late, or /tell my girlfriend I am late. "
    "I ask before I send it."
)
INCOGNITO = "You are incognito, so I send nothing to others. /incognito off ends that."
GONE = "That message is no longer waiting. Write /tell again."
NOT_SENT = "I have not sent it."
LONGEST_NAME = 60
LONGEST_COMMAND = 60
"""Bytes of a button's command."""

ANSWER = regex.compile(r"(yes|no)\s+(\d{1,18})")


def tell_commands(channels: Mapping[str, Channel]) -> tuple[Command, ...]:
    """The command; people are told on these `channels`."""
    tell = _Tell(channels)
    return (
        Command.at_once(
            "tell",
            "Tell somebody something",
            tell,
            role=Role.MEMBER,
            private=True,
            topic=Topic.OTHERS,
        ),
    )


class _Tell:
    def __init__(self, channels: Mapping[str, Channel]) -> None:
        self._channels = channels

    def __call__(self, call: Call) -> str | Reply:
        if call.conversation.is_incognito:
            return INCOGNITO
        answer = ANSWER.fullmatch(call.words.strip())
        if answer is not None:
            return self._answer(call, answer[1], int(answer[2]))
        if len(call.words.split()) < 2:
            return HOW
        return self._ask(call)

    def _ask(self, call: Call) -> str | Reply:
        user, within = call.user, _scope(call)
        found, text = contacts.addressee(call.session, user, call.words, within, self._channels)
        if len(found.contacts) != 1:
            return _unclear(found, text)
        if len(text) > LONGEST_LETTER:
            return f"That is too long: I pass on {LONGEST_LETTER:,} characters at most."
        (addressee,) = found.contacts
        letter = letters.add(
            call.session, user.user_id, addressee.user.user_id, text, call.now, None
        )
        return whether_to_send(letter, addressee, direct=call.conversation.direct)

    def _answer(self, call: Call, answer: str, letter_id: int) -> str | Reply:
        letter = letters.take(call.session, call.user_id, letter_id, call.now)
        if letter is None:
            return GONE
        if answer == "no":
            return NOT_SENT
        addressee = contacts.contact(call.session, letter.to_user_id, self._channels)
        if addressee is None:
            return f"{NOT_SENT} I can no longer write to them."
        conversation = addressee.conversation
        outbox.add(
            call.session,
            conversation_id=conversation.conversation_id,
            turn_id=None,
            chunks=self._channels[conversation.channel].split(_told(call.user, letter.text)),
            now=call.now,
        )
        where = CHANNELS.get(conversation.channel, "")
        return Reply(
            f"I am telling {plain(addressee.user.name)} {where}.",
            wakes=(conversation.conversation_id,),
        )


def _scope(call: Call) -> Scope:
    return Scope(call.now, call.seen)


def _told(sender: User, text: str) -> str:
    return f"{plain(sender.name)} asks me to tell you: {text}"


def _unclear(found: contacts.Resolved, text: str) -> str | Reply:
    """What is said where it is not one person who is meant."""
    if found.contacts:
        names = [each.user.name for each in found.contacts]
        commands = [(name, f"/tell {name}: {text}") for name in names]
        return Reply(
            f"Whom do you mean: {', '.join(map(plain, names))}? "
            f"Write it again with the name, as in /tell {plain(names[0])}: …",
            tuple(
                Button(plain(name), command)
                for name, command in commands
                if len(command.encode()) <= LONGEST_COMMAND
            ),
        )
    if found.names:
        known = ", ".join(quoted(name, longest=LONGEST_NAME) for name in found.names)
        return (
            f"That is {known}, as I understand you, but nobody of that name talks with me, so I "
            "cannot write to them. I write only to people who have access, in a chat of their own."
        )
    return (
        "I don't know whom you mean. Name somebody who talks with me too, with a colon after the "
        "name, as in /tell Ann: I am late; or tell me who they are first, as in “Ann is my "
        "girlfriend”."
    )
