"""How long `gaia --help` takes beside a bare interpreter that imports Typer and Rich.

Prints both and their ratio; exits with 1 when the ratio is above its bound.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

BOUND = 3.0
ROUNDS = 15


def main() -> None:
    gaia = str(Path(sys.executable).with_name("gaia"))
    bare_command = [sys.executable, "-c", "import typer, rich"]
    bare, whole = [], []
    for _ in range(ROUNDS):
        bare.append(seconds_of(bare_command))
        whole.append(seconds_of([gaia, "--help"]))
    ratio = min(whole) / min(bare)
    print(f"typer and rich: {min(bare) * 1000:.0f} ms, gaia --help: {min(whole) * 1000:.0f} ms")
    print(f"ratio: {ratio:.2f} (bound {BOUND:g}), the best of {ROUNDS} rounds")
    sys.exit(ratio > BOUND)


def seconds_of(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
