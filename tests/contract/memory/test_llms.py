"""Chat models as mem0 has them: gaia's own, and those of other hosts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import SecretStr

from gaia.memory.index.opening import open_llm
from gaia.paths import Home
from gaia.settings.schema import ComponentSettings, Secrets
from gaia.testing.model_server import Step, running_model_server

ASKED = [{"role": "system", "content": "Answer in JSON."}, {"role": "user", "content": "hello"}]


class Model:
    """Answers everything alike, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Sequence[Mapping[str, str]], bool]] = []

    def __call__(self, messages: Sequence[Mapping[str, str]], *, wants_json: bool) -> str:
        self.asked.append((messages, wants_json))
        return '{"facts": []}'


def test_auto_is_the_model_that_answers_in_chats(tmp_path: Path) -> None:
    model = Model()
    llm = open_llm(Home(tmp_path), ComponentSettings(provider="auto"), Secrets(), model)
    answer = llm.generate_response(ASKED, response_format={"type": "json_object"})
    assert answer == '{"facts": []}'
    assert llm.generate_response(ASKED) == answer
    assert model.asked == [(ASKED, True), (ASKED, False)]


async def test_another_host_is_reached_by_its_name(tmp_path: Path) -> None:
    # mem0 never closes the clients that it makes.
    async with running_model_server(Step(text="from afar"), keeps_open=False) as server:
        settings = ComponentSettings(
            provider="openai", config={"openai_base_url": server.openai_base_url, "model": "far"}
        )
        secrets = Secrets(openai_api_key=SecretStr("a-key"))
        llm = await asyncio.to_thread(open_llm, Home(tmp_path), settings, secrets, Model())
        assert await asyncio.to_thread(llm.generate_response, ASKED) == "from afar"
        assert server.requests[0].model == "far"
