"""The health check of containers, against a web server on the control socket."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gaia.cli import healthcheck
from gaia.paths import find_home
from gaia.web.server import WebServer, listen_on_path


@asynccontextmanager
async def answering(status: int, told: object) -> AsyncIterator[None]:
    """A daemon that says so of itself, in the home of this test session."""

    async def healthz(request: Request) -> Response:
        return JSONResponse(told, status_code=status)

    home = find_home()
    home.create()
    with listen_on_path(home.control_socket) as listener:
        listener.listen()
        server = WebServer(Starlette(routes=[Route("/healthz", healthz)]), listener)
        serving = asyncio.create_task(server.run_until_cancelled())
        try:
            yield
        finally:
            serving.cancel()
            await asyncio.wait((serving,))
            home.control_socket.unlink()


@pytest.mark.parametrize(
    ("status", "told", "code", "said"),
    [
        (200, {"status": "ok", "degraded": {}}, 0, "ok\n"),
        (200, {"status": "degraded", "degraded": {"m": "busy"}}, 0, "degraded; m: busy\n"),
        (503, {"status": "failing", "degraded": {"telegram": "x"}}, 1, "failing; telegram: x\n"),
        (200, ["nonsense"], 1, "gaia does not answer: TypeError\n"),
    ],
)
async def test_it_ends_as_gaia_is(
    status: int, told: object, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with answering(status, told):
        assert await asyncio.to_thread(healthcheck.main) == code
    assert capsys.readouterr().out == said


def test_without_a_daemon_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert healthcheck.main() == 1
    assert "does not answer: FileNotFoundError" in capsys.readouterr().out


def test_without_a_home_it_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAIA_HOME", "~no-such-user/gaia")
    assert healthcheck.main() == 1
    assert "'~no-such-user'" in capsys.readouterr().out


def test_it_imports_next_to_nothing() -> None:
    code = "import sys, gaia.cli.healthcheck; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert {b"httpx", b"pydantic", b"typer", b"asyncio"} & set(loaded.split()) == set()
