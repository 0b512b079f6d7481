"""Chooses who reads conversations to learn from them, and which model is asked for that."""

from __future__ import annotations

from functools import partial

from gaia.agent.models import ChatModel
from gaia.agent.structured import StructuredModel
from gaia.memory.digest.findings import AskModel, Extractor
from gaia.memory.digest.reading import GaiaExtractor
from gaia.memory.index.asking import Mem0Ask
from gaia.memory.index.factories import AUTO
from gaia.memory.index.mem0_extractor import Mem0Extractor
from gaia.memory.index.opening import open_llm
from gaia.paths import Home
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import ComponentSettings


def build_ask(home: Home, loaded: LoadedSettings, model: ChatModel) -> AskModel:
    """The model of `memory.llm`: the one that answers in chats, or another by mem0's client,
    which is opened when it is first asked."""
    settings = loaded.settings
    llm = settings.memory.llm
    if llm.provider == AUTO:
        return StructuredModel(model)
    return Mem0Ask(
        partial(open_llm, home, llm, loaded.secrets),
        _name(llm),
        seconds=settings.model.timeout_seconds,
    )


def build_extractor(home: Home, loaded: LoadedSettings, ask: AskModel) -> Extractor:
    """Who finds what to remember: `memory.extractor`."""
    memory = loaded.settings.memory
    if memory.extractor == "mem0":
        return Mem0Extractor(ask, memory.extraction_instructions, home.memory / "mem0")
    return GaiaExtractor(ask, memory.extraction_instructions)


def _name(llm: ComponentSettings) -> str:
    model = llm.config.get("model")
    return f"{llm.provider}/{model}" if model else llm.provider
