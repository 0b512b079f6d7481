"""Puts new content in the place of a file's, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

UNFINISHED = ".partial"
"""Ends the name of what a crash left, to be removed before anything else."""


def rewrite(file: Path, content: bytes) -> None:
    """Give the file that content, and leave it private to its owner. Blocks."""
    unfinished = file.with_name(file.name + UNFINISHED)
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as to:
        to.write(content)
    unfinished.replace(file)
