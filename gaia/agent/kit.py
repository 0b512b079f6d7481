"""How the agent kit is to behave: it keeps what is said out of its traces, and looks once for
what is not installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from google.adk.telemetry.context import ContentCapturingMode, TelemetryConfig

WORDLESS = TelemetryConfig(
    capture_message_content=ContentCapturingMode.NO_CONTENT,
    genai_semconv_stability_opt_in="stable",
)
"""Keeps what is said out of traces; the kit has it in them unless it is told. The other form
of traces takes the whole request apart, though nothing of it is told."""

if find_spec("a2a") is None:
    # The kit looks for it at each turn, and would run the modules that need it each time. An
    # entry without a module says that there is none.
    sys.modules.setdefault("google.adk.agents.remote_a2a_agent", None)  # type: ignore[arg-type]
