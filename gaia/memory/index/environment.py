"""What mem0, Chroma and their threads read from the environment, set before they are imported.

They know no other way to be told. Nothing else in gaia reads these names.
"""

from __future__ import annotations

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


def prepare(folder: Path) -> None:
    """Keep mem0 and Chroma inside `folder`, off the network, and modest."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ.update(SILENCE)
    os.environ["MEM0_DIR"] = str(folder)
    for name, value in THREADS.items():
        os.environ.setdefault(name, value)
