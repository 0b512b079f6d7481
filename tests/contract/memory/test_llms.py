"""Chat models as mem0 has them: gaia's own, and those of other hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr

from gaia.errors import ModelTimeoutError, ModelUnavailableError
from gaia.memory.index.factories import Factories
from gaia.memory.index.llm import Mem0Ask
from gaia.memory.index.opener import open_llm
from gaia.paths import Home
from gaia.settings.schema import ComponentSettings, Secrets
from tests.servers.model_server import ModelServer, Step, running_model_server

ASKED = [{"role": "system", "content": "Answer in JSON."}, {"role": "user", "content": "hello"}]
SHAPE = {"type": "object", "properties": {"summary": {"type": "string"}}}
KEY = Secrets(openai_api_key=SecretStr("a-key"))


class Model:
    """Answers everything alike, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Sequence[Mapping[str, str]], bool]] = []

    def __call__(self, messages: Sequence[Mapping[str, str]], *, wants_json: bool) -> str:
        self.asked.append((messages, wants_json))
        return '{"facts": []}'


def test_auto_is_the_model_that_answers_in_chats(tmp_path: Path) -> None:
    model = Model()
    llm = Factories(tmp_path).auto_llm(model)
    answer = llm.generate_response(ASKED, response_format={"type": "json_object"})
    assert answer == '{"facts": []}'
    assert llm.generate_response(ASKED) == answer
    assert model.asked == [(ASKED, True), (ASKED, False)]


def far(
    tmp_path: Path, server: ModelServer, *, secrets: Secrets = KEY, seconds: float = 30
) -> Mem0Ask:
    settings = ComponentSettings(
        provider="openai", config={"openai_base_url": server.openai_base_url, "model": "far"}
    )
    opener = partial(open_llm, Home(tmp_path), settings, secrets)
    return Mem0Ask(opener, "openai/far", seconds=seconds)


async def test_another_host_is_asked_for_json_of_the_shape(tmp_path: Path) -> None:
    # mem0 never closes the clients that it makes.
    async with running_model_server(Step(text='{"summary": "x"}'), keeps_open=False) as server:
        ask = far(tmp_path, server)
        answer = await ask("Find facts.", "Ada| I row", SHAPE, purpose="digest")
    assert answer.text == '{"summary": "x"}'
    used = answer.usage
    assert (used.model, used.purpose, used.calls) == ("openai/far", "digest", 1)
    assert used.tokens_in > used.tokens_out > 0
    (request,) = server.requests
    assert request.model == "far"
    asked = str(request.body)
    assert "json_object" in asked
    assert "Find facts." in asked
    assert "Ada| I row" in asked
    assert '"summary"' in asked.replace("\\", "")


async def test_a_host_that_fails_is_told_without_its_own_words(tmp_path: Path) -> None:
    async with running_model_server(Step(status=400), keeps_open=False) as server:
        ask = far(tmp_path, server)
        with pytest.raises(ModelUnavailableError, match="openai/far, did not answer") as caught:
            await ask("Find facts.", "Ada| I row", SHAPE, purpose="digest")
    assert "row" not in str(caught.value)


async def test_a_host_that_hangs_is_given_up(tmp_path: Path) -> None:
    async with running_model_server(Step(hang=True), keeps_open=False) as server:
        ask = far(tmp_path, server, seconds=0.3)
        with pytest.raises(ModelTimeoutError, match=r"longer than 0\.3 s"):
            await ask("Find facts.", "Ada| I row", SHAPE, purpose="digest")


async def test_a_missing_key_is_named(tmp_path: Path) -> None:
    settings = ComponentSettings(provider="openai", config={"model": "far"})
    ask = Mem0Ask(partial(open_llm, Home(tmp_path), settings, Secrets()), "openai/far", seconds=30)
    with pytest.raises(ModelUnavailableError, match="OPENAI_API_KEY is not set"):
        await ask("Find facts.", "Ada| I row", SHAPE, purpose="digest")
