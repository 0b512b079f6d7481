"""What this machine has for a model of its own."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""Holds how much memory a container may have, or `max`."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Its memory, and the processors that a process may use."""

    memory_bytes: int
    cores: int

    def describe(self) -> str:
        """In a few words."""
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        return f"{round(self.memory_bytes / 10**9)} GB of memory and {cores}"


def look_at_machine(container_limit: Path = CONTAINER_LIMIT) -> Machine:
    """This machine, or the container in which gaia runs."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        memory = min(memory, int(container_limit.read_text(encoding="ascii")))
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has none.
        cores = os.cpu_count() or 1
    return Machine(memory, cores)
