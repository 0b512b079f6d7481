"""What the first turn of a process would otherwise have to wait for."""

from __future__ import annotations

import logging
from importlib import import_module

from gaia import garbage
from gaia.memory.pleasantries import is_pleasantry

logger = logging.getLogger(__name__)

LATE = (
    "google.adk.a2a.agent",
    "google.adk.agents._agent_router",
    "google.adk.auth.auth_preprocessor",
    "google.adk.flows.llm_flows.auto_flow",
    "google.adk.models.google_llm",
    "google.adk.tools.agent_tool",
    "google.adk.tools.google_search_tool",
    "google.adk.tools.vertex_ai_search_tool",
    "google.adk.workflow._llm_agent_wrapper",
    "google.adk.workflow._node_runner_utils",
)
"""What the kit imports within its first turn, for a second: the loop would stand still."""


def load() -> None:
    """Load it, in the thread that calls this. What cannot be loaded fails in a turn, and says
    so there."""
    with garbage.building():
        is_pleasantry("hello")
        for name in LATE:
            try:
                import_module(name)
            except ImportError:
                logger.warning("the agent kit has no %s: the first turn loads it", name)
