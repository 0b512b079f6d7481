#!/usr/bin/env python3
"""Whether any request can stop WhatsApp's webhook, or pass for one of Twilio's.

Gives signed, repeated, changed and nonsensical requests to gaia's own web route, the
channel's way in behind it, and a core that takes what a database takes. Fails when
anything reaches the core that Twilio did not sign, when a sound message is not one turn,
when an answer is an error of gaia's, or when the log has a word of a message, a phone
number or the token. Needs the environment of `scripts/setup-dev`.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from dataclasses import asdict
from functools import partial
from itertools import islice

from starlette.applications import Starlette
from starlette.types import Message

from channels.base.background import Background
from channels.base.http import ChatBackoff
from channels.whatsapp import round_trip
from channels.whatsapp.api import Api, Timing
from channels.whatsapp.condition import WhatsAppCondition
from channels.whatsapp.errors import REFUSALS, Refusal, describe
from channels.whatsapp.files import OutgoingFiles
from channels.whatsapp.requests import CHANNEL, Signatures
from channels.whatsapp.sender import SideEffects
from channels.whatsapp.translation import Me
from channels.whatsapp.webhook import Handlers, Intake, Webhook
from gaia.clock import SystemClock
from gaia.logs import CHATTY
from gaia.messages import (
    Address,
    DeliveryReport,
    HookAnswer,
    HookRequest,
    Inbound,
    Receipt,
    ReceiptKind,
)
from gaia.web.app import hook_routes
from tests.harness.fuzz import run, show
from tests.servers.twilio.odd_webhooks import Account, OddWebhook, OddWebhooks, Origin

ACCOUNT = Account(
    sid="AC" + "0a" * 16,
    auth_token="c0ffee" * 5 + "00",
    number="+14155238886",
    public_url="https://gaia.example.org",
)
CANARY = "words-canary"
SECRETS = (CANARY, ACCOUNT.auth_token, ACCOUNT.number, "+4915")


class Core:
    """Takes what a database takes, and counts."""

    def __init__(self) -> None:
        self.calls = 0
        self.turns: Counter[str] = Counter()

    async def receive(self, inbound: Inbound) -> Receipt:
        self.calls += 1
        json.dumps(asdict(inbound), default=str, ensure_ascii=False).encode()
        texts = (inbound.text, inbound.chat, inbound.provider_message_id, *inbound.notes)
        assert all("\x00" not in text for text in texts), "what cannot be stored"
        assert not any("\n" in note for note in inbound.notes), "a note of several lines"
        if inbound.provider_message_id in self.turns:
            return Receipt(ReceiptKind.DUPLICATE)
        self.turns[inbound.provider_message_id] += 1
        return Receipt(ReceiptKind.ACCEPTED)

    def reachable(self, chat: str) -> None:
        self.calls += 1

    async def moved(self, old_chat: str, new_chat: str) -> None:
        raise AssertionError(old_chat, new_chat)

    async def reported(self, report: DeliveryReport) -> None:
        self.calls += 1
        assert 0 < report.outbox_id < 2**63, report.outbox_id

    async def file(self, outbox_id: int) -> bytes | None:
        raise AssertionError(outbox_id)

    def expect(self, address: Address) -> None:
        raise AssertionError(address)


class Channel:
    """The way in of the WhatsApp channel, without the rest of it."""

    def __init__(self, core: Core) -> None:
        clock = SystemClock()
        sid, token, public_url = ACCOUNT.sid, ACCOUNT.auth_token, ACCOUNT.public_url
        self._api = Api(sid, token, ACCOUNT.number, "http://127.0.0.1:9", Timing())
        self._background = Background[Refusal](CHANNEL, REFUSALS, describe)
        side_effects = SideEffects(self._api, ChatBackoff[str](clock), self._background)
        condition = WhatsAppCondition(clock, address=public_url, stall_seconds=900)
        intake = Intake(core, Me(sid, ACCOUNT.number), side_effects, condition, clock)
        files = OutgoingFiles(core.file, public_url=public_url, auth_token=token, clock=clock)
        self._service = Handlers(intake, files)
        check = partial(round_trip.answer, token)
        self._webhook = Webhook(Signatures(token, public_url), sid, condition, check, clock)

    async def hook(self, request: HookRequest) -> HookAnswer:
        return await self._webhook.hook(request, self._service)

    async def close(self) -> None:
        await self._background.close()
        await self._api.close_connections()


class Lines(logging.Handler):
    """Looks into each line of the log."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.unexpected: list[str] = []
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1
        line = self.format(record)
        if record.levelno >= logging.ERROR or any(secret in line for secret in SECRETS):
            self.unexpected.append(line)


async def status_of(app: Starlette, made: OddWebhook) -> int:
    """What the web route answers."""
    headers = [
        (name.encode(), value.encode("latin-1", "replace")) for name, value in made.headers.items()
    ]
    scope = {
        "type": "http",
        "method": made.method,
        "scheme": "http",
        "server": ("127.0.0.1", 8642),
        "path": made.path,
        "query_string": made.query,
        "headers": headers,
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": made.body}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return int(sent[0]["status"])


def faults_of(made: OddWebhook, status: int, calls: int) -> str | None:
    """What is wrong with an answer, if anything is."""
    if status >= 500:
        return f"an answer of {status}"
    if made.origin is Origin.FORGED and calls:
        return "what Twilio did not sign reached the core"
    if made.origin is Origin.FORGED and status == 200:
        return "what Twilio did not sign was taken"
    if made.origin in (Origin.SOUND, Origin.REPEATED) and status != 200:
        return f"a sound message was answered with {status}"
    return None


async def main(count: int, seed: int) -> bool:
    lines = Lines()
    logging.basicConfig(level=logging.INFO, handlers=[lines], force=True)
    for name in (*CHATTY, "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)
    core = Core()
    channel = Channel(core)
    app = Starlette(routes=hook_routes({CHANNEL: channel}.get))
    origins: Counter[Origin] = Counter()
    answers: Counter[tuple[Origin, int]] = Counter()
    faults: list[str] = []
    sound: list[str] = []
    for made in islice(OddWebhooks(ACCOUNT, seed, canary=CANARY), count):
        before = core.calls
        status = await status_of(app, made)
        origins[made.origin] += 1
        answers[made.origin, status] += 1
        if fault := faults_of(made, status, core.calls - before):
            faults.append(f"{fault}: {made}")
        if made.origin is Origin.SOUND:
            sound.append(made.sid)
    await channel.close()

    for origin in Origin:
        statuses = ", ".join(
            f"{times} x {status}"
            for (each, status), times in sorted(answers.items(), key=str)
            if each is origin
        )
        print(f"{origins[origin]} {origin.value}: {statuses}")
    exactly_once = sum(core.turns[sid] == 1 for sid in sound)
    print(f"{exactly_once} of {len(sound)} sound messages were one turn")
    print(f"{lines.count} lines of the log, {len(lines.unexpected)} of them unfit")
    return show([*faults, *lines.unexpected]) and exactly_once == len(sound)


if __name__ == "__main__":
    run(main, __doc__, count=100_000, what="requests")
