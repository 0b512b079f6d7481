"""The daemon and the command line with remote models, each through its real client."""

from __future__ import annotations

import asyncio
import json
import signal

import httpx
import pytest

from channels.terminal_wire import TurnTextFrame
from gaia.core.sentences import STOPPED
from tests.harness import processes
from tests.harness.processes import talking
from tests.servers.llmock import running_llmock
from tests.servers.model_server import ScriptedCall, Step, running_model_server

OPENAI = {"OPENAI_API_KEY": "x"}
LISTENS = "the web server listens on "
GEMINI = {"GEMINI_API_KEY": "x"}


def use_openai(home, base_url: str, more: str = "") -> None:
    home.settings_file.write_text(
        f"model: {{provider: openai, name: fake, base_url: '{base_url}', retries: 0}}\n"
        f"web: {{port: 0}}\n{more}"
    )


def use_gemini(home, base_url: str) -> None:
    home.settings_file.write_text(
        f"model: {{provider: gemini, name: gemini-fake, base_url: '{base_url}'}}\n"
        "web: {port: 0}\n"
    )


async def test_one_message_is_one_small_request_and_the_next_goes_on(home, run_gaia):
    async with running_model_server() as model:
        use_openai(home, model.openai_base_url)
        hello = await run_gaia(home, "chat", "-m", "My name is Ada.", environ=OPENAI)
        assert (hello.code, hello.stdout) == (0, "Nice to meet you, Ada.\n")
        (request,) = model.requests
        assert request.path.endswith("/chat/completions")
        assert request.size < 6_000
        name = await run_gaia(home, "chat", "-m", "What's my name?", environ=OPENAI)
        assert (name.code, name.stdout) == (0, "Your name is Ada.\n")
        assert len(model.requests) == 2


async def test_each_line_of_a_pipe_is_a_message(home):
    async with running_model_server() as model:
        use_gemini(home, model.gemini_base_url)
        chat = await processes.run_gaia(home, "chat", stdin="one\n\ntwo\n/whoami\n", environ=GEMINI)
        lines = chat.stdout.splitlines()
        assert lines[:2] == ["echo: one", "echo: two"]
        assert lines[2].startswith("You are ")
        assert len(model.requests) == 2


@pytest.mark.parametrize("provider", ["openai", "gemini"])
async def test_a_conversation_with_the_daemon(home, provider):
    async with running_model_server() as model:
        if provider == "openai":
            use_openai(home, model.openai_base_url)
        else:
            use_gemini(home, model.gemini_base_url)
        async with (
            processes.running_daemon(home, environ={**OPENAI, **GEMINI}) as daemon,
            talking(home, "ada") as ada,
        ):
            assert await ada.ask("hello there", wants_preview=True) == "echo: hello there"
            shown = [each.text for each in ada.previews if isinstance(each, TurnTextFrame)]
            assert len(shown) > 1
            assert "".join(shown) == "echo: hello there"
            call = ScriptedCall(name="calculate", args={"expression": "6*7"})
            model.script(Step(call=call), Step(text="forty-two"))
            assert await ada.ask("six times seven?") == "forty-two"
            assert "42" in json.dumps(model.requests[-1].body)
            assert await daemon.terminate() == 0


async def test_a_model_that_is_down_is_told_of_and_answers_when_it_is_back(
    home, run_gaia, running_daemon
):
    async with running_model_server() as model:
        use_openai(home, model.openai_base_url)
        async with running_daemon(home, environ=OPENAI), talking(home, "ada") as ada:
            model.script(Step(status=500, times=None))
            told = await ada.ask("hello")
            assert told.startswith("I can't reach my model at the moment.")
            script = await run_gaia(home, "chat", "--user", "ada", "-m", "hello?")
            assert (script.code, script.stdout.startswith("I can't reach")) == (1, True)
            status = await run_gaia(home, "status", "--json")
            assert json.loads(status.stdout)["model"]["ok"] is False
            assert "does not work" in await ada.ask("/status")
            model.script()
            assert await ada.ask("hello again") == "echo: hello again"
            status = await run_gaia(home, "status", "--json")
            assert json.loads(status.stdout)["model"]["ok"] is True


async def test_stop_interrupts_a_slow_model(home, running_daemon):
    async with running_model_server() as model:
        use_openai(home, model.openai_base_url)
        model.script(Step(hang=True))
        async with running_daemon(home, environ=OPENAI), talking(home, "ada") as ada:
            slow = asyncio.create_task(ada.ask("take your time"))
            await model.until_asked()
            assert await ada.ask("/stop") == STOPPED
            assert await ada.ask("and now?") == "echo: and now?"
            slow.cancel()


