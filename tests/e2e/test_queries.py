"""A command that only reads tells the same, whether the daemon answers it or the database."""

from __future__ import annotations

from tests.servers.model_server import running_model_server

QUERIES = (
    *("users list --json", "users pending --json", "audit --json", "costs --json"),
    *("outbox list --json", "memory list --json", "memory why 1 --json", "memory export"),
    "memory upkeep --json",
    *("sessions list --json", "sessions list --all --json", "sessions search tea --json"),
)
REFUSED = {
    "memory list --user Nobody": (1, "Nobody"),
    "sessions show nothing": (1, "there is no session or user 'nothing'"),
    "memory list": (2, "say who is meant: Ann, Bob"),
    "sessions list": (2, "say who is meant: Ann, Bob"),
    "sessions list --user Ann --all": (2, "say whose"),
}


async def test_the_daemon_and_the_database_answer_alike(home, run_gaia, running_daemon) -> None:
    async def answers() -> dict[str, tuple[int, str]]:
        told = {each: await run_gaia(home, *each.split()) for each in QUERIES}
        assert {each: one.stderr for each, one in told.items()} == dict.fromkeys(QUERIES, "")
        return {each: (one.code, one.stdout) for each, one in told.items()}

    async with running_model_server() as model:
        home.settings_file.write_text(
            f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
            "web: {enabled: false}\nsessions: {settle_seconds: 0}\nbackup: {enabled: false}\n"
        )
        async with running_daemon(home) as daemon:
            await run_gaia(home, "chat", "-m", "I drink tea")
            await run_gaia(home, "memory", "add", "I drink tea")
            answered = await answers()
            await daemon.terminate()
        assert '"text": "I drink tea"' in answered["memory list --json"][1]
        assert '"asked": "I drink tea"' in answered["sessions search tea --json"][1]
        assert await answers() == answered


async def test_both_refuse_alike(home, run_gaia, running_daemon) -> None:
    home.settings_file.write_text(
        "model: {provider: openai, name: fake, base_url: 'http://127.0.0.1:9/v1'}\n"
        "web: {enabled: false}\n"
    )
    for name in ("Ann", "Bob"):
        assert (await run_gaia(home, "users", "add", name)).code == 0

    async def refusals() -> dict[str, tuple[int, str]]:
        told = {each: await run_gaia(home, *each.split()) for each in REFUSED}
        return {each: (one.code, one.stderr) for each, one in told.items()}

    async with running_daemon(home) as daemon:
        refused = await refusals()
        await daemon.terminate()
    assert await refusals() == refused
    for command, (code, words) in REFUSED.items():
        assert refused[command][0] == code
        assert words in refused[command][1]
