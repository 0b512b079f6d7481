"""scripts/bench [PART...] [--quick] [--json]: measures gaia against a floor of the same run.

Without a part all are measured but recall. With --quick all are measured small, to see that
they work: their figures tell little. `scripts/bench recall FILE...` has options of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from compileall import compile_dir
from importlib import import_module
from pathlib import Path

from figures import Figure, as_json

PARTS = ("turn", "growth", "load", "scale", "start", "commands", "prompt", "memory", "embedded")
RECALL = "recall"
ROOT = Path(__file__).parents[2]


def main(arguments: list[str]) -> int:
    if arguments[:1] == [RECALL] and arguments[1:] != ["--quick"]:
        return import_module(RECALL).main(arguments[1:])
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join((*PARTS, RECALL)))
    parser.add_argument("--quick", action="store_true", help="measure all parts small")
    parser.add_argument("--json", action="store_true", help="print JSON for a script to read")
    options = parser.parse_args(arguments)
    if strange := set(options.parts) - {*PARTS, RECALL}:
        parser.error(f"no part is called {', '.join(sorted(strange))}")
    # As its first start leaves it, also where the environment forbids to write bytecode.
    for package in ("gaia", "channels"):
        compile_dir(ROOT / package, quiet=1)
    parts = options.parts or ((*PARTS, RECALL) if options.quick else PARTS)
    measured = {part: _measure(part, options) for part in parts}
    if options.json:
        told = {part: list(map(as_json, figures)) for part, figures in measured.items()}
        print(json.dumps(told, indent=2))
    return 0


def _measure(part: str, options: argparse.Namespace) -> Sequence[Figure]:
    print(f"{part} …", file=sys.stderr, flush=True)
    figures = asyncio.run(import_module(part).measure(options.quick))
    if not options.json:
        print(part, *(f"  {each}" for each in figures), sep="\n", flush=True)
    return figures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
