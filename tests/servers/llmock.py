"""llmock, a model server that others wrote, as a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RUNNING = b"Uvicorn running"
"""Stands in the line that it prints once it listens."""


@contextmanager
def running_llmock() -> Iterator[str]:
    """Run it on loopback until the block is left; yields its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = str(Path(sys.executable).parent / "llmock")
    command = [program, "serve", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            lines = process.stdout or ()
            if not any(RUNNING in line for line in lines):
                raise RuntimeError(f"llmock did not start on port {port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
