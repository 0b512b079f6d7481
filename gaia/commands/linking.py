"""The link command: one person on several channels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gaia.commands.registry import RANKS, Call, Command
from gaia.core import pairing, sentences
from gaia.core.slash import Reply
from gaia.digest.worker import Digesting
from gaia.messages import Address, Button
from gaia.ops.people import join_person
from gaia.store import audit, identities, pairings, strangers
from gaia.store.audit import Action
from gaia.store.identities import Role, User
from gaia.store.pairings import Pairing, new_code, read_code

CONFIRMED = "yes"
"""Stands behind the code once its sender has been told what it does."""

BY_USER = "user"
"""Stands for the channel where the attempts of a known user are counted, by their id."""

NO_CODE = "That is no code. /link alone gives you one, to be written to me from the other channel."
NO_SUCH_CODE = (
    "I know no such code: it was used, is older than an hour, or is mistyped. "
    "/link on the other channel gives you a new one."
)
TOO_MANY = "Too many codes for one hour. Please try again later."


def linking_commands(digesting: Digesting) -> Sequence[Command]:
    """The command; the sessions are those of a user who becomes another, and what was
    said in them is for `digesting`."""

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
            return Reply("That is you already: write the code to me from another channel of yours.")
        if not is_confirmed:
            return _ask(call.caller.user, into, code)
        if not pairings.claim(call.session, found.pairing_id, call.now):
            return Reply(NO_SUCH_CODE)
        joined = join_person(
            call.session,
            call.caller.user,
            into,
            call.now,
            learns=digesting.enabled,
        )
        return Reply(
            f"Done: you are {sentences.plain(joined.name)} here too, {joined.role}. What we talked "
            "about on this side before is no longer in my mind: we begin anew.",
            committed=partial(digesting.wake, joined.user_id),
        )

    return (
        Command.at_once("link", "Join another channel of yours", link, ("pair",), private=True),
    )


def _offer(call: Call) -> str:
    code = new_code()
    pairing.offer_link(call.session, code, call.caller.user, call.now)
    return (
        f"Write this code to me from your other channel: {code.shown}\n"
        "It is valid for an hour. Whoever writes it becomes you, so show it to nobody."
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
        return f"You are in already, as {name}. The code stays good for somebody else."
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
        f"That code is of {sentences.plain(into.name)}. If you are the same person, I make you "
        f"one: everything of {sentences.plain(user.name)}, who you are here, becomes theirs, and "
        f"our conversations here begin anew. That cannot be undone. {command} does it.",
        (Button("Join", command),),
    )
