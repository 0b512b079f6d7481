"""The floor of a turn: the agent kit alone, with its sessions in memory, the same window and
a model that answers at once."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps.app import App
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

from gaia.settings.schema import Settings

NAME = "kit"
ANSWER = "Certainly."
EVENTS_A_TURN = 2


class AtOnceModel(BaseLlm):
    """A model that always says the same, at once, unless its `answer` says something else."""

    def answer(self, llm_request: LlmRequest) -> str:
        return ANSWER

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        yield LlmResponse(
            content=types.Content(role="model", parts=[types.Part(text=self.answer(llm_request))]),
            finish_reason=types.FinishReason.STOP,
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=10, candidates_token_count=5, total_token_count=15
            ),
        )


class Kit:
    """The agent kit without gaia."""

    def __init__(self) -> None:
        window = Settings().sessions.window_turns
        agent = LlmAgent(
            name=NAME, model=AtOnceModel(model=NAME), instruction="You are a friendly assistant."
        )
        history = ContextFilterPlugin(num_invocations_to_keep=window + 1)
        self._sessions = InMemorySessionService()
        self._runner = Runner(
            app=App(name=NAME, root_agent=agent, plugins=[history]), session_service=self._sessions
        )
        self._config = RunConfig(
            get_session_config=GetSessionConfig(num_recent_events=EVENTS_A_TURN * window)
        )

    async def turn(self, person: str, number: int) -> float:
        """The seconds that a person's turn of that number takes."""
        if number == 0:
            await self._sessions.create_session(app_name=NAME, user_id=person, session_id=person)
        said = types.Content(role="user", parts=[types.Part(text=f"This is message {number}.")])
        started = time.perf_counter()
        async for _ in self._runner.run_async(
            user_id=person, session_id=person, new_message=said, run_config=self._config
        ):
            pass
        return time.perf_counter() - started
