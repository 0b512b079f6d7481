"""The server while it runs, as a test sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx

from gaia.ports import Clock
from gaia.testing.clock import FakeClock
from tests.harness.cuts import CuttableProtocol
from tests.servers.serve import serving
from tests.servers.twilio.app import TwilioApp
from tests.servers.twilio.callbacks import Callbacks
from tests.servers.twilio.calls import ANSWER_SECONDS, Caller, CallMade, Form, signature
from tests.servers.twilio.faults import Faults, RequestSeen, no_faults
from tests.servers.twilio.inbound import Incoming
from tests.servers.twilio.lanes import Lanes
from tests.servers.twilio.messages import Message
from tests.servers.twilio.outbound import Sending
from tests.servers.twilio.people import Person
from tests.servers.twilio.world import Contact, Template, World

ACCOUNT_SID = "AC" + "5e" * 16
AUTH_TOKEN = "7e" * 16
NUMBER = "+14155238886"


class TwilioServer:
    """Twilio, and all the people on WhatsApp."""

    def __init__(
        self,
        url: str,
        world: World,
        app: TwilioApp,
        sending: Sending,
        incoming: Incoming,
        caller: Caller,
    ) -> None:
        self.url = url
        self.world = world
        self._app = app
        self._sending = sending
        self._incoming = incoming
        self._caller = caller

    @property
    def account_sid(self) -> str:
        return self.world.account_sid

    @property
    def auth_token(self) -> str:
        return self.world.auth_token

    @property
    def number(self) -> str:
        """The number that gaia has."""
        return self.world.number

    @property
    def webhook_url(self) -> str:
        """The public address that is told of messages. While it is empty, none is."""
        return self._incoming.webhook_url

    @webhook_url.setter
    def webhook_url(self, url: str) -> None:
        self._incoming.webhook_url = url

    def reaches(self, public_url: str, at: str) -> None:
        """Connect to `at` for addresses below `public_url`, as a proxy there would."""
        self._caller.origins[public_url] = at

    def calls(self, public_url: str, at: str = "") -> None:
        """Tell a gaia with that `channels.whatsapp.public_url` of messages, which is
        reached `at` another address if that is given."""
        self.webhook_url = f"{public_url}/hooks/whatsapp"
        if at:
            self.reaches(public_url, at)

    def signature(self, url: str, form: Form = ()) -> str:
        """How Twilio signs a request."""
        return signature(self.auth_token, url, form)

    def person(self, address: str, name: str = "") -> Person:
        """Somebody with WhatsApp: of a number, or of an opaque id. Coming twice is the same."""
        self.world.contacts.setdefault(address, Contact(name or address))
        return Person(self.world, self._incoming, address)

    def template(self, text: str, *, failure: int | None = None) -> str:
        """Have a template, and return its ContentSid. `failure` is why WhatsApp takes none
        of it."""
        template = Template(self.world.new_sid("HX"), text, failure)
        self.world.templates[template.sid] = template
        return template.sid

    @property
    def faults(self) -> Faults:
        """The plan of what goes wrong with requests; set it at any time."""
        return self._app.faults

    @faults.setter
    def faults(self, plan: Faults) -> None:
        self._app.faults = plan

    def no_more_faults(self) -> None:
        """Let every request go well from now on."""
        self.faults = no_faults

    @property
    def callbacks(self) -> Callbacks:
        """The plan of what is told of messages, and when; set it at any time."""
        return self._sending.callbacks

    @callbacks.setter
    def callbacks(self, plan: Callbacks) -> None:
        self._sending.callbacks = plan

    @property
    def attempts(self) -> int:
        """After how many attempts the client is not told any more; set it at any time."""
        return self._caller.attempts

    @attempts.setter
    def attempts(self, count: int) -> None:
        self._caller.attempts = count

    def moves_files(self) -> None:
        """Have the contents of media at another host, as Twilio has: this server by another
        name."""
        self._app.files_url = f"http://localhost:{urlsplit(self.url).port}"

    @property
    def violations(self) -> Sequence[str]:
        """Requests that broke the description, and answers that are no TwiML. A test wants
        none."""
        return (*self._app.violations, *self._caller.oddities)

    @property
    def refusals(self) -> Sequence[str]:
        """Requests that were refused by the state of things, violations included."""
        return tuple(self._app.refusals)

    def requests(self, operation: str | None = None) -> list[RequestSeen]:
        """The requests so far, of one operation or all."""
        return [each for each in self._app.requests if operation in (None, each.operation)]

    @property
    def calls_made(self) -> Sequence[CallMade]:
        """The attempts to tell the client of messages, and of what became of them."""
        return tuple(self._caller.made)

    def accepted(self, person: Person | None = None) -> list[Message]:
        """The messages of gaia that were taken, in order: all, or to a person."""
        address = None if person is None else person.address
        return [
            each
            for each in self.world.messages.values()
            if not each.is_inbound and address in (None, each.person)
        ]

    def messages(self, person: Person | None = None) -> list[Message]:
        """Those of them that arrived, in the order in which they did."""
        arrived = [(m.arrival, m) for m in self.accepted(person) if m.arrival is not None]
        return [message for _, message in sorted(arrived, key=lambda each: each[0])]

    def texts(self, person: Person | None = None) -> list[str]:
        """The texts of `messages`."""
        return [each.body for each in self.messages(person)]

    def typing(self, person: Person) -> int:
        """How often gaia showed that it is typing."""
        return self.world.typing[person.address]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Return once `holds` does; it is looked at after each change of anything here.

        Raises what the server did wrong itself, if it did.
        """
        await self.world.changes.until(lambda: self._app.failure is not None or holds())
        self.raise_failure()

    async def until_told(self) -> None:
        """Return once the webhook took all that people wrote, or was given up on."""
        await self.until(lambda: self._incoming.idle)

    async def until_all_told(self) -> None:
        """Return once the webhook has besides been told what became of each message that was
        taken, or was given up on."""
        await self.until(lambda: self._sending.idle)

    @property
    def given_up(self) -> Sequence[Message]:
        """What people wrote and the webhook did not take: it is in the list only."""
        return tuple(self._incoming.given_up)

    def redeliver(self, *sids: str) -> int:
        """Tell the webhook again of messages that it took, all or those named, as Twilio
        does when the answer is lost; return how many."""
        return self._incoming.redeliver(sids)

    def raise_failure(self) -> None:
        """Raise what the server did wrong itself, if it did."""
        if self._app.failure is not None:
            raise self._app.failure


