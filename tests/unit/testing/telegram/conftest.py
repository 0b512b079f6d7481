"""A Telegram of one's own, and the real client that talks to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from telegram import Bot
from telegram.request import HTTPXRequest

from tests.servers.telegram import TelegramServer, running_telegram


def plain_request() -> HTTPXRequest:
    """The library's client, without the certificates that take a while to load."""
    return HTTPXRequest(connection_pool_size=8, httpx_kwargs={"verify": False})


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with running_telegram() as server:
        yield server


@pytest.fixture
async def bot(telegram: TelegramServer) -> AsyncIterator[Bot]:
    async with new_bot(telegram) as bot:
        yield bot


@pytest.fixture
async def other(telegram: TelegramServer) -> AsyncIterator[Bot]:
    """A second process with the same token."""
    async with new_bot(telegram) as bot:
        yield bot


def new_bot(telegram: TelegramServer) -> Bot:
    return Bot(
        telegram.token,
        telegram.base_url,
        telegram.base_file_url,
        request=plain_request(),
        get_updates_request=plain_request(),
    )
