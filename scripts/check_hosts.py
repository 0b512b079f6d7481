#!/usr/bin/env python3
"""Whether gaia talks with hosts of models that others wrote.

A real daemon holds a short conversation with each: its answers come in pieces, one calls a
tool where the host is scripted to, and the last one outlives a kill of the daemon. The hosts:

    llmock                      in the environment of `scripts/setup-dev`
    llama.cpp with tools        its own server, with `--weights FILE` or the tests' small model
    llama.cpp without tools     the same, which refuses requests that offer any
    LiteLLM before llmock       `uv tool install 'litellm[proxy]'`, or `--litellm PROGRAM`

Fails when one of them does not answer. One whose package is missing is named and left out.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import httpx

from gaia.paths import Home
from gaia.weights.folder import Weights
from tests.harness.host_talk import script_llmock, talk_with
from tests.harness.small_model import KEPT_MODELS, pull_small_model
from tests.servers.llamacpp import running_llamacpp
from tests.servers.llmock import running_llmock

KEY = "sk-check-hosts"
LITELLM_SECONDS = 120.0


class MissingError(Exception):
    """What a host needs is not installed; the text says how it is."""


@dataclass(frozen=True)
class Host:
    """A host that runs. `scripted` is where its answers are told, if they can be."""

    base_url: str
    scripted: str = ""


Running = Callable[[], AbstractAsyncContextManager[Host]]


@asynccontextmanager
async def llmock() -> AsyncIterator[Host]:
    if find_spec("llmock") is None:
        raise MissingError("llmock is not installed: run scripts/setup-dev")
    with running_llmock() as url:
        yield Host(f"{url}/v1", url)


@asynccontextmanager
async def llamacpp(weights: Path | None, *, takes_tools: bool) -> AsyncIterator[Host]:
    if find_spec("xllamacpp") is None:
        raise MissingError("xllamacpp is not installed: install 'gaia-assistant[local]'")
    file = weights or Weights(KEPT_MODELS).path(pull_small_model())
    with running_llamacpp(file, takes_tools=takes_tools) as url:
        yield Host(url)


@asynccontextmanager
async def litellm(program: str) -> AsyncIterator[Host]:
    """LiteLLM's proxy, which asks llmock in its turn."""
    if shutil.which(program) is None:
        raise MissingError(f"there is no {program!r}: uv tool install 'litellm[proxy]'")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running_llmock() as url, tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        config.write_text(
            "model_list:\n  - model_name: m\n    litellm_params:\n"
            f"      {{model: openai/m, api_base: '{url}/v1', api_key: x}}\n"
        )
        process = await asyncio.create_subprocess_exec(
            *(program, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)),
            env={**os.environ, "LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        lines = process.stdout or asyncio.StreamReader()
        drain = None
        try:
            async with asyncio.timeout(LITELLM_SECONDS):
                while b"Uvicorn running" not in await lines.readline():
                    if lines.at_eof():
                        raise RuntimeError(f"{program} ended at once")
            drain = asyncio.create_task(lines.read())
            yield Host(f"http://127.0.0.1:{port}/v1", url)
        finally:
            if drain is not None:
                drain.cancel()
            process.kill()
            await process.wait()


async def check(name: str, running: Running) -> bool:
    begun = time.monotonic()
    try:
        async with running() as host, contextlib.AsyncExitStack() as stack:
            before_each = None
            if host.scripted:
                http = await stack.enter_async_context(httpx.AsyncClient(base_url=host.scripted))
                before_each = partial(script_llmock, http)
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            home = Home(Path(folder) / "home")
            home.create()
            talk = await talk_with(
                home,
                host.base_url,
                "m",
                environ={"OPENAI_API_KEY": KEY},
                before_each=before_each,
            )
    except MissingError as exc:
        print(f"left out   {name}: {exc}")
        return True
    faults = talk.faults()
    seconds = time.monotonic() - begun
    print(f"{'FAILED' if faults else 'ok':<10} {name} ({seconds:.0f} s)")
    for said in (talk.hello, talk.sum, talk.after_kill):
        print(f"           {' '.join(said.split())[:100]}")
    return not faults


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--weights", type=Path, help="a GGUF file for llama.cpp")
    parser.add_argument("--litellm", default="litellm", help="LiteLLM's program")
    arguments = parser.parse_args()
    hosts: dict[str, Running] = {
        "llmock": llmock,
        "llama.cpp with tools": partial(llamacpp, arguments.weights, takes_tools=True),
        "llama.cpp without tools": partial(llamacpp, arguments.weights, takes_tools=False),
        "LiteLLM before llmock": partial(litellm, arguments.litellm),
    }
    return 0 if all([await check(name, running) for name, running in hosts.items()]) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