@asynccontextmanager
async def running_twilio(
    clock: Clock | None = None,
    *,
    account_sid: str = ACCOUNT_SID,
    auth_token: str = AUTH_TOKEN,
    number: str = NUMBER,
    is_sandbox: bool = False,
    port: int = 0,
) -> AsyncIterator[TwilioServer]:
    """Serve on loopback until the block is left; raise then what the server did wrong.

    `clock` stamps messages and paces what the client is told; a `FakeClock` by itself.
    """
    clock = clock or FakeClock()
    world = World(clock, account_sid, auth_token, number, is_sandbox=is_sandbox)
    lanes = Lanes(world.changes)
    # A client that was killed leaves connections that look alive. And only this machine is
    # called, where a certificate is worth nothing.
    limits = httpx.Limits(max_keepalive_connections=0)
    http = httpx.AsyncClient(timeout=ANSWER_SECONDS, limits=limits, verify=False)
    async with http:
        caller = Caller(http, auth_token, clock, world.changes)
        sending = Sending(world, caller, lanes, clock)
        app = TwilioApp(world, sending)
        async with serving(app.starlette, port=port, protocol=CuttableProtocol) as url:
            app.url = app.files_url = url
            server = TwilioServer(url, world, app, sending, Incoming(world, caller, lanes), caller)
            working = asyncio.create_task(lanes.run())
            working.add_done_callback(lambda task: _note_end(app, task))
            try:
                yield server
            finally:
                working.cancel()
                await asyncio.wait({working})
    server.raise_failure()


def _note_end(app: TwilioApp, task: asyncio.Task[None]) -> None:
    """Take what the server's own work died of for a failure of the server."""
    if not task.cancelled():
        app.fail(task.exception())
