"""What mem0, Chroma and their threads read from the environment, set before they are imported,
and the memory that they are given.

They know no other way to be told. Nothing else in gaia reads these names.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

THREADS = {
    "TOKIO_WORKER_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""One thread each for Chroma's two pools, the embedded embedder and numpy: more of them
only compete with the turns. Chroma adds at most ten for its connections."""

SILENCE = {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False"}

PERTURB = -6
"""The parameter of glibc's `mallopt`: what is freed is overwritten with this byte, and what
is given out with its complement."""

FREED = 0xFF


def prepare(folder: Path) -> None:
    """Keep mem0 and Chroma inside `folder`, off the network, and modest."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ.update(SILENCE)
    os.environ["MEM0_DIR"] = str(folder)
    be_modest()


def be_modest() -> None:
    """Have what is loaded from now on take one thread each."""
    for name, value in THREADS.items():
        os.environ.setdefault(name, value)


def use_one_thread() -> None:
    """Have what is loaded from now on with OpenMP take one thread, whatever else was asked."""
    os.environ["OMP_NUM_THREADS"] = "1"


def ask_for_blank_memory() -> None:
    """Have the process get blank memory from now on.

    Chroma writes the whole block that it keeps vectors in, also the part that it does not
    use: what people said, and lay there before, would stand in a file, and stay there when
    it is forgotten. Where there is no glibc, nothing is changed.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(PERTURB, FREED)
