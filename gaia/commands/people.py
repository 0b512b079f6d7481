"""Commands of owners: who may talk to gaia."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sqlalchemy.orm import Session

from gaia.commands.registry import RANKS, Call, Command
from gaia.core import pairing, sentences
from gaia.core.slash import Reply
from gaia.digest.worker import DigestWorker
from gaia.errors import (
    AddressTakenError,
    GroupUserError,
    LastOwnerError,
    UnknownCodeError,
    UnknownUserError,
    UserNameError,
)
from gaia.messages import Address, Button
from gaia.ops.people import join_person
from gaia.store import audit, identities, pairings, strangers
from gaia.store.audit import Action
from gaia.store.identities import Role, User
from gaia.store.pairings import Pairing, new_code, read_code

Greet = Callable[[Session, Pairing], int | None]
"""Tells who was let in; returns the conversation to deliver then."""

NOBODY_WAITS = (
    "No request has that code or number: it was answered, is older than an hour, or is mistyped."
)

CONFIRMED = "yes"
"""Stands behind the code once its sender has been told what it does."""

BY_USER = "user"
"""Stands for the channel where the attempts of a known user are counted, by their id."""

NO_CODE = "That is not a code. /link alone gives you one; send it to me from the other channel."
NO_SUCH_CODE = (
    "I don't know that code: it was used, is older than an hour, or is mistyped. "
    "/link on the other channel gives you a new one."
)
TOO_MANY = "Too many codes for one hour. Please try again later."


def people_commands(greet: Greet) -> Sequence[Command]:
    """The commands; `greet` tells somebody that they are in."""

    def approve(call: Call) -> Reply:
        code, name = _code_and_name(call.words)
        if not code:
            return Reply("Who? Write /approve and their code, and a name for them if you like.")
        try:
            wanted = pairing.find_request(call.session, code, call.now)
            user = pairing.approve(
                call.session, wanted, name=name, by=call.caller.user.user_id, now=call.now
            )
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
        Command.at_once("users", "Who may talk to me", list_users, role=Role.OWNER),
        Command.at_once("approve", "Give somebody access, by their code", approve, role=Role.OWNER),
        Command.at_once("deny", "Refuse somebody access", deny, role=Role.OWNER),
        Command.at_once("role", "Give somebody another role", set_role, role=Role.OWNER),
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
    pairing.turn_down(call.session, wanted, by=call.caller.user.user_id, now=call.now)
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
        by=call.caller.user.user_id,
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


def linking_commands(digest_worker: DigestWorker) -> Sequence[Command]:
    """The command; the sessions are those of a user who becomes another, and what was
    said in them is for `digest_worker`."""

    def link(call: Call) -> Reply:
        words = call.words.split()
        if not words:
            return Reply(_offer(call))
        is_confirmed = words[-1].lower() == CONFIRMED
        code = read_code(" ".join(words[:-1] if is_confirmed else words))
        if code is None:
            return Reply(NO_CODE)
        found = _find(call, code)
        if isinstance(found, str):
            return Reply(found)
        into = pairing.whose(call.session, found)
        if into is None:
            return Reply(_promote(call, found))
        if into.user_id == call.caller.user.user_id:
            return Reply("That is your own code: send it to me from another channel of yours.")
        if not is_confirmed:
            return _ask(call.caller.user, into, code)
        if not pairings.claim(call.session, found.pairing_id, call.now):
            return Reply(NO_SUCH_CODE)
        joined = join_person(
            call.session,
            call.caller.user,
            into,
            call.now,
            learns=digest_worker.enabled,
        )
        return Reply(
            f"Done: you are {sentences.plain(joined.name)} here too, {joined.role}. I no longer "
            "see what we talked about here before: this is a new conversation.",
            committed=partial(digest_worker.wake, joined.user_id),
        )

    return (Command.at_once("link", "Add another channel of yours", link, ("pair",), private=True),)


def _offer(call: Call) -> str:
    code = new_code()
    pairing.offer_link(call.session, code, call.caller.user, call.now)
    return (
        f"Send me this code from your other channel: {code.shown}\n"
        "It is valid for an hour. Whoever sends it is treated as you, so keep it secret."
    )


def _find(call: Call, code: str) -> Pairing | str:
    """What the code is for, or why that is not told."""
    attempts = Address(BY_USER, call.caller.user.user_id)
    if not strangers.may_try(call.session, attempts, call.now):
        return TOO_MANY
    waiting = pairings.to_send_back(call.session, call.now)
    return pairings.matching(code, waiting) or NO_SUCH_CODE


def _promote(call: Call, found: Pairing) -> str:
    """Take up an invitation for a new user who turns out to be a user already."""
    user, role = call.caller.user, found.terms.role or Role.MEMBER
    if RANKS[role] <= RANKS[user.role]:
        name = sentences.plain(user.name)
        return f"You already have access, as {name}. The code is still valid for somebody else."
    if not pairings.claim(call.session, found.pairing_id, call.now):
        return NO_SUCH_CODE
    pairings.settle(call.session, found.pairing_id, user.user_id)
    identities.set_role(call.session, user, role)
    audit.record(
        call.session,
        Action.ROLE_CHANGED,
        at=call.now,
        by=user.user_id,
        subject=user.user_id,
        detail=role,
    )
    return f"You are {role.with_article} now."


def _ask(user: User, into: User, code: str) -> Reply:
    command = f"/link {code} {CONFIRMED}"
    return Reply(
        f"That code belongs to {sentences.plain(into.name)}. If you are the same person, I merge "
        f"the two: everything of {sentences.plain(user.name)}, who you are here, becomes theirs, "
        "and our conversation here starts again. That cannot be undone. "
        f"Answer yes, or {command}, to confirm.",
        (Button("Join", command, "yes"), Button("Not now", "/cancel", "no")),
    )
