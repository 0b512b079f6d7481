"""The block `memory.upkeep`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gaia.settings.block import Block


class UpkeepSettings(Block):
    """What is done with memories each night, and the confidence that it goes by."""

    enabled: bool = True
    use_gain: Annotated[float, Field(ge=0, le=1)] = 0.02
    decay_days: Annotated[float, Field(ge=1, le=36_500)] = 30.0
    archive_below: Annotated[float, Field(ge=0, le=1)] = 0.1
    near_above: Annotated[float, Field(ge=0, le=1)] = 0.85
    most_pairs: Annotated[int, Field(ge=0, le=100)] = 20
    episodes: Annotated[int, Field(ge=2, le=1000)] = 5
    most_candidates: Annotated[int, Field(ge=0, le=100)] = 10
    most_rules: Annotated[int, Field(ge=1, le=100)] = 20
