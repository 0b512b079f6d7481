"""Commands of owners: who may talk to gaia."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy.orm import Session

from gaia.commands.registry import Call, Command, Topic
from gaia.core import pairing, sentences
from gaia.core.slash import Reply
from gaia.errors import (
    AddressTakenError,
    GroupUserError,
    LastOwnerError,
    UnknownCodeError,
    UnknownUserError,
    UserNameError,
)
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.store.people.pairings import Pairing, read_code

Greet = Callable[[Session, Pairing], int | None]
"""Tells who was let in; returns the conversation to deliver then."""

NOBODY_WAITS = (
    "No request has that code or number: it was answered, is older than an hour, or is mistyped."
)


def people_commands(greet: Greet) -> Sequence[Command]:
    """The commands; `greet` tells somebody that they are in."""

    def approve(call: Call) -> Reply:
        code, name = _code_and_name(call.words)
        if not code:
            return Reply("Who? Write /approve and their code, and a name for them if you like.")
        try:
            wanted = pairing.find_request(call.session, code, call.now)
            user = pairing.approve(call.session, wanted, name=name, by=call.user_id, now=call.now)
        except UnknownCodeError:
            return Reply(NOBODY_WAITS)
        except UserNameError:
            return Reply("That name is taken, or not allowed. Choose another: /approve … NAME")
        except AddressTakenError:
            return Reply("They already have access.")
        conversation_id = greet(call.session, wanted)
        return Reply(
            f"{sentences.plain(user.name)} now has access, as {user.role.with_article}.",
            wakes=() if conversation_id is None else (conversation_id,),
        )

    return (
        Command.at_once(
            "users", "Who may talk to me", list_users, role=Role.OWNER, topic=Topic.OWNERS
        ),
        Command.at_once(
            "approve",
            "Give somebody access, by their code",
            approve,
            role=Role.OWNER,
            topic=Topic.OWNERS,
        ),
        Command.at_once(
            "deny", "Refuse somebody access", deny, role=Role.OWNER, topic=Topic.OWNERS
        ),
        Command.at_once(
            "role", "Give somebody another role", set_role, role=Role.OWNER, topic=Topic.OWNERS
        ),
    )


def list_users(call: Call) -> str:
    """List all users with their roles and channels."""
    lines = []
    for user in identities.everybody(call.session):
        addresses = identities.addresses(call.session, user.user_id)
        channels = ", ".join(dict.fromkeys(address.channel for address in addresses))
        kind = f"{user.role}, a group" if user.is_group else user.role
        lines.append(f"{sentences.plain(user.name)} ({kind}): {channels or 'no channel'}")
    return "\n".join(lines)


def deny(call: Call) -> str:
    """Have a request wait no longer."""
    try:
        wanted = pairing.find_request(call.session, call.words, call.now)
    except UnknownCodeError:
        return NOBODY_WAITS
    pairing.turn_down(call.session, wanted, by=call.user_id, now=call.now)
    return "Denied."


def set_role(call: Call) -> str:
    """Give a user another role."""
    name, _, word = call.words.rpartition(" ")
    if not name or word.lower() not in [*Role]:
        return f"Write /role, a name and one of {', '.join(Role)}."
    role = Role(word.lower())
    try:
        user = identities.find(call.session, name.strip())
        changed = identities.set_role(call.session, user, role)
    except UnknownUserError:
        return f"There is no user called {sentences.plain(name)}. /users lists everybody."
    except LastOwnerError:
        return "That would leave me without an owner. Make somebody else an owner first."
    except GroupUserError:
        return "A group cannot be an owner: everybody who joins it would be one."
    audit.record(
        call.session,
        Action.ROLE_CHANGED,
        at=call.now,
        by=call.user_id,
        subject=user.user_id,
        detail=role,
    )
    return f"{sentences.plain(changed.name)} is {role.with_article} now."


def _code_and_name(words: str) -> tuple[str, str | None]:
    """A code may be written in two groups with a blank between them."""
    parts = words.split()
    grouped = " ".join(parts[:2])
    taken = 2 if len(parts) > 1 and read_code(grouped) else 1
    return " ".join(parts[:taken]), " ".join(parts[taken:]) or None
