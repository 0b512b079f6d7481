"""The small model, in its process."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from gaia.agent.embedded.conversation import Bounds
from gaia.agent.embedded.llm import EmbeddedLlm
from gaia.agent.embedded.server import EmbeddedServer, Launch
from gaia.testing.clock import FakeClock
from gaia.weights.catalogue import CatalogueModel
from gaia.weights.folder import Weights
from tests.harness.small_model import KEPT_MODELS, SMALL, pull_small_model

IDLE_SECONDS = 60.0


@pytest.fixture(scope="session")
def small_model() -> CatalogueModel:
    return pull_small_model()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


Launcher = Callable[..., EmbeddedServer]
Opener = Callable[..., EmbeddedLlm]

REPLY_TOKENS = 8
"""Of an answer, unless a test wants longer ones."""

THREADS = 1
"""Several wait for each other busily, which on a machine with other work costs more than it
saves."""


@pytest.fixture
async def launch(
    small_model: CatalogueModel, tmp_path: Path, clock: FakeClock
) -> AsyncIterator[Launcher]:
    """Builds servers, and stops them when the test is over."""
    async with AsyncExitStack() as running:

        def build(*, folder: Path = KEPT_MODELS, context_tokens: int = 2048) -> EmbeddedServer:
            server = EmbeddedServer(
                Launch(
                    model=small_model,
                    weights=Weights(folder),
                    context_tokens=context_tokens,
                    threads=THREADS,
                    log=tmp_path / "logs" / "embedded.log",
                ),
                clock=clock,
                idle_seconds=IDLE_SECONDS,
            )
            running.push_async_callback(server.close)
            return server

        yield build


@pytest.fixture
def open_llm(launch: Launcher) -> Opener:
    """Builds models with a short context and short answers."""

    def build(*, context_tokens: int = 2048, reply_tokens: int = REPLY_TOKENS) -> EmbeddedLlm:
        server = launch(context_tokens=context_tokens)
        return EmbeddedLlm(SMALL, server, Bounds(context_tokens, reply_tokens))

    return build
