"""A real model, small enough for tests, pulled once and kept between runs."""

from __future__ import annotations

import fcntl
import getpass
import os
import tempfile
from pathlib import Path

from gaia.weights.catalogue import CatalogueModel, find_model
from gaia.weights.pull import pull

SMALL = "smollm2-135m-instruct-q4_1"
KEPT_MODELS = Path(
    os.environ.get("GAIA_TEST_MODELS")
    or Path(tempfile.gettempdir()) / f"gaia-test-models-{getpass.getuser()}"
)
"""Read here, since tests run without gaia's variables."""


class Silent:
    """A progress that tells nobody."""

    def source(self, name: str) -> None: ...
    def bytes_done(self, done: int, total: int) -> None: ...
    def discarded(self, name: str, cause: str) -> None: ...


def pull_small_model() -> CatalogueModel:
    """The model, which lies in `KEPT_MODELS` afterwards. Of test processes that want it at
    once, one pulls it and the others wait."""
    model = find_model(SMALL)
    KEPT_MODELS.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (KEPT_MODELS / ".tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pull(model, KEPT_MODELS, Silent())
    return model
