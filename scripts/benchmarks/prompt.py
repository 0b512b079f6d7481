"""prompt: the request that "hello" becomes, and what each part of it takes.

Tokens are an estimate: bytes of the text, by four.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from figures import Figure
from gaia_outside import outside, person

BYTES_A_TOKEN = 4


async def measure(quick: bool) -> Sequence[Figure]:
    async with outside() as daemon:
        writer = person(daemon.telegram, 0)
        await daemon.ask(writer, "hello")
        alone = (await daemon.model.requests())[0]
        await daemon.ask(writer, "/remember I drink tea in the morning")
        await daemon.ask(writer, "What do I drink?")
        remembering = (await daemon.model.requests())[-1]
    return [*_parts("hello", alone.body), *_parts("a question, remembering", remembering.body)]


def _parts(name: str, body: dict) -> Sequence[Figure]:
    sizes = dict.fromkeys(("system", "user", "assistant"), 0)
    for message in body["messages"]:
        sizes[message["role"]] = sizes.get(message["role"], 0) + _size(message["content"])
    sizes["tools"] = _size(body.get("tools") or "")
    whole = _size(body)
    parts = [
        Figure(f"{name}: {part}", size, "bytes", whole, "whole")
        for part, size in sizes.items()
        if size
    ]
    tokens = Figure(f"{name}: whole, about", whole / BYTES_A_TOKEN, "tokens")
    return [Figure(f"{name}: whole", whole, "bytes"), tokens, *parts]


def _size(value: object) -> int:
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return len(told.encode())
