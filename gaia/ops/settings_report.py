"""What the daemon says of its settings on its control socket. Read on both ends."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from gaia.ops.report import Report
from gaia.settings.changes import Change

RELOAD_PATH = "/local/settings/reload"
DIFF_PATH = "/local/settings/diff"


class ChangeReport(Report):
    """A setting that is another one, or would be. A secret is named by its variable, has
    no `effect`, and its values are words about it."""

    key: str
    before: JsonValue
    after: JsonValue
    effect: str


class ReloadReport(Report):
    """What was changed, or would be; or, in `problem`, why nothing is."""

    changes: tuple[ChangeReport, ...] = ()
    problem: str = ""


def reported(changes: Sequence[Change]) -> tuple[ChangeReport, ...]:
    """Changes as they are told on the control socket."""
    return tuple(
        ChangeReport(key=each.key, before=each.before, after=each.after, effect=each.effect)
        for each in changes
    )
