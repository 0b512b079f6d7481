"""The metrics' own app serves them, and nothing else."""

from __future__ import annotations

import socket

import httpx
import pytest

from gaia.errors import ListenError
from gaia.web.app import metrics_app
from gaia.web.server import listen_on_port


async def text() -> bytes:
    return b"gaia_ready 1.0\n"


async def test_only_metrics_are_served() -> None:
    transport = httpx.ASGITransport(app=metrics_app(text))
    async with httpx.AsyncClient(transport=transport, base_url="http://gaia") as client:
        answer = await client.get("/metrics")
        assert answer.text == "gaia_ready 1.0\n"
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert (await client.get("/healthz")).status_code == 404
        assert (await client.post("/metrics")).status_code == 405


def test_a_port_that_is_taken_is_told_by_its_setting() -> None:
    with listen_on_port("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=rf"{port}.*metrics\.port.*metrics\.enabled"):
            listen_on_port("127.0.0.1", port, block="metrics")


def test_who_connects_before_the_server_runs_waits_for_it() -> None:
    with listen_on_port("127.0.0.1", 0) as listener:
        socket.create_connection(listener.getsockname(), timeout=1).close()