async def test_fifty_people_at_once_each_get_their_own_answer(home, run_gaia, running_daemon):
    people = [f"person{number}" for number in range(50)]
    async with running_model_server() as model:
        use_openai(home, model.openai_base_url)
        model.script(Step(latency_seconds=0.05, times=None))
        async with running_daemon(home, environ=OPENAI) as daemon:

            async def talk(person: str) -> list[str]:
                async with talking(home, person) as talker:
                    return [
                        await talker.ask(f"My name is {person.title()}."),
                        await talker.ask("What's my name?"),
                    ]

            answers = await asyncio.gather(*map(talk, people))
            for person, (greeting, name) in zip(people, answers, strict=True):
                assert greeting == f"Nice to meet you, {person.title()}."
                assert name == f"Your name is {person.title()}."
            users = json.loads((await run_gaia(home, "users", "list", "--json")).stdout)
            assert [user["role"] for user in users].count("owner") == 1
            assert len(users) == 50
            assert await daemon.terminate() == 0


async def test_a_kill_in_the_middle_of_an_answer_loses_nothing(home, running_daemon):
    async with running_model_server() as model:
        use_openai(home, model.openai_base_url)
        model.script(Step(hang=True))
        async with running_daemon(home, environ=OPENAI) as first, talking(home, "ada") as ada:
            asked = asyncio.create_task(ada.ask("are you there?"))
            await model.until_asked()
            await first.kill()
            async with running_daemon(home, environ=OPENAI):
                assert await asked == "echo: are you there?"
                assert ada.replies == ["echo: are you there?"]


async def test_a_term_signal_lets_the_turn_end_and_a_second_one_does_not(home, running_daemon):
    async with running_model_server() as model:
        use_openai(home, model.openai_base_url)
        model.script(Step(latency_seconds=0.5))
        async with running_daemon(home, environ=OPENAI) as daemon, talking(home, "ada") as ada:
            asked = asyncio.create_task(ada.ask("one moment"))
            await model.until_asked()
            daemon.send(signal.SIGTERM)
            assert await asked == "echo: one moment"
            assert await daemon.ended() == 0
        model.script(Step(hang=True))
        async with running_daemon(home, environ=OPENAI) as daemon, talking(home, "ada") as ada:
            asked = asyncio.create_task(ada.ask("for ever"))
            await model.until_asked(2)
            daemon.send(signal.SIGTERM)
            await daemon.until_logged("SIGTERM: ending")
            daemon.send(signal.SIGTERM)
            assert await daemon.ended() == 1
            asked.cancel()


async def test_the_port_tells_whether_gaia_is_well_and_control_is_for_the_socket_alone(
    home, run_gaia, running_daemon
):
    async with running_model_server() as model:
        use_openai(home, model.openai_base_url)
        async with running_daemon(home, environ=OPENAI) as daemon, httpx.AsyncClient() as http:
            (line,) = [line for line in daemon.log if LISTENS in line]
            url = f"http://{line.split(LISTENS)[1].strip()}"
            health = await http.get(f"{url}/healthz")
            assert (health.status_code, health.json()) == (200, {"status": "ok"})
            assert (await http.get(f"{url}/readyz")).status_code == 200
            assert (await http.get(f"{url}/local/status")).status_code == 404
            assert (home.control_socket.stat().st_mode & 0o777) == 0o600
            status = await run_gaia(home, "status")
            assert status.code == 0
            assert "fake (openai at" in status.stdout


async def test_nothing_of_a_key_or_a_message_is_in_the_log(home, running_daemon):
    async with running_model_server() as model:
        use_openai(home, model.openai_base_url)
        key = {"OPENAI_API_KEY": "sk-canary-0123456789abcdef"}
        async with running_daemon(home, environ=key) as daemon, talking(home, "ada") as ada:
            await ada.ask("canary words")
            model.script(Step(status=401))
            told = await ada.ask("more canary words")
            assert told.startswith("My model's provider refuses my requests.")
            await daemon.terminate()
            written = "\n".join(daemon.log) + (home.logs / "gaia.log").read_text()
        assert "turn done" in written
        assert "canary" not in written


@pytest.mark.parametrize(("provider", "path"), [("openai", "/v1"), ("gemini", "/gemini")])
async def test_a_conversation_through_a_server_that_others_wrote(home, provider, path, run_gaia):
    with running_llmock() as url:
        home.settings_file.write_text(
            f"model: {{provider: {provider}, name: a-model, base_url: '{url}{path}'}}\n"
        )
        chat = await run_gaia(
            home, "chat", stdin="hello\nhello again\n", environ={**OPENAI, **GEMINI}
        )
        assert (chat.code, chat.stderr) == (0, "")
        answers = chat.stdout.splitlines()
        assert len(answers) == 2
        assert all(answers)
        (session,) = json.loads((await run_gaia(home, "sessions", "list", "--json")).stdout)
        assert session["events"] >= 4
