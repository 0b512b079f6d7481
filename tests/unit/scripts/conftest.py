"""The modules of the scripts, which are no package."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[3] / "scripts" / "benchmarks"


@pytest.fixture
def benchmark_module(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Imports a module of `scripts/benchmarks`."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module
