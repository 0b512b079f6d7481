"""What is told of a message after it was taken, and when: plans for status callbacks.

A plan gets a message and its course, which is what really becomes of it, and returns
what is told. Who tells of a failure makes it one: the message does not reach anybody.

    twilio.callbacks = late(30)
    twilio.callbacks = lambda message, course: (
        (Step("queued"), Step("failed", 63018)) if message.body == "two" else course
    )
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tests.servers.twilio.messages import Message

Status = Literal["queued", "sent", "delivered", "read", "failed", "undelivered"]

FAILED: frozenset[Status] = frozenset({"failed", "undelivered"})
ARRIVED: frozenset[Status] = frozenset({"delivered", "read"})


@dataclass(frozen=True, slots=True)
class Step:
    """One callback. `after` are the seconds since the one before, on the server's clock;
    one that is `early` comes before the request that sent the message is answered."""

    status: Status
    code: int | None = None
    after: float = 0.0
    early: bool = False


Course = tuple[Step, ...]
Callbacks = Callable[[Message, Course], Sequence[Step]]


def course_of(failure: int | None, *, is_blocked: bool) -> Course:
    """What becomes of a message. One to somebody who blocked gaia goes on for ever."""
    if failure is not None:
        return (Step("queued"), Step("undelivered", failure))
    if is_blocked:
        return (Step("queued"), Step("sent"))
    return (Step("queued"), Step("sent"), Step("delivered"))


def at_once(message: Message, course: Course) -> Sequence[Step]:
    """All is told, and nothing takes time."""
    return course


def never(message: Message, course: Course) -> Sequence[Step]:
    """Nothing is told."""
    return ()


def early(message: Message, course: Course) -> Sequence[Step]:
    """All is told before the client knows that the message was taken."""
    return [replace(step, early=True) for step in course]


def backwards(message: Message, course: Course) -> Sequence[Step]:
    """The last comes first."""
    return course[::-1]


def repeated(message: Message, course: Course) -> Sequence[Step]:
    """All is told twice, and then once more from the start."""
    return [*(step for step in course for _ in range(2)), *course]


def read(message: Message, course: Course) -> Sequence[Step]:
    """The person reads what arrives."""
    return (*course, Step("read")) if course[-1].status == "delivered" else course


def late(seconds: float) -> Callbacks:
    """Each is told so many seconds after the one before."""
    return lambda message, course: [replace(step, after=seconds) for step in course]


def failing(
    code: int | None, status: Literal["failed", "undelivered"] = "undelivered"
) -> Callbacks:
    """Nothing arrives, for this cause."""
    return lambda message, course: (Step("queued"), Step(status, code))
