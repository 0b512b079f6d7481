"""The fixed sentences that people read of a day's tokens. They carry no numbers: what
others used is nobody's business, and `/status` has one's own."""

from __future__ import annotations

from datetime import datetime

from gaia.store.usage import Budget, Stage


def refused(budget: Budget, goes_on_at: datetime, *, is_group: bool) -> str:
    """In the place of an answer, once a budget is used up."""
    whom = "" if budget is Budget.ALL else f" for {_you(is_group=is_group)}"
    return (
        f"I have used up what I may think{whom} today, so I left that message out. "
        f"I go on {_at(goes_on_at)}: please say it again then. Commands such as /memory "
        "and /remember still work, and whoever runs me can allow more."
    )


def to_user(stage: Stage, goes_on_at: datetime, *, is_group: bool) -> str:
    """To a user, of their own budget, after an answer."""
    you = _you(is_group=is_group)
    if stage is Stage.NEAR:
        return (
            f"By the way: four fifths of what I may think for {you} today are used. "
            f"Once all is, I go on {_at(goes_on_at)}."
        )
    return (
        f"By the way: that was all that I may think for {you} today. I go on "
        f"{_at(goes_on_at)}. Commands such as /memory and /remember still work."
    )


def to_owner(stage: Stage, goes_on_at: datetime) -> str:
    """To an owner, of the budget of all."""
    if stage is Stage.NEAR:
        return (
            "Four fifths of the tokens that all may use today, limits.tokens_per_day, are "
            "used. 'gaia costs' shows for what."
        )
    return (
        "The tokens that all may use today, limits.tokens_per_day, are used up: I answer "
        f"nobody until I go on {_at(goes_on_at)}, or until you allow more in gaia.yaml. "
        "'gaia costs' shows for what they were used."
    )


def _you(*, is_group: bool) -> str:
    return "this group" if is_group else "you"


def _at(time: datetime) -> str:
    """Midnight, with the name of the time zone that it is of."""
    return f"at midnight ({time:%Z})"
