"""Which model answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer
from pydantic import SecretStr, ValidationError

from gaia.cli.setup import read_secret
from gaia.cli.setup.dialogue import Option
from gaia.cli.setup.steps import Setting, checked_secret
from gaia.errors import SettingsError
from gaia.extras import ANTHROPIC, LOCAL, Extra
from gaia.findings import Finding, ok
from gaia.ops.doctor.model_host import PROVIDERS
from gaia.ops.setup.answers import ModelAnswer
from gaia.settings.keys import describe_allowed
from gaia.settings.providers import (
    DEFAULT_NAMES,
    KEYS,
    ModelProvider,
    ResolvedModel,
    held_key,
    resolve_provider,
)
from gaia.settings.schema import ModelSettings, Secrets
from gaia.settings.urls import meant_url
from gaia.weights.catalogue import CATALOGUE, recommended

OWN_HOST = 3
CHOICES: Sequence[tuple[ModelProvider, str, str]] = (
    ("gemini", "Gemini", "wants a key, from aistudio.google.com/apikey"),
    ("openai", "OpenAI", "wants a key, from platform.openai.com/api-keys"),
    ("anthropic", "Anthropic", "wants a key, from platform.claude.com/settings/keys"),
    ("openai", "own host", "Ollama, llama.cpp, vLLM and whatever speaks like OpenAI"),
    ("embedded", "embedded", "runs here: no key, nothing leaves this machine"),
)
WANTED: Mapping[ModelProvider, tuple[Extra, str]] = {
    "embedded": (LOCAL, "engine"),
    "anthropic": (ANTHROPIC, "client"),
}
"""The extra without which a provider's model cannot answer, and what that is to it."""
SHOWN_NAMES = 12


def ask(setting: Setting) -> ModelAnswer | None:
    """The owner's choice; None if all is to stay."""
    dialogue, present = setting.dialogue, setting.present
    dialogue.heading("The model that answers")
    if present.is_model_set and present.model is not None:
        dialogue.say(f"It is {describe(present.model)}.")
        lacking = _tell_lacking(setting, present.model.provider)
        if not dialogue.confirm("Change it?", default=lacking):
            return None
    options = [_option(setting, number) for number in range(len(CHOICES))]
    default = _default(setting)
    while True:
        chosen = dialogue.choose("Which one?", options, default=default)
        answer = _ask_for(setting, chosen)
        if answer is not None:
            return answer


def of_flags(setting: Setting) -> ModelAnswer:
    """The choice that the flags make.

    Raises:
        SettingsError: It cannot answer: there is no key, or its extra is missing.
        ProviderRefusedError: The provider refuses the key.
    """
    flags, loaded = setting.flags, setting.present.loaded
    key = None
    if flags.model_key_file is not None:
        key = SecretStr(checked_secret(read_secret(flags.model_key_file, "--model-key-file")))
    provider = _provider_of_flags(setting)
    current = _current(setting, provider)
    url = current.base_url if flags.model_url is None else checked_url(flags.model_url)
    name = current.name if flags.model_name is None else flags.model_name
    if provider == "embedded" and not setting.present.is_model_set and not name:
        machine = setting.present.machine
        name = _named(recommended(machine.memory_bytes, machine.cores).name)
    wanted = ModelSettings(provider=provider, name=name, base_url=url)
    resolved = resolve_provider(wanted, _secrets_with(loaded.secrets, provider, key))
    if provider == "embedded":
        return ModelAnswer(provider, name, url, key)
    host = setting.probe.model(resolved, loaded.settings.model)
    if not name and url and len(host.names) == 1:
        name = host.names[0]
        return ModelAnswer(provider, name, url, key, _has(name))
    setting.accept(host.finding)
    return ModelAnswer(provider, name, url, key, host.finding)


def describe(model: ResolvedModel) -> str:
    """A model in a few words."""
    return f"{model.name} ({model.provider}{f', at {model.base_url}' if model.base_url else ''})"


def checked_url(text: str) -> str:
    """An address of a model, as gaia.yaml takes it.

    Raises:
        SettingsError: It is none.
    """
    try:
        return ModelSettings(base_url=text).base_url
    except ValidationError as exc:
        meant = meant_url(text)
        remedy = f"allowed is {describe_allowed(('model', 'base_url'))}"
        if meant != text:
            remedy = f"did you mean {meant}?"
        raise SettingsError(f"{text!r} is no address of a model: {remedy}") from exc


def _option(setting: Setting, number: int) -> Option:
    provider, name, about = CHOICES[number]
    if number != OWN_HOST and provider in WANTED and not WANTED[provider][0].is_installed:
        return Option(name, about, "not installed", is_lacking=True)
    has_key = number != OWN_HOST and held_key(setting.present.loaded.secrets, provider) is not None
    return Option(name, about, "its key is set" if has_key else "")


def _tell_lacking(setting: Setting, provider: ModelProvider) -> bool:
    """Tell what a provider's model wants that is not installed; whether there is such a thing."""
    extra, what = WANTED.get(provider, (None, ""))
    if extra is None or extra.is_installed:
        return False
    setting.dialogue.refuse(f"Its {what} is not installed here")
    setting.dialogue.say("This installs it:")
    setting.dialogue.show(extra.install_line)
    return True


def _default(setting: Setting) -> int:
    """What there is; else what wants nothing, if it is installed, or what wants only a key."""
    model = setting.present.model
    if model is None or model.provider == "embedded":
        return len(CHOICES) - 1 if LOCAL.is_installed else 0
    if model.provider == "openai" and model.base_url:
        return OWN_HOST
    return next(
        number for number, (provider, _, _) in enumerate(CHOICES) if provider == model.provider
    )


