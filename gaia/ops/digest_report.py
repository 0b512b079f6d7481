"""What the daemon says of digesting at once on its control socket. Read on both ends."""

from __future__ import annotations

from gaia.ops.report import Report

DIGEST_PATH = "/local/sessions/digest"


class DigestWish(Report):
    """What is to be digested: the present sessions, of one user if named, or with `retry`
    what failed."""

    user_id: str | None
    retry: bool


class DigestOutcome(Report):
    """How a digest stands in the end. `error` is the last failure, empty if there was none;
    `waits` says that its user has no calls left today."""

    user_id: str
    session_id: str
    state: str
    learned: int
    changed: int
    error: str
    waits: bool


class DigestStep(Report):
    """How far it is; the last step has `outcomes`, or `error` is why it cannot be done."""

    done: int = 0
    total: int = 0
    outcomes: tuple[DigestOutcome, ...] | None = None
    error: str = ""
