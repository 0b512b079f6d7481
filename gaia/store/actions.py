"""The kinds of decisions that the audit has, for those who need no more of the store."""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """What was decided."""

    DENIED = "denied"
    CODE_MADE = "code made"
    PAIRED = "paired"
    APPROVED = "approved"
    TURNED_DOWN = "turned down"
    ADDED = "added"
    LINKED = "linked"
    UNLINKED = "unlinked"
    JOINED = "joined"
    ROLE_CHANGED = "role changed"
    REMOVED = "removed"
    RATE_LIMITED = "rate limited"
    FORGOT = "forgot"
    FORGOTTEN = "forgotten"
    HOME_WIPED = "home wiped"
    CONFIGURED = "configured"
    CONFIG_REFUSED = "configuration refused"
    RESTORED = "restored"
