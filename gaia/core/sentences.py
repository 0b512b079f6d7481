"""The fixed sentences that people read when something did not work, and at the door.

They never carry an exception's text. The turn's id leads the owner to the log.
"""

from __future__ import annotations

from gaia.errors import (
    ModelBlockedError,
    ModelError,
    ModelFruitlessError,
    ModelMissingError,
    ModelRefusedError,
    ModelRejectedError,
    ModelTimeoutError,
    ModelTooLongError,
    ModelUnavailableError,
    ModelUnpaidError,
    ModelUnreachableError,
)
from gaia.store.people.identities import User

STOPPED = "Stopped."
NOTHING_TO_STOP = "Nothing is running."
REST_IN_FILE = "My answer is too long for a message. This file has all of it."
REST_LEFT_OUT = (
    "My answer goes on, but is too long for this chat. Ask me for the rest, or for a shorter one."
)
NOTHING_SHOWN = "My model answered with nothing that can be shown here. Please try again."
STOPPED_MARK = "(stopped by the user)"
"""Closes the answer that a session keeps of a turn that was stopped."""

NOT_ANSWERED = "That was neither a yes nor a no, so I leave everything as it is."
"""To whoever was asked, and wrote something else."""
NOT_ANSWERED_IN_GROUP = (
    "In a group a button or the command answers my question, and not a plain yes or no. I leave "
    "everything as it is."
)


def or_in_words(words: str, *, direct: bool) -> str:
    """Stands before the command that answers a question, where words do as well: in a group
    they do not, since nobody answers there for somebody else."""
    return f"{words}, or " if direct else ""


def yes_or_no_in_words(*, direct: bool) -> str:
    """Stands before the commands for yes and no, each with what it does, where words do as well."""
    return "Answer yes or no: " if direct else ""


ASKED_LONG_AGO = "I asked that more than an hour ago, so I leave everything as it is."
"""To whoever answers when the question does not wait any more."""

FORGOTTEN_UNREAD = (
    "What you wrote here was forgotten with the rest before I got to it. If you still want it, "
    "please say it again."
)
"""In the place of an answer to words that were to be forgotten while they waited."""

COME_BACK_LATER = (
    "I don't know you yet, and several other people are already waiting for access. "
    "Please write again in an hour."
)

MARKUP = frozenset("*_`~[]()<>#|\\!")
"""What a name of somebody's own choice loses, so that it cannot look like gaia's words."""


def stranger(code: str, *, is_group: bool) -> str:
    """To somebody whom gaia does not know."""
    us, you = ("this group", "it") if is_group else ("you", "you")
    return (
        f"I don't know {us} yet. If you know the person who runs me, ask them to let {you} in "
        f"with this code: {code} (valid for an hour)."
    )


def welcome(name: str, *, is_group: bool) -> str:
    """To somebody who has just been let in."""
    if is_group:
        return (
            "Hello everybody, I'm gaia. Mention me, reply to me or send me a command, "
            "and I will answer. /help lists my commands."
        )
    return (
        f"Hello {plain(name)}, I'm gaia, your assistant. You now have access: just write to me. "
        "/help lists my commands, and /link adds another channel of yours."
    )


def linked(user: User) -> str:
    """To a user who writes from another address for the first time."""
    name = plain(user.name)
    return (
        f"Hello {name}, I now know you on this channel too. This chat is one more of {name}, "
        f"{user.role.with_article}: whoever writes as {name} can read what is said here, and what "
        f"I know of {name} can be read here. If you are not {name}, write /unlink within a day."
    )


def address_linked(address: str) -> str:
    """To a user, in their other chats."""
    return (
        f"{plain(address)} is one more address of yours now, by a code of yours: whoever writes "
        "from there can read what I know of you. /unlink undoes it within a day."
    )


def type_the_code(user: User | None) -> str:
    """To whoever tapped on a link with a code that makes somebody of them."""
    who = "an owner of mine" if user is None else f"{plain(user.name)}, {user.role.with_article}"
    return (
        f"That link would make you {who}: whoever sent it to you could then read what you write "
        "here. If that is what you want, send me the code itself."
    )


def somebody_asks(number: int, name: str, address: str, *, is_group: bool) -> str:
    """To an owner, about a stranger."""
    who = f"The group {plain(name)}" if is_group else plain(name)
    return (
        f"{who} ({plain(address)}) asks for access. /approve {number} grants it, "
        f"/deny {number} refuses it. Approve only people you know: anybody can choose a name."
    )


def too_fast(limit: int) -> str:
    """To a user who writes more than `limits.messages_per_minute`."""
    return (
        f"You are writing faster than I can follow. I left out everything after {limit} "
        "messages within a minute; please say it again in a moment."
    )


def plain(name: str) -> str:
    """A name without what would be formatting in a reply."""
    return "".join(char for char in name if char not in MARKUP)


def too_long(characters: int, limit: int) -> str:
    """A message is longer than `limits.message_characters`."""
    return (
        f"That message has {characters:,} characters, more than I can read at once "
        f"({limit:,}). Please send it in parts, the next one when I have answered."
    )


def failed(exc: Exception, turn_id: str, *, to_owner: bool) -> str:
    """A turn came to its end without an answer. Owners are told which setting it is, and
    nobody else."""
    return f"{_cause(exc, to_owner=to_owner)} (turn {turn_id})"


def interrupted(turn_id: str) -> str:
    """A turn was interrupted so often that it is not tried again."""
    return (
        "I was interrupted each time I tried to answer your last message, so I stopped trying. "
        f"(turn {turn_id})"
    )


def command_failed(command: str, turn_id: str) -> str:
    """A slash command failed."""
    return f"/{command} did not work. The log says why. (turn {turn_id})"


def _cause(exc: Exception, *, to_owner: bool) -> str:
    match exc:
        case ModelMissingError():
            return "I have no model yet. The person who runs me can set one up with 'gaia setup'."
        case ModelTimeoutError():
            return "My model took too long to answer. Please try again, perhaps in smaller steps."
        case ModelUnpaidError():
            return f"The credit or the quota for my model is used up. {_remedy(exc, to_owner)}"
        case ModelRejectedError():
            return f"My model's provider refuses my requests. {_remedy(exc, to_owner)}"
        case ModelUnreachableError():
            return f"Nothing answers at my model's address. {_remedy(exc, to_owner)}"
        case ModelFruitlessError():
            return "My model gave no answer. Please try again, perhaps in smaller steps."
        case ModelTooLongError():
            return (
                "That message is longer than my model can read at once. Please send it in parts; "
                "/reset starts a new conversation, with more room."
            )
        case ModelBlockedError():
            return "My model refused to answer that message. Please try other words."
        case ModelRefusedError():
            return f"My model did not understand my request. {_remedy(exc, to_owner)}"
        case ModelUnavailableError():
            return "I can't reach my model at the moment. Please try again in a few minutes."
        case _:
            return "Something went wrong on my side. Please try again."


def _remedy(exc: ModelError, to_owner: bool) -> str:
    if not to_owner:
        return "The person who runs me can find the cause with 'gaia status'."
    remedy = f"Please {exc.remedy}: " if exc.remedy else ""
    return f"{remedy}'gaia status' shows the cause."
