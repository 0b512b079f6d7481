"""The daemon with hosts of models that others wrote: llmock, and llama.cpp's own server."""

from __future__ import annotations

import httpx
import pytest

from gaia.weights.folder import Weights
from tests.harness.host_talk import script_llmock, talk_with
from tests.harness.small_model import KEPT_MODELS, pull_small_model
from tests.servers.llamacpp import running_llamacpp
from tests.servers.llmock import running_llmock

KEY = {"OPENAI_API_KEY": "x"}


async def test_a_conversation_with_llmock_has_a_tool_call_and_outlives_a_kill(home, forks):
    with running_llmock() as url:
        async with httpx.AsyncClient(base_url=url) as http:
            talk = await talk_with(
                home,
                f"{url}/v1",
                "m",
                environ=KEY,
                start=forks.start,
                before_each=lambda text: script_llmock(http, text),
            )
            asked = (await http.get("/_llmock/requests")).text
    assert talk.faults() == []
    assert "".join(talk.pieces) == talk.hello == "All is well, thank you."
    assert talk.sum == "It is forty-two."
    assert "42" in asked


@pytest.mark.parametrize("takes_tools", [True, False], ids=["with tools", "without"])
async def test_a_conversation_with_llama_cpp_outlives_a_kill(home, forks, takes_tools):
    weights = Weights(KEPT_MODELS).path(pull_small_model())
    with running_llamacpp(weights, takes_tools=takes_tools) as url:
        talk = await talk_with(home, url, "any", environ=KEY, start=forks.start)
    assert talk.faults() == []
