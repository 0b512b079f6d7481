"""The process that holds the model: llama.cpp's server on loopback, and nothing else.

Run by `server` as `python -m gaia.agent.embedded.child MODEL CONTEXT_TOKENS THREADS`. The
first line on its standard output is a `Greeting`. It lives as long as its standard input is
open: that pipe closes when gaia ends, however gaia ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, NamedTuple, TextIO
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import xllamacpp  # type: ignore[import-untyped]

KEY_VARIABLE = "GAIA_EMBEDDED_KEY"
"""The environment variable with the key that each request must carry."""

SLOTS = 1
"""One answer at a time gets all cores and the whole context. A conversation's
state moves to memory when another's turn comes, so none loses its prefix."""
KEPT_STATES_MEGABYTES = 256
"""Memory for those states: 9,000 tokens of the default model at 28 kB each."""
BATCH_TOKENS = 64
"""A request that is given up is noticed between two batches: a second, for whoever waits
for the model while it reads a conversation that is over. Four times as many tokens at
once cost 3 % less work."""
SHORTEST_REUSE_TOKENS = 16
"""The shortest run of tokens that is kept when what stood before it is gone:
the context of a turn is not part of the next prompt, the answer after it is."""
TEMPERATURE, TOP_P, REPEAT_PENALTY = 0.3, 0.9, 1.05
"""How answers are drawn unless a request says it: at temperature 0 a small model says its
own mistakes over and over."""
WARNINGS = 2
"""llama.cpp's verbosity that logs warnings and errors; it logs no text at this level."""


class Greeting(NamedTuple):
    """What the child tells its parent once, in JSON: where it listens, or why it can't."""

    port: int = 0
    missing: str = ""


def main() -> None:
    """Serve until standard input closes."""
    model, context_tokens, threads = sys.argv[1:]
    parent = _take_over_output()
    watch = threading.Thread(target=_exit_with_parent, daemon=True)
    watch.start()
    try:
        server = _start_server(model, int(context_tokens), int(threads))
        greeting = Greeting(port=urlsplit(server.listening_address).port or 0)
    except ImportError as exc:
        greeting = Greeting(missing=str(exc))
    with parent:
        parent.write(json.dumps(greeting) + "\n")
    if greeting.missing:
        sys.exit(1)
    watch.join()


def _take_over_output() -> TextIO:
    """Keep standard output for the greeting; what the library prints goes to the log."""
    parent = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return parent


def _exit_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(0)


def _start_server(model: str, context_tokens: int, threads: int) -> xllamacpp.Server:
    """Load the model and listen. The server ends with the object."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = context_tokens
    params.n_parallel = SLOTS
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cache_ram_mib = KEPT_STATES_MEGABYTES
    params.n_cache_reuse = SHORTEST_REUSE_TOKENS
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [os.environ.pop(KEY_VARIABLE)]
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = WARNINGS
    params.sampling.temp = TEMPERATURE
    params.sampling.top_p = TOP_P
    params.sampling.penalty_repeat = REPEAT_PENALTY
    if threads:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
