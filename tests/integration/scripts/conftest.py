"""Scripts run as a person runs them: what one of them fetches comes over the network."""

from __future__ import annotations

import pytest


@pytest.fixture
def one_authority() -> None:
    """They trust whom this machine trusts."""
