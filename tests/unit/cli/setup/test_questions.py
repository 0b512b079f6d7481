"""The wizard's questions, answered. Each answer is a line; an empty one is Enter."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

from gaia.cli.setup import Flags, ProviderName
from gaia.extras import LOCAL
from tests.servers.model_server.app import MODEL
from tests.servers.telegram import TelegramServer
from tests.servers.twilio import TwilioServer

KEY = "canary-model-key-4711"
WRONG_TOKEN = "123456789:AAcanary-canary-canary-canary-canary"
NO_CHANNELS = Flags(service=False, telegram=False, whatsapp=False, name="Ada")
NO_MODEL = replace(NO_CHANNELS, model=ProviderName.EMBEDDED, pull=False)
TELEGRAM_ALONE = replace(NO_MODEL, telegram=None)
WHATSAPP_ALONE = replace(NO_MODEL, whatsapp=None)


async def test_enter_alone_gives_a_gaia_that_needs_nothing(shell) -> None:
    said = await shell.walk("", "1", "n", "", "", "", "", "")
    assert shell.settings.model.provider == "embedded"
    assert shell.settings.model.name == ""
    assert "(recommended)" in said
    assert not shell.settings.channels.telegram.enabled
    assert "The owner is Ada Lovelace." in said
    assert "gaia model pull" in said
    assert "Your code" not in said
    assert not shell.home.env_file.exists()


async def test_without_its_engine_the_embedded_model_is_no_default(shell, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, LOCAL.package, None)
    said = await shell.walk("5", "n", "5", "y", "1", "", "", "", "", "")
    told, _, after = said.partition("Done\n")
    assert "(not installed)\nWhich one? [1]: " in told
    assert told.count(f"\n  {LOCAL.install_line}\n") == 2
    assert "Fetch it" not in told
    assert "Its engine is not installed yet." in " ".join(after.split())
    next_steps = after.partition("Next\n")[2].splitlines()
    assert [step.strip().partition("  ")[0] for step in next_steps[1:3]] == [
        LOCAL.install_line,
        "gaia model pull",
    ]
    assert "Start chatting now?" not in said


async def test_a_choice_whose_engine_is_gone_is_put_again(shell, monkeypatch) -> None:
    await shell.call("--yes", "--model", "embedded")
    monkeypatch.setitem(sys.modules, LOCAL.package, None)
    said = await shell.stop()
    assert "Its engine is not installed here." in said
    assert LOCAL.install_line in said
    assert "Change it? [Y/n]" in said


async def test_the_options_stand_below_each_other_at_80_columns(shell) -> None:
    said = await shell.stop("", "")
    lines = said.partition("This machine has")[2].splitlines()[1:]
    about = {line[: lines[0].index("the default")].strip() for line in lines if "GB" in line}
    assert "" in about
    assert all(len(line) <= 80 for line in lines)


async def test_a_larger_embedded_model_is_taken_if_the_owner_says_so(shell) -> None:
    name = "ministral-3-3b-instruct-2512-q4_k_m"
    said = await shell.walk("", name, "n", "", "", "", "", "")
    assert shell.settings.model.name == name
    assert "Fetch it at the end (about 2.1 GB)?" in said


async def test_enter_keeps_all_that_is_set_and_no_byte_changes(shell, telegram, models) -> None:
    first = await shell.walk(
        *("4", "n", models.openai_base_url, KEY, "", "y", telegram.token, ""),
        *("Ada", "Lisbon"),
    )
    before = shell.files()
    again = await shell.walk("", "", "", "")
    assert shell.files() == before
    assert before.keys() == {"gaia.yaml", ".env"}
    assert "Nothing changed" in " ".join(again.split())
    assert "Your code" not in again
    assert KEY not in again
    assert telegram.token not in again
    shown = f"{first}{again}".replace(str(shell.home.root), "/home/ada/.gaia")
    questions = re.compile(r"[\])?]: ")
    wide = [line for line in shown.splitlines() if len(line) > 80 and not questions.search(line)]
    assert wide == []


async def test_leaving_at_any_question_changes_nothing(shell, telegram, models) -> None:
    answers = ["4", "n", models.openai_base_url, KEY, "", "y", telegram.token, ""]
    before = {file: file.stat().st_mtime_ns for file in shell.home.root.rglob("*")}
    for number in range(len(answers) + 1):
        assert "Nothing was changed." in await shell.stop(*answers[:number])
    assert {file: file.stat().st_mtime_ns for file in shell.home.root.rglob("*")} == before


async def test_a_key_that_is_refused_is_asked_for_again(shell, models) -> None:
    url = models.openai_base_url
    said = await shell.walk(
        *("4", "n", url, "canary-wrong", "4", "n", url, KEY, ""), flags=NO_CHANNELS
    )
    assert "failed:" in said
    assert "HTTP 401" in said
    assert "canary" not in said
    assert shell.secrets.values() == [KEY]
    assert (shell.settings.model.name, shell.settings.model.base_url) == (MODEL, url)


async def test_what_is_no_answer_is_asked_again_with_the_reason(shell, models) -> None:
    said = await shell.walk(
        *("9", "own host", "n", "not an address", models.openai_base_url, "a b", KEY),
        *("nothing", MODEL),
        flags=NO_CHANNELS,
    )
    told = " ".join(said.split())
    assert "There is no '9': write a number from 1 to 5." in told
    assert "'not an address' is no address of a model" in told
    assert "that has a space or a character that no key has" in told.lower()
    assert "It has no 'nothing'" in told


async def test_a_host_that_cannot_be_asked_is_gone_on_with_if_the_owner_says_so(
    shell, unused_tcp_port: int
) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/v1"
    said = await shell.walk(
        *("4", "n", url, "", "n", "4", "n", url, "", "y", "llama"), flags=NO_CHANNELS
    )
    silent = f"othing answers at 127.0.0.1:{unused_tcp_port}"
    assert said.count(f"warning: n{silent}") == 2
    assert f"The model is llama (openai, at {url}). N{silent}." in " ".join(said.split())
    assert "Start chatting now? [y/N]" in said
    assert (shell.settings.model.base_url, shell.settings.model.name) == (url, "llama")


async def test_a_key_of_the_environment_is_found_and_kept_where_a_service_finds_it(shell) -> None:
    flags = replace(NO_CHANNELS, check=False)
    said = await shell.walk("", "", flags=flags, GEMINI_API_KEY=KEY)
    assert "its key is set" in said
    assert "GEMINI_API_KEY is set in this shell only" in said
    assert KEY not in said
    assert shell.settings.model.provider == "gemini"
    assert shell.secrets.values() == [KEY]


async def test_a_wrong_token_is_told_in_telegrams_words_and_asked_again(
    shell, telegram: TelegramServer
) -> None:
    said = await shell.walk("y", "12", WRONG_TOKEN, telegram.token, flags=TELEGRAM_ALONE)
    told = " ".join(said.split())
    assert "digits, a colon, and 35 characters more" in told
    assert "Telegram refuses the token: Unauthorized" in told
    assert f"https://t.me/{telegram.bot_username}" in told
    assert "canary" not in told
    assert shell.secrets.values() == [telegram.token]
    assert telegram.violations == ()


async def test_the_code_that_is_shown_comes_with_a_link_to_the_chat(
    shell, telegram: TelegramServer
) -> None:
    said = await shell.walk("y", telegram.token, flags=TELEGRAM_ALONE)
    assert said.partition("Your code: ")[2][:9]
    assert f"https://t.me/{telegram.bot_username}" in said
    # A link that sent it by a tap would make an owner of whoever is given it.
    assert "?start=" not in said


async def test_telegram_is_left_out_when_no_token_is_there(shell, telegram) -> None:
    await shell.walk("y", "", flags=TELEGRAM_ALONE)
    assert not shell.settings.channels.telegram.enabled


async def test_whatsapp_wants_an_account_a_number_and_an_address(
    shell, twilio: TwilioServer
) -> None:
    said = await shell.walk(
        *("y", "AC12", "nonsense", twilio.account_sid, "ab" * 16),
        *(twilio.account_sid, twilio.auth_token, "call me", "+1 415 523-8886"),
        *("nowhere", "https://gaia.example.org/hooks/whatsapp"),
        flags=WHATSAPP_ALONE,
    )
    told = " ".join(said.split())
    assert "AC and 32 digits or letters to f" in told
    assert "Twilio refuses them" in told
    assert "'call me' is no number on WhatsApp" in told
    assert "'nowhere' is no public address" in told
    assert "enter https://gaia.example.org/hooks/whatsapp in its console" in told
    assert "to +14155238886 on WhatsApp" in told
    whatsapp = shell.settings.channels.whatsapp
    assert (whatsapp.number, whatsapp.public_url) == (
        *("+14155238886", "https://gaia.example.org"),
    )
    assert sorted(shell.secrets.values()) == sorted([twilio.account_sid, twilio.auth_token])
    assert twilio.violations == ()
    for secret in (twilio.auth_token, "ab" * 16):
        assert secret not in said


async def test_a_file_with_mistakes_is_told_before_anything_is_asked(shell) -> None:
    shell.home.settings_file.write_text("web: {port: -1}\n")
    result = await shell.result("--yes")
    assert result.exception is not None
    assert "web.port is -1" in str(result.exception)
    assert shell.files() == {"gaia.yaml": b"web: {port: -1}\n"}


async def test_a_zone_is_asked_for_until_it_is_told(shell) -> None:
    flags = replace(NO_MODEL, name=None)
    later = await shell.walk("Ada", "", flags=flags)
    assert "Your time zone, or the nearest large city, for reminders?" in later
    told = await shell.walk("Portugal", "lisbon", flags=flags)
    assert "has several time zones: Europe/Lisbon" in " ".join(told.split())
    assert "time zone" not in await shell.walk(flags=flags)
