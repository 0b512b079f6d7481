"""/link makes another channel of somebody theirs, or makes one of two users; /unlink undoes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from gaia.commands.registry import RANKS, Call, Command, Topic
from gaia.core import pairing, sentences
from gaia.core.access import TERMINAL
from gaia.core.plain_words import ANSWERED_WITHIN
from gaia.core.slash import Reply
from gaia.digest.worker import DigestWorker
from gaia.memory import ledger
from gaia.messages import Address, Button
from gaia.ops.people import join_person, undo_last_link
from gaia.ports import Channel
from gaia.store import audit, questions
from gaia.store.audit import Action
from gaia.store.people import identities, pairings, strangers
from gaia.store.people.identities import Role, User
from gaia.store.people.pairings import Pairing, new_code, read_code
from gaia.text import counted_memories

CONFIRMED = "yes"
"""Stands behind the code once its sender has been told what it does."""

TITLES = {"telegram": "Telegram", "whatsapp": "WhatsApp"}
"""The channels that take a code from anywhere."""

NO_CHANNEL = (
    "No other channel of mine is on, so there is nothing to link yet: 'gaia setup' adds Telegram "
    "or WhatsApp."
)

BY_USER = "user"
"""Stands for the channel where the attempts of a known user are counted, by their id."""

NO_CODE = "That is not a code. /link alone gives you one; send it to me from the other channel."
NO_SUCH_CODE = (
    "I don't know that code: it was used, is older than an hour, or is mistyped. "
    "/link on the other channel gives you a new one."
)
TOO_MANY = "Too many codes for one hour. Please try again later."
OWNERS_CODE = (
    "You are an owner here, and I make an owner one with somebody else only by a code of the "
    "owner's: write /link here, and send me that code from the other channel."
)
NOTHING_LINKED = "Nothing was linked to you within a day, so there is nothing to undo."


def linking_commands(
    digest_worker: DigestWorker,
    channels: Mapping[str, Channel],
    wanted: Callable[[], Collection[str]],
    faded: Callable[[], None],
) -> Sequence[Command]:
    """The commands; the sessions are those of a user who becomes another, and what was
    said in them is for `digest_worker`. `channels` are those that are served, `wanted` those
    that the settings ask for: a chat that hosts gaia serves its terminal alone. `faded` is told
    once something incognito may have ended."""

    def link(call: Call) -> Reply:
        words = call.words.split()
        if not words:
            here = call.conversation.channel
            others = {*channels, *wanted()} - {here}
            if here == TERMINAL and not others:
                return Reply(NO_CHANNEL)
            return Reply(_offer(call, others, is_served=bool(others & channels.keys())))
        is_by_link = words[0].lower() == pairing.LINK_START
        is_yes = words[-1].lower() == CONFIRMED
        code = read_code(" ".join(words[is_by_link : len(words) - is_yes]))
        if code is None:
            return Reply(NO_CODE)
        is_confirmed = is_yes and _was_asked(call, code)
        found = _find(call, code)
        if isinstance(found, str):
            return Reply(found)
        into = pairing.whose(call.session, found)
        if is_by_link and pairing.needs_typing(found):
            return Reply(sentences.type_the_code(into))
        if into is None:
            return Reply(_promote(call, found))
        if into.user_id == call.user_id:
            return Reply("That is your own code: send it to me from another channel of yours.")
        if call.user.role is Role.OWNER and into.role is not Role.OWNER:
            return Reply(OWNERS_CODE)
        if not is_confirmed:
            return _ask(call, into, code)
        if not pairings.claim(call.session, found.pairing_id, call.now):
            return Reply(NO_SUCH_CODE)
        joined = join_person(
            call.session,
            call.user,
            into,
            call.now,
            learns=digest_worker.enabled,
        )
        return Reply(
            f"Done: you are {sentences.plain(joined.name)} here too, {joined.role}. I no longer "
            "see what we talked about here before: this is a new conversation. /unlink undoes it "
            "within a day.",
            committed=partial(digest_worker.wake, joined.user_id),
        )

    def unlink(call: Call) -> Reply:
        return Reply(_undo(call), is_farewell=True, committed=faded)

    return (
        Command.at_once(
            "link", "Add another channel of yours", link, ("pair",), private=True, topic=Topic.YOU
        ),
        Command.at_once(
            "unlink", "Undo the last /link, within a day", unlink, private=True, topic=Topic.YOU
        ),
    )


def _undo(call: Call) -> str:
    """Take apart what was linked to the caller last; returns what became of it."""
    undone = undo_last_link(call.session, call.user_id, by=call.user_id, now=call.now)
    if undone is None:
        return NOTHING_LINKED
    addresses = " and ".join(sentences.plain(str(each)) for each in undone.addresses)
    if undone.apart is None:
        return f"Undone: {addresses} belongs to nobody now, and what was said there stays with you."
    name, role = sentences.plain(undone.apart.name), undone.apart.role.with_article
    return (
        f"Undone: {name} is apart again, {role}, with {addresses}, and with what I know from there."
    )


def _offer(call: Call, others: Collection[str], *, is_served: bool) -> str:
    code = new_code()
    pairing.offer_link(call.session, code, call.user, call.now)
    titles = [title for name, title in TITLES.items() if name in others]
    where = f"on {' or '.join(titles)}" if titles else "from your other channel"
    later = "" if is_served or not titles else " I answer there once 'gaia serve' runs."
    return (
        f"Send me this code {where}: {code.shown}\n"
        f"It is valid for an hour.{later} Whoever sends it is treated as you, so keep it secret."
    )


def _find(call: Call, code: str) -> Pairing | str:
    """What the code is for, or why that is not told."""
    attempts = Address(BY_USER, call.user_id)
    if not strangers.may_try(call.session, attempts, call.now):
        return TOO_MANY
    waiting = pairings.to_send_back(call.session, call.now)
    return pairings.matching(code, waiting) or NO_SUCH_CODE


def _promote(call: Call, found: Pairing) -> str:
    """Take up an invitation for a new user who turns out to be a user already."""
    user, role = call.user, found.terms.role or Role.MEMBER
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


def _was_asked(call: Call, code: str) -> bool:
    """Whether it is the question of this chat that is answered with yes: nobody becomes
    somebody else by a command that they were told to write."""
    since, chat = call.now - ANSWERED_WITHIN, call.conversation.conversation_id
    asked = questions.waiting(call.session, chat, since, call.now)
    return asked is not None and asked.commands.get("yes") == _confirmation(code)


def _confirmation(code: str) -> str:
    return f"/link {code} {CONFIRMED}"


def _ask(call: Call, into: User, code: str) -> Reply:
    command, user = _confirmation(code), call.user
    me, them = sentences.plain(user.name), sentences.plain(into.name)
    mine = counted_memories(ledger.count(call.session, user.user_id))
    theirs = counted_memories(ledger.count(call.session, into.user_id))
    return Reply(
        f"That code belongs to {them}, {into.role.with_article}. Here you are {me}, "
        f"{user.role.with_article}. If you are the same person, I merge the two: you are {them} "
        f"here too, {into.role.with_article}. Whoever writes as {them} can then read what I know "
        f"of {me} ({mine}) and what is said here, and you can read what I know of {them} "
        f"({theirs}). Our conversation here starts again. /unlink undoes it for a day. "
        f"Answer yes, or {command}, to confirm.",
        (Button("Join", command, "yes"), Button("Not now", "/cancel", "no")),
    )
