"""What a key looks like is told in one place, and known in the log, the settings and memory."""

from __future__ import annotations

import pytest

from gaia.logs import REDACTED, Redaction
from gaia.memory import credentials
from gaia.memory.credentials import Credential
from gaia.settings.secrets import conceal, is_secret, variable_for

MIXED = "aB3dE5gH7jK9" * 4
SAMPLES = {
    "Google": "AIza" + MIXED[:35],
    "Anthropic": "sk-ant-api03-" + MIXED,
    "OpenAI": "sk-proj-" + MIXED,
    "Telegram": "123456789:" + MIXED[:35],
    "Twilio account": "AC" + "0a" * 16,
    "Twilio key": "SK" + "0a" * 16,
    "Stripe": "sk_live_" + MIXED[:24],
    "ElevenLabs": "sk_" + "0a" * 24,
    "Google OAuth": "ya29." + MIXED,
    "AWS": "AKIA" + "A1B2C3D4E5F6G7H8",
    "GitHub": "ghp_" + MIXED[:36],
    "GitHub fine-grained": "github_pat_" + MIXED,
    "GitLab": "glpat-" + MIXED[:20],
    "Slack": "xoxb-" + MIXED[:24],
    "Hugging Face": "hf_" + MIXED[:34],
    "npm": "npm_" + MIXED[:36],
    "PyPI": "pypi-" + MIXED,
    "SendGrid": f"SG.{MIXED[:22]}.{MIXED[:43]}",
    "age": "AGE-SECRET-KEY-1" + "Q" * 58,
    "JWT": f"eyJ{MIXED[:20]}.eyJ{MIXED[:20]}.{MIXED[:20]}",
    "PEM": "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----",
}
everywhere = pytest.mark.parametrize("secret", SAMPLES.values(), ids=SAMPLES)


@everywhere
def test_no_key_gets_into_a_log(secret: str) -> None:
    assert Redaction(())(f"it is {secret} there") == f"it is {REDACTED} there"


@everywhere
def test_no_key_stands_in_the_settings_or_is_shown_with_them(secret: str) -> None:
    assert is_secret(("model", "instructions"), f"it is {secret} there")
    assert conceal(f"it is {secret} there") == "it is [secret] there"


@everywhere
def test_no_key_is_kept_in_memory(secret: str) -> None:
    assert credentials.find(f"it is {secret} there") is Credential.KEY


@pytest.mark.parametrize(
    ("owner", "variable"),
    [
        ("Google", "GEMINI_API_KEY"),
        ("Anthropic", "ANTHROPIC_API_KEY"),
        ("OpenAI", "OPENAI_API_KEY"),
        ("Telegram", "GAIA_TELEGRAM_BOT_TOKEN"),
        ("Twilio account", "GAIA_TWILIO_ACCOUNT_SID"),
        ("AWS", ""),
    ],
)
def test_a_key_that_gaia_uses_has_a_variable(owner: str, variable: str) -> None:
    assert variable_for(SAMPLES[owner]) == variable


@pytest.mark.parametrize(
    "text",
    [
        "a task is risk-averse at 12:00",
        "https://host/path",
        "SK is Slovakia",
        "hf_hub_download",
        "I work in risk-management-consulting",
        "https://shop.example/desk-organizer-bamboo-large",
        "our company does risk-benefit-analysis on Mondays",
        "task-oriented-planning-things",
        "network-interface-configuration",
        "a disk_image_of_the_old_laptop",
    ],
)
def test_ordinary_words_are_none(text: str) -> None:
    assert conceal(text) == text
    assert Redaction(())(text) == text
    assert credentials.find(text) is None
    assert not is_secret(("model", "instructions"), text)


@everywhere
@pytest.mark.parametrize("before", ["it is\\n", "it is\\t", "key%3D", "'"])
def test_a_key_in_a_log_is_found_where_what_stands_before_it_is_escaped(
    secret: str, before: str
) -> None:
    assert secret not in Redaction(())(f"{before}{secret} there")


@pytest.mark.parametrize(
    "address",
    [
        "http://bob:pa#ssword9@127.0.0.1:1/v1",
        "postgres://admin:Tr0ub?4dor@db.example.com/x",
        "redis://:hunter2@cache",
    ],
)
def test_a_password_in_an_address_is_a_secret_whatever_is_in_it(address: str) -> None:
    assert is_secret(("model", "base_url"), address)
    assert credentials.find(address) is Credential.KEY
    assert conceal(address).endswith(address.rpartition("@")[2])
    assert ":".join(address.rpartition("@")[0].split(":")[2:]) not in conceal(address)
