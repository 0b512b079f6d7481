"""What becomes of a message of gaia's: taken, judged, brought to the person, told of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import unquote, urlsplit

from gaia.ports import Clock
from tests.servers.twilio.callbacks import (
    ARRIVED,
    FAILED,
    Callbacks,
    Step,
    at_once,
    course_of,
)
from tests.servers.twilio.calls import Caller
from tests.servers.twilio.lanes import Lanes
from tests.servers.twilio.messages import PREFIX, Message, StoredMedia
from tests.servers.twilio.rules import body_of, failure_of, file_failure_of, refuse_unfit
from tests.servers.twilio.world import World

_LAST = {"queued": 0, "sent": 1, "undelivered": 2, "failed": 2, "delivered": 2, "read": 3}


class Sending:
    """Takes messages and tells of them as `callbacks` plans it."""

    def __init__(self, world: World, caller: Caller, lanes: Lanes, clock: Clock) -> None:
        self.callbacks: Callbacks = at_once
        self._world = world
        self._caller = caller
        self._lanes = lanes
        self._clock = clock

    @property
    def idle(self) -> bool:
        """Whether nothing is left to be told."""
        return self._lanes.idle

    async def take(self, form: Mapping[str, str], media_urls: tuple[str, ...]) -> Message:
        """Take a message. Raises `ApiRefusal` for one that is not taken.

        What it does then goes on by itself, but for callbacks that come early.
        """
        refuse_unfit(self._world, form, media_urls)
        person = form["To"].removeprefix(PREFIX)
        message = self._world.put(
            Message(
                sid=self._world.new_sid("MM" if media_urls else "SM"),
                person=person,
                is_inbound=False,
                body=body_of(self._world, form),
                at=self._world.now(),
                status="queued",
                parameters=form,
                media_urls=media_urls,
                failure=failure_of(self._world, person, form),
            )
        )
        if media_urls:
            self._lanes.put(message.sid, partial(self._fetch_and_go, message.sid))
            return message
        steps = self._plan(message.sid)
        early = [step for step in steps if step.early]
        await self._go(message.sid, early)
        self._lanes.put(
            message.sid, partial(self._go, message.sid, [s for s in steps if not s.early])
        )
        return message

    async def _fetch_and_go(self, sid: str) -> None:
        message = self._world.messages[sid]
        files = []
        for url in message.media_urls:
            answer = await self._caller.get(url)
            kind = "" if answer is None else answer.headers.get("content-type", "")
            failure = file_failure_of(None if answer is None else answer.status_code, kind)
            if failure is not None:
                message = replace(message, failure=message.failure or failure)
            elif answer is not None:
                name = unquote(urlsplit(url).path.rpartition("/")[2])
                media_sid = self._world.new_sid("ME")
                files.append(StoredMedia(media_sid, answer.content, kind, name))
        self._world.put(replace(message, media=tuple(files)))
        await self._go(sid, self._plan(sid))

    def _plan(self, sid: str) -> Sequence[Step]:
        """What is told of a message. One that arrives without being told of it, does so now."""
        message = self._world.messages[sid]
        is_blocked = self._world.is_blocked(message.person)
        course = course_of(message.failure, is_blocked=is_blocked)
        steps = self.callbacks(message, course)
        told = next((step for step in steps if step.status in FAILED | ARRIVED), None)
        if told is None and course[-1].status in ARRIVED:
            self._world.arrive(sid)
        if told is not None and told.status in FAILED and message.failure is None:
            self._world.put(replace(message, failure=told.code or 0))
        return steps

    async def _go(self, sid: str, steps: Sequence[Step]) -> None:
        for step in steps:
            await self._clock.sleep(step.after)
            message = self._world.messages[sid]
            if _LAST[step.status] > _LAST[message.status]:
                message = self._world.put(
                    replace(message, status=step.status, error_code=step.code)
                )
            if step.status in ARRIVED and message.failure is None:
                self._world.arrive(sid)
            if message.status_callback:
                await self._caller.post(message.status_callback, self._form(message, step))

    def _form(self, message: Message, step: Step) -> Sequence[tuple[str, str]]:
        form = [
            ("ChannelPrefix", "whatsapp"),
            ("ApiVersion", "2010-04-01"),
            ("MessageStatus", step.status),
            ("SmsSid", message.sid),
            ("SmsStatus", step.status),
            ("ChannelToAddress", message.person),
            ("To", PREFIX + message.person),
            ("From", PREFIX + self._world.number),
            ("MessageSid", message.sid),
            ("AccountSid", self._world.account_sid),
            ("StructuredMessage", str(message.is_template).lower()),
        ]
        if step.status in ARRIVED:
            form.append(("EventType", step.status.upper()))
        if step.status in FAILED:
            form.append(("EventType", "UNDELIVERED"))
            form.append(("ChannelStatusMessage", "The message could not be delivered."))
        if step.code is not None:
            form.append(("ErrorCode", str(step.code)))
        return form
