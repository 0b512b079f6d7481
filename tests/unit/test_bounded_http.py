"""What the clients of HTTP of one process share."""

from __future__ import annotations

import ssl

import pytest

from channels.telegram import api as telegram
from channels.whatsapp import api as whatsapp
from gaia.agent.remote.completions import open_client
from gaia.bounded_http import authorities


async def test_the_clients_of_a_process_read_once_whose_certificates_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[ssl.SSLContext] = []
    make = ssl.create_default_context

    def counted(cafile: str | None = None, capath: str | None = None) -> ssl.SSLContext:
        read.append(make(cafile=cafile, capath=capath))
        return read[-1]

    authorities.cache_clear()
    monkeypatch.setattr(ssl, "create_default_context", counted)
    bot = telegram.Api("1:a", "http://127.0.0.1:1", telegram.Timing())
    twilio = whatsapp.client(whatsapp.Timing())
    host = open_client("http://127.0.0.1:1/v1", "key")
    await bot.close_connections()
    await twilio.aclose()
    await host.aclose()
    assert len(read) == 1
