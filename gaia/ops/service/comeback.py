"""Whether a service that is down for a moment comes back, so that a chat waits for it instead of
taking its place."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from gaia.errors import ServiceError
from gaia.ops.service.installer import Systemd, service_of
from gaia.ops.service.unit import Scope, value_of
from gaia.paths import Home, expanded
from gaia.store.lock import died_while_serving

BACK_SOON = frozenset({"active", "activating", "reloading", "deactivating"})
"""What systemd says of a service that runs, or is about to be started again."""


def comes_back(home: Home, environ: Mapping[str, str], now: datetime) -> bool:
    """Whether a service of this home is down for a moment: it died within minutes, or systemd
    is about to start it again."""
    if died_while_serving(home, now):
        return True
    for scope in Scope:
        service = service_of(scope, environ)
        text = service.written()
        if text is None or not _is_of(home, text):
            continue
        try:
            state = Systemd(scope).properties("ActiveState").get("ActiveState", "")
        except ServiceError:
            continue
        if state in BACK_SOON:
            return True
    return False


def _is_of(home: Home, text: str) -> bool:
    named = value_of(text, "Environment").strip('"').removeprefix("GAIA_HOME=")
    return Path(named) == home.root if named else home.root == expanded("~/.gaia")
