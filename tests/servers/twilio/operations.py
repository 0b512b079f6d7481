"""What the account, messages and their media look like when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from tests.servers.twilio.faults import (
    CREATE_TYPING,
    FETCH_ACCOUNT,
    FETCH_MESSAGE,
    LIST_MEDIA,
    LIST_MESSAGES,
)
from tests.servers.twilio.messages import API, PREFIX, Message, StoredMedia, rfc2822
from tests.servers.twilio.refusals import Json, bad_request, not_found
from tests.servers.twilio.world import World

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Call:
    """A request: the operation, what its path names, and its query or form."""

    operation: str
    path: str
    names: Mapping[str, str]
    parameters: Mapping[str, str]
    media_urls: tuple[str, ...] = ()


def fetch_account(world: World, call: Call) -> Json:
    """The account itself."""
    uri = f"{API}/Accounts/{world.account_sid}"
    at = rfc2822(world.now())
    return {
        "auth_token": world.auth_token,
        "date_created": at,
        "date_updated": at,
        "friendly_name": "gaia",
        "owner_account_sid": world.account_sid,
        "sid": world.account_sid,
        "status": "active",
        "subresource_uris": {"messages": f"{uri}/Messages.json"},
        "type": "Full",
        "uri": f"{uri}.json",
    }


def fetch_message(world: World, call: Call) -> Json:
    """One message."""
    return found(world, call).json(world.account_sid, world.number)


def list_messages(world: World, call: Call) -> Json:
    """The newest first. A page goes on after the last message of the one before, whatever
    came meanwhile."""
    wanted = [each for each in reversed(world.messages.values()) if _is_wanted(world, each, call)]
    after = call.parameters.get("PageToken", "").removeprefix("PA")
    sids = [each.sid for each in wanted]
    start = sids.index(after) + 1 if after in sids else 0
    return _page(
        call,
        "messages",
        [each.json(world.account_sid, world.number) for each in wanted[start:]],
        sids[start:],
    )


def list_media(world: World, call: Call) -> Json:
    """The files of a message."""
    message = found(world, call)
    listed = [_media_json(world, message, each) for each in message.media]
    return _page(call, "media_list", listed, [each.sid for each in message.media])


def create_typing(world: World, call: Call) -> Json:
    """Show whoever wrote that message that gaia is typing."""
    message = world.messages.get(call.parameters["messageId"])
    if message is None or not message.is_inbound:
        raise bad_request(20404, "The message was not found")
    world.typing[message.person] += 1
    world.changes.tell()
    return {"success": True}


SERVED: Mapping[str, Callable[[World, Call], Json]] = {
    FETCH_ACCOUNT: fetch_account,
    FETCH_MESSAGE: fetch_message,
    LIST_MESSAGES: list_messages,
    LIST_MEDIA: list_media,
    CREATE_TYPING: create_typing,
}


def found(world: World, call: Call) -> Message:
    """The message that a path names. Raises `ApiRefusal` when there is none."""
    message = world.messages.get(call.names["message"])
    if message is None:
        raise not_found(call.path)
    return message


def _is_wanted(world: World, message: Message, call: Call) -> bool:
    told = message.json(world.account_sid, world.number)
    for name, field in (("To", "to"), ("From", "from")):
        if name in call.parameters and call.parameters[name] != told[field]:
            return False
    at = message.at.replace(microsecond=0)
    since, until = call.parameters.get("DateSent>"), call.parameters.get("DateSent<")
    return (since is None or at >= _time(since)) and (until is None or at <= _time(until))


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _page(call: Call, key: str, records: Sequence[Json], sids: Sequence[str]) -> Json:
    size = int(call.parameters.get("PageSize", PAGE_SIZE))
    number = int(call.parameters.get("Page", 0))
    own = [(k, v) for k, v in call.parameters.items() if k not in ("Page", "PageToken")]
    more = [("Page", str(number + 1)), ("PageToken", f"PA{sids[size - 1]}")] if sids[size:] else []
    page: Json = {
        "end": number * size + len(records[:size]) - 1,
        "first_page_uri": _uri(call.path, [*own, ("Page", "0")]),
        "next_page_uri": _uri(call.path, [*own, *more]) if more else None,
        "page": number,
        "page_size": size,
        "previous_page_uri": None,
        "start": number * size,
        "uri": _uri(call.path, [*call.parameters.items()]),
    }
    return {**page, key: [*records[:size]]}


def _uri(path: str, query: Iterable[tuple[str, str]]) -> str:
    return f"{path}?{urlencode([*query])}"


def _media_json(world: World, message: Message, media: StoredMedia) -> Json:
    at = rfc2822(message.at)
    uri = f"{API}/Accounts/{world.account_sid}/Messages/{message.sid}/Media/{media.sid}"
    return {
        "account_sid": world.account_sid,
        "content_type": media.media_type,
        "date_created": at,
        "date_updated": at,
        "parent_sid": message.sid,
        "sid": media.sid,
        "uri": f"{uri}.json",
    }


def person_of(world: World, call: Call) -> str:
    """Whom a request is about, empty for nobody."""
    sid = call.names.get("message") or call.parameters.get("messageId", "")
    if sid in world.messages:
        return world.messages[sid].person
    return call.parameters.get("To", "").removeprefix(PREFIX)