def _ask_for(setting: Setting, chosen: int) -> ModelAnswer | None:
    """The rest of a choice; None to choose again."""
    provider, dialogue = CHOICES[chosen][0], setting.dialogue
    if chosen == OWN_HOST:
        return _ask_own_host(setting)
    lacks = _tell_lacking(setting, provider)
    if provider == "embedded":
        if lacks and not dialogue.confirm("Choose it, and install that later?", default=False):
            return None
        return ModelAnswer("embedded", _ask_embedded(setting))
    if lacks:
        return None
    return _ask_key(setting, provider)


def _ask_embedded(setting: Setting) -> str:
    """The name of the embedded model; of what stays as it is, what is set."""
    machine = setting.present.machine
    offered = [model for model in CATALOGUE if model.offered]
    suits = recommended(machine.memory_bytes, machine.cores)
    current = _current(setting, "embedded").name
    options = [
        Option(
            model.name,
            f"{model.about}; {gigabytes(model.size)}",
            "recommended" if model == suits else "",
        )
        for model in offered
    ]
    setting.dialogue.say(f"This machine has {machine.describe()}.")
    names = [model.name for model in offered]
    default = names.index(current if current in names else suits.name)
    return _named(names[setting.dialogue.choose("Which of them?", options, default=default)])


def _named(name: str) -> str:
    """As gaia.yaml has it: the default has no name there."""
    return "" if name == DEFAULT_NAMES["embedded"] else name


def gigabytes(size: int) -> str:
    """A size as one compares it with a disk."""
    return f"{size / 10**9:.1f} GB"


def _ask_key(setting: Setting, provider: ModelProvider) -> ModelAnswer | None:
    dialogue, settings = setting.dialogue, setting.present.loaded.settings.model
    current = _current(setting, provider)
    key, pasted = held_key(setting.present.loaded.secrets, provider), None
    while True:
        if key is None:
            pasted = dialogue.ask_hidden(
                f"{PROVIDERS[provider]}'s key (it does not show; Enter chooses again)",
                check=checked_secret,
            )
            if not pasted:
                return None
            key = SecretStr(pasted)
        name = current.name or DEFAULT_NAMES[provider]
        host = setting.probe.model(ResolvedModel(provider, name, current.base_url, key), settings)
        if host.names or setting.is_taken(host.finding):
            break
        key = None
    name = _ask_name(setting, host.names, current.name, DEFAULT_NAMES[provider])
    heard = _has(name or DEFAULT_NAMES[provider]) if host.names else host.finding
    secret = SecretStr(pasted) if pasted else None
    return ModelAnswer(provider, name, current.base_url, secret, heard)


def _ask_own_host(setting: Setting) -> ModelAnswer | None:
    dialogue, loaded = setting.dialogue, setting.present.loaded
    url = loaded.settings.model.base_url
    question = "Look for Ollama and llama.cpp on this machine?"
    if not url and dialogue.confirm(question, default=True):
        found = setting.probe.local_hosts()
        url = found[0] if found else ""
        dialogue.say(f"There is one at {url}." if url else "There is none at its usual address.")
    example = "" if url else " (such as http://127.0.0.1:11434/v1; Enter chooses again)"
    url = dialogue.ask(f"Its address{example}", default=url, check=checked_url)
    if not url:
        return None
    key, pasted = loaded.secrets.openai_api_key, None
    if key is not None:
        dialogue.say("OPENAI_API_KEY is set: that host gets it with each request.")
    else:
        question = "Its key (it does not show; Enter if it wants none)"
        pasted = dialogue.ask_hidden(question, check=checked_secret)
        key = SecretStr(pasted) if pasted else None
    name = loaded.settings.model.name
    resolved = ResolvedModel("openai", name, url, key)
    host = setting.probe.model(resolved, loaded.settings.model)
    if not host.names and not setting.is_taken(host.finding):
        return None
    name = _ask_name(setting, host.names, name, "")
    if not name:
        name = dialogue.ask("The name of its model, as that host spells it")
    heard = _has(name) if host.names else host.finding
    return ModelAnswer("openai", name, url, SecretStr(pasted) if pasted else None, heard)


def _has(name: str) -> Finding:
    return ok(f"its host is there, and has {name}")


def _ask_name(setting: Setting, names: Sequence[str], current: str, default: str) -> str:
    """The model's name: what there is, if the host has it or does not say."""
    wanted, dialogue = current or default, setting.dialogue
    if not names:
        return current
    if wanted in names:
        dialogue.say(f"It takes that, and has {wanted}.")
        return current
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    dialogue.say(f"It has {', '.join(names[:SHOWN_NAMES])}{more}.")
    return dialogue.ask("Which model?", default=names[0], check=lambda name: _one_of(name, names))


def _one_of(name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise SettingsError(f"it has no {name!r}: write one of its names")
    return name


def _provider_of_flags(setting: Setting) -> ModelProvider:
    flags, model = setting.flags, setting.present.model
    if flags.model is not None:
        return flags.model.value
    if flags.model_url:
        return "openai"
    if model is None:
        raise typer.BadParameter("say whose model it is", param_hint="--model")
    return model.provider


def _current(setting: Setting, provider: ModelProvider) -> ModelSettings:
    """What is set for a provider that answers already; the defaults for another."""
    model = setting.present.model
    if model is None or model.provider != provider:
        return ModelSettings()
    settings = setting.present.loaded.settings.model
    return ModelSettings(name=settings.name, base_url=settings.base_url)


def _secrets_with(secrets: Secrets, provider: ModelProvider, key: SecretStr | None) -> Secrets:
    if key is None or provider not in KEYS:
        return secrets
    return secrets.model_copy(update={KEYS[provider].lower(): key})
