"""A process with traces on, in which a core runs two turns: one calls a tool, one fails.
Its arguments are a home and the file that defines the core; what is said is `words-canary`."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from pathlib import Path

from gaia.clock import SystemClock
from gaia.errors import ModelRefusedError
from gaia.ops.tracing import SpanSender
from gaia.paths import Home
from gaia.settings.schema import TracingSettings
from gaia.testing.function_model import ToolCall, last_user_text

CANARY = "words-canary"


def answer(request):
    if "fail" in last_user_text(request):
        return ModelRefusedError(CANARY)
    if request.contents[-1].parts[-1].function_response:
        return f"answered {CANARY}"
    return ToolCall("load_memory", {"query": CANARY})


async def main(home: Home, core_file: Path) -> None:
    spec = importlib.util.spec_from_file_location("core", core_file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["core"] = module
    spec.loader.exec_module(module)
    tracing = SpanSender.start(TracingSettings(enabled=True), os.environ, SystemClock())
    async with module.run_core(home, answer, senders=("sender-canary",)) as core:
        await core.channel.say(f"hello {CANARY}", sender="sender-canary")
        await core.channel.until_sent(1)
        await core.channel.say(f"fail {CANARY}", sender="sender-canary")
        await core.channel.until_sent(2)
    await tracing.stop()


asyncio.run(main(Home(Path(sys.argv[1])), Path(sys.argv[2])))
