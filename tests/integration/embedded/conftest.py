"""A real model, small enough for tests, pulled once and kept between runs."""

import fcntl
import getpass
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from gaia.agent.embedded.catalogue import CatalogueModel, find_model
from gaia.agent.embedded.conversation import Bounds
from gaia.agent.embedded.llm import EmbeddedLlm
from gaia.agent.embedded.pull import pull
from gaia.agent.embedded.server import EmbeddedServer, Launch
from gaia.agent.embedded.weights import Weights
from gaia.testing.clock import FakeClock

SMALL = "smollm2-135m-instruct-q4_1"
KEPT_MODELS = Path(
    os.environ.get("GAIA_TEST_MODELS")
    or Path(tempfile.gettempdir()) / f"gaia-test-models-{getpass.getuser()}"
)
"""Read here, since tests run without gaia's variables."""
IDLE_SECONDS = 60.0


class Silent:
    """A progress that tells nobody."""

    def source(self, name: str) -> None: ...
    def bytes_done(self, done: int, total: int) -> None: ...
    def discarded(self, name: str, cause: str) -> None: ...


@pytest.fixture(scope="session")
def small_model() -> CatalogueModel:
    """The model, which lies in `KEPT_MODELS` afterwards. Of test processes that want it at
    once, one pulls it and the others wait."""
    model = find_model(SMALL)
    KEPT_MODELS.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (KEPT_MODELS / ".tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pull(model, KEPT_MODELS, Silent())
    return model


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


Launcher = Callable[..., EmbeddedServer]
Opener = Callable[..., EmbeddedLlm]

REPLY_TOKENS = 24
"""Of an answer, unless a test wants longer ones."""


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
                    threads=0,
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
