"""What the server was asked, for a test to look at."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue


class RecordedRequest(BaseModel):
    """One request as it arrived, and the status it was answered with."""

    model_config = ConfigDict(frozen=True)

    protocol: str
    path: str
    model: str
    stream: bool
    size: int
    """Bytes of the body."""
    body: dict[str, JsonValue]
    system: str
    user_texts: tuple[str, ...]
    """What the user said, without gaia's context blocks, oldest first."""
    tools: tuple[str, ...]
    status: int
