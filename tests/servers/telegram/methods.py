"""The methods that are served, by name, and those that send nothing.

Each takes the world and a call that the table has approved, and returns the result
or raises `ApiRefusal`. `getUpdates`, the only one that waits, is `UpdateQueue.poll`.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

from pydantic import JsonValue

from tests.servers.telegram import send
from tests.servers.telegram.calls import Call
from tests.servers.telegram.refusals import Json, bad_request
from tests.servers.telegram.texts import utf16_length
from tests.servers.telegram.world import World

MAX_COMMANDS = 100
MAX_DESCRIPTION = 256
MAX_QUERY_TEXT = 200
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")


def get_me(world: World, call: Call) -> JsonValue:
    """The bot itself. It hears all that is said in groups."""
    return {
        **world.bot,
        "can_join_groups": True,
        "can_read_all_group_messages": True,
        "supports_inline_queries": False,
    }


def get_chat(world: World, call: Call) -> JsonValue:
    """What is known of a chat."""
    chat = world.chats.found(call.parameters)
    return {
        **chat.about,
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": {
            "unlimited_gifts": False,
            "limited_gifts": False,
            "unique_gifts": False,
            "premium_subscription": False,
            "gifts_from_channels": False,
        },
    }


def get_chat_member(world: World, call: Call) -> JsonValue:
    """Somebody's standing in a group."""
    chat = world.chats.found(call.parameters)
    user_id = call.parameters["user_id"]
    member = chat.members.get(int(str(user_id)))
    if member is None:
        raise bad_request("PARTICIPANT_ID_INVALID")
    if member["id"] in chat.admins:
        return {"status": "creator", "user": member, "is_anonymous": False}
    return {"status": "member", "user": member}


def get_file(world: World, call: Call) -> JsonValue:
    """Where a file can be downloaded from, if it is not too big for bots."""
    stored = world.files.downloadable(call.string("file_id"))
    return {**stored.json(), "file_path": stored.path}


def answer_callback_query(world: World, call: Call) -> JsonValue:
    """Answer a pressed button, once."""
    if utf16_length(call.string("text")) > MAX_QUERY_TEXT:
        raise bad_request("MESSAGE_TOO_LONG", violation=True)
    query_id = call.string("callback_query_id")
    if world.queries.get(query_id, {}) is not None:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    world.queries[query_id] = call.parameters
    world.changes.tell()
    return True


def set_my_commands(world: World, call: Call) -> JsonValue:
    """Replace the menu of a scope and language."""
    commands = call.objects("commands")
    if len(commands) > MAX_COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH", violation=True)
    for each in commands:
        if not _COMMAND.fullmatch(str(each["command"])):
            raise bad_request("BOT_COMMAND_INVALID", violation=True)
        if not 1 <= utf16_length(str(each["description"])) <= MAX_DESCRIPTION:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID", violation=True)
    world.commands[_scope(world, call)] = commands
    world.changes.tell()
    return True


def get_my_commands(world: World, call: Call) -> JsonValue:
    """The menu of exactly this scope and language."""
    return [*world.commands.get(_scope(world, call), [])]


def delete_my_commands(world: World, call: Call) -> JsonValue:
    """Remove the menu of a scope and language."""
    world.commands.pop(_scope(world, call), None)
    world.changes.tell()
    return True


def scope_key(scope: Json | None, language: str = "") -> str:
    """What a list of commands is kept under."""
    return json.dumps([scope or {"type": "default"}, language], sort_keys=True)


def _scope(world: World, call: Call) -> str:
    scope = call.object("scope")
    if scope is not None and "chat_id" in scope:
        scope = {**scope, "chat_id": world.chats.found(scope).chat_id}
    return scope_key(scope, call.string("language_code"))


def set_webhook(world: World, call: Call) -> JsonValue:
    """Have updates delivered to a URL on this machine, or no more if it is empty."""
    url = call.string("url")
    if url and not _is_loopback(url):
        raise bad_request("bad webhook: this server calls loopback only", violation=True)
    secret = call.string("secret_token")
    if "secret_token" in call.parameters and not _SECRET.fullmatch(secret):
        raise bad_request("secret token contains unallowed characters", violation=True)
    if call.flag("drop_pending_updates"):
        world.updates.drop()
    world.updates.allow(call.strings("allowed_updates"))
    world.webhook.secret = secret
    world.webhook.connections = call.integer("max_connections", world.webhook.connections)
    world.updates.webhook_url = url
    world.changes.tell()
    return True


def _is_loopback(url: str) -> bool:
    parts = urlsplit(url)
    try:
        host = ipaddress.ip_address(parts.hostname or "")
    except ValueError:
        return parts.hostname == "localhost"
    return parts.scheme in ("http", "https") and host.is_loopback


def delete_webhook(world: World, call: Call) -> JsonValue:
    """Have updates wait for `getUpdates`."""
    if call.flag("drop_pending_updates"):
        world.updates.drop()
    world.updates.webhook_url = ""
    world.changes.tell()
    return True


def get_webhook_info(world: World, call: Call) -> JsonValue:
    """Where updates go, and what the last delivery died of."""
    info: Json = {
        "url": world.updates.webhook_url,
        "has_custom_certificate": False,
        "pending_update_count": len(world.updates.waiting),
    }
    if world.updates.webhook_url:
        info["max_connections"] = world.webhook.connections
    if world.updates.allowed:
        info["allowed_updates"] = [*world.updates.allowed]
    if world.webhook.last_error is not None:
        info["last_error_date"], info["last_error_message"] = world.webhook.last_error
    return info


GET_UPDATES: Final = "getUpdates"

Served = Callable[[World, Call], JsonValue]

SERVED: Final[Mapping[str, Served]] = {
    "getMe": get_me,
    "getChat": get_chat,
    "getFile": get_file,
    "getChatMember": get_chat_member,
    "answerCallbackQuery": answer_callback_query,
    "setMyCommands": set_my_commands,
    "getMyCommands": get_my_commands,
    "deleteMyCommands": delete_my_commands,
    "setWebhook": set_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhookInfo": get_webhook_info,
    "sendMessage": send.send_message,
    "sendPhoto": send.send_photo,
    "sendDocument": send.send_document,
    "sendChatAction": send.send_chat_action,
    "editMessageText": send.edit_message_text,
    "editMessageReplyMarkup": send.edit_message_reply_markup,
}
