"""/about: what gaia is, where it runs, and who reads what is said to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from gaia.agent.models import ChatModel
from gaia.commands.registry import Call, Command, Topic
from gaia.settings.providers import ModelProvider
from gaia.settings.schema import Settings
from gaia.swappable import Swappable

WHAT = (
    "I am gaia, a personal assistant. I run on a computer of the person who set me up, not as a "
    "service of some company."
)
MINE = "I think with {name}, which runs on that computer as well: no provider reads what you write."
THEIRS = "I think with {name} at {host}: it reads what you write to me, and what I know that fits."
KEPT = (
    "Our conversations and what I remember of you are kept there, and by nobody else. "
    "/memory lists what I remember, /forget deletes it for good, /incognito keeps nothing."
)
CARRIED = "{channel} carries what you write here, as in any chat."
SEARCHED = "My memory is made with the help of {provider}, which reads what I remember for that."

HOSTS: dict[ModelProvider, str] = {
    "gemini": "Google",
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "embedded": "",
}
CARRIERS = {"telegram": "Telegram", "whatsapp": "WhatsApp"}
OWN = frozenset({"auto", "embedded"})
"""What memory is made with and takes no further provider."""


def about_command(model: Callable[[], ChatModel], settings: Swappable[Settings]) -> Command:
    """The command; `model` is the one that answers at present."""

    def about(call: Call) -> str:
        channel = CARRIERS.get(call.conversation.channel)
        carried = [CARRIED.format(channel=channel)] if channel else []
        return "\n".join([WHAT, _thinks_with(model()), *_searched(settings.value), KEPT, *carried])

    return Command.at_once("about", "What I am, and who reads your words", about, topic=Topic.YOU)


def _thinks_with(model: ChatModel) -> str:
    if model.provider == "embedded":
        return MINE.format(name=model.name)
    host = urlsplit(model.base_url).hostname or HOSTS[model.provider]
    return THEIRS.format(name=model.name, host=host)


def _searched(settings: Settings) -> Sequence[str]:
    memory = settings.memory
    providers = dict.fromkeys(each.provider for each in (memory.llm, memory.embedder))
    return [SEARCHED.format(provider=each) for each in providers if each not in OWN]
