"""Whether a message is taken, and whether it reaches the person: Twilio's error codes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from tests.servers.twilio.messages import PREFIX
from tests.servers.twilio.refusals import ApiRefusal, bad_request
from tests.servers.twilio.world import Template, World

MAX_CHARACTERS = 1600
_PERSON = re.compile(r"whatsapp:(\+[1-9]\d{6,14}|[A-Z]{2}\.[0-9A-Za-z]{8,128})")
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_UNFIT = re.compile(r"[\n\r\t]| {5,}")
"""What WhatsApp takes in no variable of a template."""
_NO_FILE_TYPE = re.compile(r"text/html|application/octet-stream|multipart/.*|")


def refuse_unfit(world: World, form: Mapping[str, str], media_urls: tuple[str, ...]) -> None:
    """Raise `ApiRefusal` for a request that Twilio takes no message from."""
    _refuse_unfit_parties(world, form)
    if "ContentSid" in form:
        _refuse_unfit_template(world, form)
    elif not form.get("Body") and not media_urls:
        raise bad_request(21619, "A text message body or media urls must be specified.")
    if len(form.get("Body", "")) > MAX_CHARACTERS:
        raise bad_request(
            21617,
            "The concatenated message body exceeds the 1600 character limit.",
            violation=True,
        )
    for url in media_urls:
        if not _is_url(url):
            raise bad_request(21620, "Invalid media URL(s)", violation=True)
    callback = form.get("StatusCallback")
    if callback is not None and not _is_url(callback):
        raise bad_request(21609, "The 'StatusCallback' URL is not a valid URL.", violation=True)


def _refuse_unfit_parties(world: World, form: Mapping[str, str]) -> None:
    to, mine = form.get("To", ""), form.get("From", "")
    if not mine:
        raise bad_request(21603, "A 'From' phone number is required.", violation=True)
    if _PERSON.fullmatch(to) is None:
        raise bad_request(21211, f"The 'To' number {to} is not a valid phone number.")
    if _PERSON.fullmatch(mine) is None:
        raise bad_request(21212, f"The 'From' number {mine} is not a valid phone number.")
    if mine != PREFIX + world.number:
        raise bad_request(63007, "Twilio could not find a Channel with the specified From address")
    if mine == to:
        raise bad_request(63031, "Message cannot have the same To and From", violation=True)
    if world.is_stopped(to.removeprefix(PREFIX)):
        raise bad_request(21610, "Attempt to send to unsubscribed recipient")


def _refuse_unfit_template(world: World, form: Mapping[str, str]) -> None:
    if form["ContentSid"] not in world.templates:
        raise bad_request(21655, "The ContentSid is invalid")
    values = _variables(form)
    if any(_UNFIT.search(each) for each in values.values()):
        raise _unfit_variables()


def _variables(form: Mapping[str, str]) -> dict[str, str]:
    try:
        given = json.loads(form.get("ContentVariables", "{}"))
    except ValueError as exc:
        raise _unfit_variables() from exc
    if not isinstance(given, dict) or not all(isinstance(v, str) and v for v in given.values()):
        raise _unfit_variables()
    return {str(name): str(value) for name, value in given.items()}


def _unfit_variables() -> ApiRefusal:
    return bad_request(21656, "The ContentVariables parameter is invalid", violation=True)


def body_of(world: World, form: Mapping[str, str]) -> str:
    """The text as the person reads it."""
    if "ContentSid" not in form:
        return form.get("Body", "")
    values = _variables(form)
    template = world.templates[form["ContentSid"]]
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template.text)


def failure_of(world: World, person: str, form: Mapping[str, str]) -> int | None:
    """Why the message that was taken will not reach the person, None when it will."""
    if not world.has_joined(person):
        return 63015
    if "ContentSid" not in form:
        return None if world.is_open(person) else 63016
    template = world.templates[form["ContentSid"]]
    if template.failure is not None:
        return template.failure
    return None if _places(template) == set(_variables(form)) else 63028


def _places(template: Template) -> set[str]:
    return set(_PLACE.findall(template.text))


def file_failure_of(status: int | None, media_type: str) -> int | None:
    """Why a file that Twilio went to get cannot be sent."""
    if status != 200:
        return 63019
    kind = media_type.partition(";")[0].strip()
    return 12300 if _NO_FILE_TYPE.fullmatch(kind) else None


def _is_url(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", text)
