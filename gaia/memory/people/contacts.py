"""Contacts: whom a user of this gaia may write to through it, found by their name or by what the
sender's memories say that they are.

A contact is another person whom this gaia knows and has talked with, on one of some channels.
Strangers and groups are none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from gaia.memory.people.entities import entity, key_of
from gaia.memory.people.paths import Scope, meant
from gaia.memory.text import content_terms
from gaia.store.conversations import Conversation
from gaia.store.people import identities, own_chats
from gaia.store.people.identities import User

LONGEST_NAME = 8
"""Words that may name somebody."""


@dataclass(frozen=True, slots=True)
class Contact:
    """Somebody, and the conversation in which they wrote last."""

    user: User
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class Resolved:
    """Who is meant: those that may be, and the names by which the sender's memories know who is
    meant, whether or not this gaia knows them."""

    contacts: Sequence[Contact] = ()
    names: Sequence[str] = ()


def contact(
    session: Session, user_id: str, channels: Collection[str] | None = None
) -> Contact | None:
    """Somebody as a contact; None where they are none, or have written on no such channel."""
    user = next((each for each in identities.everybody(session) if each.user_id == user_id), None)
    if user is None or user.is_group:
        return None
    conversation = own_chats.last_written(session, user.user_id, channels)
    if conversation is None or not conversation.direct:
        return None
    return Contact(user, conversation)


def resolve(
    session: Session,
    sender: User,
    words: str,
    within: Scope,
    channels: Collection[str] | None = None,
) -> Resolved:
    """Who is meant by a name, or by words such as `my girlfriend`."""
    others = [
        each
        for each in identities.everybody(session)
        if not each.is_group and each.user_id != sender.user_id
    ]
    named = _called(others, [words])
    people = meant(session, sender.user_id, words, within)
    # Words that led nowhere may have meant somebody else.
    exact = [each for each in people if content_terms(words) <= each.terms]
    names = list(dict.fromkeys(name for each in exact for name in each.names))
    found = {each.user_id: each for each in [*named, *_called(others, names)]}
    reached = [contact(session, each, channels) for each in found]
    return Resolved([each for each in reached if each is not None], names)


def addressee(
    session: Session,
    sender: User,
    words: str,
    within: Scope,
    channels: Collection[str] | None = None,
) -> tuple[Resolved, str]:
    """Who is meant by the beginning of some words, and the rest, which is for them. A colon or
    a line break ends the name; otherwise it is as long as may be."""
    name, colon, rest = words.partition(":")
    if colon and rest.strip() and len(name.split()) <= LONGEST_NAME:
        return resolve(session, sender, name, within, channels), rest.strip()
    parts = words.split()
    first = Resolved()
    for length in range(min(LONGEST_NAME, len(parts) - 1), 0, -1):
        if length > 1 and not content_terms(parts[length - 1]):
            continue
        found = resolve(session, sender, " ".join(parts[:length]), within, channels)
        if found.contacts:
            return found, words.split(maxsplit=length)[length]
        if found.names and not first.names:
            first = found
    return first, ""


def _called(users: Sequence[User], names: Sequence[str]) -> Sequence[User]:
    """The users of these names; where none is called so in full, those whose names have all
    words of one, such as `Ann` of `Ann Baker`."""
    found: dict[str, User] = {}
    for name in names:
        key = key_of(name)
        exact = [each for each in users if key and entity(each.name) == key]
        parts = set(filter(None, key.split("_")))
        part_of = [each for each in users if parts and parts <= set(entity(each.name).split("_"))]
        found |= {each.user_id: each for each in exact or part_of}
    return list(found.values())
