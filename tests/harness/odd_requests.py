"""Requests to the control socket as no client of gaia's makes them: HTTP and WebSockets, byte
for byte."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from channels.terminal_wire import TERMINAL_PATH
from gaia.ops.hand_over import PATH as HAND_OVER_PATH
from gaia.ops.queries.query import QUERY_PATH
from gaia.ops.queries.registry import QUERIES
from gaia.ops.wire import (
    DIFF_PATH,
    DIGEST_PATH,
    PAGE_PATH,
    REINDEX_PATH,
    RELOAD_PATH,
    SEARCH_PATH,
)
from tests.harness.odd_json import VALUES, change

CANARY = "words-canary"
GETS = ("/healthz", "/readyz", "/local/status", "/", "/local/nothing")
METHODS = ("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "TRACE", "CONNECT", "get", "P\0ST")
VERSIONS = ("HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2", "HTTP/9.9", "", "gaia")
HEADERS = (
    *(
        "Content-Length: -1",
        "Content-Length: 99999999999",
        "Content-Length: 1, 2",
        "Content-Length: x",
    ),
    *("Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Expect: 100-continue"),
    *("Upgrade: h2c", "Upgrade: websocket", "Connection: upgrade", "Host: a\r\nHost: b", "Host:"),
    *("X: " + "y" * 100_000, "no colon", ": empty", "X-Forwarded-For: 1.2.3.4", " folded", "é: é"),
)
FRAMES: Sequence[Mapping[str, Any]] = (
    {"kind": "message", "client_message_id": "1", "text": f"hello {CANARY}", "wants_preview": True},
    {
        "kind": "message",
        "client_message_id": "2",
        "text": f"/memory {CANARY}",
        "wants_preview": False,
    },
    {"kind": "message", "client_message_id": "3", "text": "/status", "wants_preview": False},
    {"kind": "delivered", "outbox_id": 1},
    {"kind": "stop"},
)


@dataclass(frozen=True, slots=True)
class OddRequest:
    """What is sent over a connection of its own, in these pieces. `hangs_up` is when: at once,
    after it was sent, or once the answer has come."""

    number: int
    pieces: Sequence[bytes]
    hangs_up: str


def odd_requests(user_id: str, count: int, seed: int) -> Iterator[OddRequest]:
    """So many requests, for a gaia that has this user, by the name of ada."""
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        chance = random.Random(number)
        content = _of_chat(chance) if chance.random() < 0.3 else _of_http(chance, user_id)
        if chance.random() < 0.2:
            content = _damaged(chance, content)
        cuts = sorted(
            chance.randrange(len(content) + 1) for _ in range(chance.choice((0, 0, 1, 3)))
        )
        edges = [0, *cuts, len(content)]
        pieces = [content[a:b] for a, b in pairwise(edges)]
        yield OddRequest(number, pieces, chance.choice(("at once", "sent", "answered", "answered")))


def _bodies(user_id: str) -> Mapping[str, Mapping[str, Any]]:
    """A body for each path that takes one."""
    question = {"user_id": user_id, "words": CANARY, "limit": 5, "user": "ada", "number": 1}
    common = {
        **question,
        "session_id": "x",
        "since": None,
        "days": 7,
        "state": None,
        "memory_id": 1,
    }
    return {
        SEARCH_PATH: {"user_id": user_id, "words": CANARY, "limit": 5},
        DIGEST_PATH: {"user_id": user_id, "retry": False},
        PAGE_PATH: {"user_id": user_id},
        REINDEX_PATH: {},
        RELOAD_PATH: {},
        DIFF_PATH: {},
        HAND_OVER_PATH: {},
        "/local/wake": {},
        **{
            f"{QUERY_PATH}/{name}": _question(query.question, common)
            for name, query in QUERIES.items()
        },
    }


def _question(model: Any, known: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: known.get(name, CANARY) for name in model.model_fields}


def _of_http(chance: random.Random, user_id: str) -> bytes:
    bodies = _bodies(user_id)
    path = chance.choice((*GETS, *bodies, *bodies))
    method = "POST" if path in bodies else "GET"
    body = _body(chance, dict(bodies.get(path, {})))
    headers = ["Host: gaia", f"Content-Length: {len(body)}", "Connection: close"]
    version = "HTTP/1.1"
    if chance.random() < 0.15:
        method = chance.choice(METHODS)
    if chance.random() < 0.1:
        version = chance.choice(VERSIONS)
    if chance.random() < 0.2:
        path += chance.choice(("/", "/..", "?x=1", "%00", "/" * 500, "\t", "x" * 70_000, "é", "#"))
    for _ in range(chance.choice((0, 0, 0, 1, 2))):
        headers.insert(chance.randrange(len(headers) + 1), chance.choice(HEADERS))
    head = "\r\n".join([f"{method} {path} {version}", *headers, "", ""])
    return head.encode("utf-8", "surrogatepass") + body


def _body(chance: random.Random, body: dict[str, Any]) -> bytes:
    how = chance.random()
    if how < 0.5:
        change(chance, body)
    elif how < 0.6:
        return json.dumps(chance.choice(VALUES)).encode()
    elif how < 0.7:
        return chance.choice((b"", b"{", b"[" * 50_000, b"\xff\xfe", b"{}" * 10_000, b"null\0"))
    return json.dumps(body).encode()


def _of_chat(chance: random.Random) -> bytes:
    """The beginning of a chat, and frames that make no sense."""
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    head = (
        f"GET {TERMINAL_PATH} HTTP/1.1\r\nHost: gaia\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    hello = {
        "kind": "hello",
        "user": "ada",
        "client_id": f"c{chance.randrange(50)}",
        "interactive": chance.random() < 0.5,
        "version": "1",
        "waiting": ["1"],
    }
    said: list[dict[str, Any]] = [hello, *(dict(chance.choice(FRAMES)) for _ in range(3))]
    if chance.random() < 0.6:
        change(chance, chance.choice(said))
    frames = [_frame(chance, json.dumps(each).encode()) for each in said]
    if chance.random() < 0.5:
        frames.insert(chance.randrange(len(frames) + 1), chance.choice(ODD_FRAMES)(chance))
    return head.encode() + b"".join(frames)


def _frame(chance: random.Random, content: bytes, opcode: int = 1, *, first: int = 0x80) -> bytes:
    """A masked frame of RFC 6455."""
    mask = chance.randbytes(4)
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(content))
    size = len(content)
    if size < 126:
        length = bytes([0x80 | size])
    elif size < 2**16:
        length = b"\xfe" + struct.pack(">H", size)
    else:
        length = b"\xff" + struct.pack(">Q", size)
    return bytes([first | opcode]) + length + mask + masked


ODD_FRAMES: Sequence[Callable[[random.Random], bytes]] = (
    lambda chance: _frame(chance, chance.randbytes(50), 2),
    lambda chance: _frame(chance, chance.randbytes(50)),
    lambda chance: _frame(chance, b"[" * 20_000),
    lambda chance: _frame(chance, b'{"kind": "message"}', first=0),
    lambda chance: _frame(chance, b"x" * 200, 9),
    lambda chance: _frame(chance, struct.pack(">H", chance.randrange(2**16)), 8),
    lambda chance: _frame(chance, b"", chance.randrange(16), first=0x70),
    lambda chance: b"\x81\xff" + struct.pack(">Q", 2**62) + b"\0\0\0\0",
    lambda chance: b"\x81\x05hello",
    lambda chance: chance.randbytes(100),
)


def _damaged(chance: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 3, 20))):
        at = chance.randrange(len(changed))
        if chance.random() < 0.5:
            changed[at] = chance.randrange(256)
        else:
            del changed[at : at + chance.randrange(1, 20)]
        if not changed:
            return b"\0"
    return bytes(changed)
