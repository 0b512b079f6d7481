"""`gaia --help` pays for Typer, and for nothing heavier."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    *("alembic", "anthropic", "google", "httpx", "openai", "prompt_toolkit", "pydantic"),
    *("rich", "sqlalchemy", "starlette", "uvicorn", "websockets", "xllamacpp", "yaml", "asyncio"),
)
SCRIPT = """
import sys
from gaia.cli.main import app
sys.argv = ["gaia", "--help"]
try:
    app()
except SystemExit as exc:
    assert not exc.code, exc.code
print("loaded:", *{name.partition(".")[0] for name in sys.modules})
"""


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = done.stdout.rpartition("loaded:")[2].split()
    assert "typer" in loaded
    assert set(loaded).isdisjoint(HEAVY)
