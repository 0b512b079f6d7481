"""llama.cpp's own server, as somebody runs it for themselves: a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTEXT_TOKENS = 8192
REPLY_TOKENS = 32
TOOLS = "tools"


@contextmanager
def running_llamacpp(weights: Path, *, takes_tools: bool) -> Iterator[str]:
    """Run it on loopback until the block is left; yields its address. It takes tools where
    it renders by the model's template, as it does with `--jinja`."""
    command = [sys.executable, "-m", "tests.servers.llamacpp", str(weights)]
    with subprocess.Popen(
        [*command, TOOLS] if takes_tools else command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            address = next((line for line in process.stdout or () if line.startswith("http")), "")
            if not address:
                raise RuntimeError(f"llama.cpp's server did not start with {weights}")
            yield f"{address.strip()}/v1"
        finally:
            process.kill()


def main() -> None:
    """Serve until standard input closes."""
    import xllamacpp  # type: ignore[import-untyped]

    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.use_jinja = TOOLS in sys.argv
    params.n_ctx = CONTEXT_TOKENS
    params.n_predict = REPLY_TOKENS
    params.n_parallel = 1
    # Threads that wait for each other crawl where other processes want the processors too.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
