"""The fixed sentences that people read when something did not work.

They never carry an exception's text. The turn's id leads the owner to the log.
"""

from __future__ import annotations

from gaia.errors import (
    ModelFruitlessError,
    ModelMissingError,
    ModelRefusedError,
    ModelRejectedError,
    ModelTimeoutError,
    ModelUnavailableError,
)

STOPPED = "Stopped."
NOTHING_TO_STOP = "Nothing is running."
STOPPED_MARK = "(stopped by the user)"
"""Closes the answer that a session keeps of a turn that was stopped."""


def too_long(characters: int, limit: int) -> str:
    """A message is longer than `limits.message_characters`."""
    return (
        f"That message has {characters:,} characters, more than I can take at once "
        f"({limit:,}). Please send it in parts."
    )


def failed(exc: Exception, turn_id: str) -> str:
    """A turn came to its end without an answer."""
    return f"{_cause(exc)} (turn {turn_id})"


def interrupted(turn_id: str) -> str:
    """A turn was interrupted so often that it is not tried again."""
    return (
        "I was interrupted each time I tried to answer your last message, so I stopped trying. "
        f"(turn {turn_id})"
    )


def command_failed(command: str, turn_id: str) -> str:
    """A slash command failed."""
    return f"/{command} did not work. The log says why. (turn {turn_id})"


def _cause(exc: Exception) -> str:
    match exc:
        case ModelMissingError():
            return (
                "I have no model to think with yet. Whoever runs me can install one "
                "with 'gaia model pull', or set a provider's key."
            )
        case ModelTimeoutError():
            return "My model took too long to answer. Please try again, perhaps in smaller steps."
        case ModelRejectedError():
            return (
                "My model takes no requests from me. Whoever runs me finds the cause "
                "with 'gaia status'."
            )
        case ModelFruitlessError():
            return "My model found no answer to that. Please try again, perhaps in smaller steps."
        case ModelRefusedError():
            return "My model would not answer that message. Please try it in other words."
        case ModelUnavailableError():
            return "I can't reach my model at the moment. Please try again in a few minutes."
        case _:
            return "Something went wrong on my side. Please try again."
