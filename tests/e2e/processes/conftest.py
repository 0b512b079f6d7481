"""Several gaias on one PostgreSQL database, behind a balancer that Telegram calls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.harness.cluster import Cluster, cluster_of
from tests.harness.forked import ForkServer
from tests.harness.postgres import PostgresServer

Made = Callable[..., AbstractAsyncContextManager[Cluster]]


@pytest.fixture
def made(tmp_path: Path, forks: ForkServer, postgres: PostgresServer) -> Made:
    """Makes clusters of so many processes, which so many people may write to."""
    return lambda count, people, reader=None: cluster_of(
        count, people, tmp_path, forks.start, postgres, reader
    )
