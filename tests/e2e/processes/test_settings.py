"""Settings that are changed at one of several gaias reach the others: while they run, and when
they start."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import signal
from functools import partial

import pytest

from gaia.store.location import VARIABLE
from tests.harness.effort import rounds

pytestmark = pytest.mark.timeout(180)

TOLD = "SELECT key, value FROM shared_settings ORDER BY key"
MINE = "# mine\n"
TURNS = ("sessions: {", "sessions: {window_turns: 9, ")


def change(gaia, *pairs: tuple[str, str]) -> None:
    """Put other words into its gaia.yaml."""
    text = gaia.home.settings_file.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    gaia.home.settings_file.write_text(text)


def says(gaia, words: str) -> bool:
    return words in gaia.home.settings_file.read_text()


@pytest.fixture
def asked(run_gaia):
    """What a command prints at one of them."""

    async def ask(cluster, gaia, *words: str) -> str:
        url = cluster.url.render_as_string(hide_password=False)
        finished = await run_gaia(gaia.home, *words, environ={VARIABLE: url})
        assert finished.code == 0, finished.stderr
        return finished.stdout

    return ask


@pytest.fixture
def problem_at(asked):
    """Why the settings of one are not as they are to be."""

    async def problem(cluster, gaia) -> str:
        status = json.loads(await asked(cluster, gaia, "status", "--json"))
        assert status["settings"]["ok"] is not bool(status["settings"]["detail"])
        return status["settings"]["detail"]

    return problem


async def all_share(cluster) -> None:
    """Start all, and return once each of them is one that tells and is told."""
    await cluster.start()
    files = [gaia.home.shared_settings_file for gaia in cluster.gaias]
    await cluster.until(lambda: all(file.exists() for file in files))


async def until_held(cluster, *gaias) -> None:
    """Return once they run with what stands in their files."""
    for gaia in gaias:
        held, file = gaia.home.last_good_settings_file, gaia.home.settings_file
        await cluster.until(partial(lambda a, b: a.read_text() == b.read_text(), held, file))


async def test_a_change_reaches_all_and_keeps_their_comments(made, asked, problem_at):
    async with made(3, []) as cluster:
        for gaia in cluster.gaias:
            gaia.home.settings_file.write_text(MINE + gaia.home.settings_file.read_text())
        await all_share(cluster)
        ada, *others = cluster.gaias
        change(ada, TURNS, (f"port: {ada.port}", "port: 0, page: false"))
        await cluster.until(lambda: all(says(gaia, "window_turns: 9") for gaia in others))
        await until_held(cluster, *others)
        assert cluster.rows(TOLD) == [("sessions.window_turns", "9"), ("web.page", "false")]
        for gaia in others:
            assert gaia.home.settings_file.read_text().startswith(MINE)
            assert says(gaia, f"port: {gaia.port}"), "it is the machine's own"
            assert "No setting differs" in await asked(cluster, gaia, "config", "diff")
            assert await problem_at(cluster, gaia) == ""
        names = ("--yes", "--model", "openai", "--model-name", "another", "--no-check")
        await asked(cluster, others[0], "setup", *names, "--no-pair", "--no-service")
        await cluster.until(lambda: all(says(gaia, "name: another") for gaia in cluster.gaias))
        await until_held(cluster, *cluster.gaias)
        audit = await asked(cluster, ada, "audit")
        assert audit.count("sessions.window_turns: 30 is now 9") == 3
        assert len(cluster.rows(TOLD)) == 3


async def test_who_was_down_takes_up_what_was_changed_and_tells_what_it_changed(made):
    async with made(2, []) as cluster:
        await all_share(cluster)
        ada, bob = cluster.gaias
        bob.send(signal.SIGTERM)
        assert await bob.ended() == 0
        change(ada, TURNS)
        await cluster.until(lambda: cluster.rows(TOLD) == [("sessions.window_turns", "9")])
        change(bob, ("limits: {", "limits: {concurrent_turns: 3, "))
        await bob.start()
        await cluster.until(lambda: says(bob, "window_turns: 9"))
        await cluster.until(lambda: says(ada, "concurrent_turns: 3"))
        await until_held(cluster, ada, bob)
        cluster.server.restart()
        change(bob, ("window_turns: 9", "window_turns: 8"))
        await cluster.until(lambda: says(ada, "window_turns: 8"), seconds=60)


async def test_those_that_change_the_same_at_once_agree(made):
    async with made(3, []) as cluster:
        await all_share(cluster)
        for number, gaia in enumerate(cluster.gaias):
            change(gaia, ("sessions: {", f"sessions: {{window_turns: {10 + number}, "))

        def agreed() -> bool:
            ((_, value),) = cluster.rows(TOLD) or [("", "none")]
            return all(says(gaia, f"window_turns: {value}") for gaia in cluster.gaias)

        await cluster.until(agreed)
        await until_held(cluster, *cluster.gaias)
        assert agreed()


async def test_all_agree_whoever_is_killed_while_settings_change(made):
    seed = int(os.environ.get("GAIA_KILL_SEED") or random.randrange(2**32))
    print(f"GAIA_KILL_SEED={seed}")
    chance = random.Random(seed)
    async with made(3, []) as cluster:
        for gaia in cluster.gaias:
            first = gaia.home.settings_file.read_text().replace(
                "sessions: {", f"{MINE}sessions: {{"
            )
            gaia.home.settings_file.write_text(f"{first}costs: {{currency: EUR}}\n")
            change(gaia, ("settle_seconds: 0", "settle_seconds: 0, window_turns: 1"))
        await all_share(cluster)
        for number in range(2, 2 + rounds(12, thorough=100)):
            gaia = chance.choice(cluster.gaias)
            key, value = chance.choice([("window_turns", number), ("currency", f"C{number}")])
            text = gaia.home.settings_file.read_text()
            gaia.home.settings_file.write_text(re.sub(rf"{key}: \w+", f"{key}: {value}", text))
            await asyncio.sleep(chance.uniform(0, 1.2))
            if chance.random() < 0.3:
                victim = chance.choice(cluster.gaias)
                victim.send(signal.SIGKILL)
                await victim.start()
        await cluster.balancer.until_ready(len(cluster.gaias))

        def shared() -> set[tuple[str, ...]]:
            texts = [gaia.home.settings_file.read_text() for gaia in cluster.gaias]
            return {tuple(re.findall(r"(?:window_turns|currency): \w+", each)) for each in texts}

        def told() -> set[str]:
            rows = [(str(key), json.loads(str(value))) for key, value in cluster.rows(TOLD)]
            return {f"{key.rpartition('.')[2]}: {value}" for key, value in rows}

        await cluster.until(lambda: len(shared()) == 1 and told() <= set(*shared()))
        await until_held(cluster, *cluster.gaias)
        assert all(says(gaia, MINE) for gaia in cluster.gaias)
        assert len(shared()) == 1


async def test_a_file_that_cannot_be_written_is_told(made, problem_at, tmp_path):
    async with made(2, []) as cluster:
        ada, bob = cluster.gaias
        # No draft with a longer name than this can be made beside it.
        elsewhere = tmp_path / ("s" * 250)
        shutil.move(bob.home.settings_file, elsewhere)
        bob.home.settings_file.symlink_to(elsewhere)
        before = elsewhere.read_text()
        await all_share(cluster)
        change(ada, TURNS)
        while not (problem := await problem_at(cluster, bob)):
            pass
        assert "has set sessions.window_turns to 9, but gaia.yaml here has not" in problem
        assert "Set it there" in problem
        assert elsewhere.read_text() == before
        change(bob, TURNS)
        while await problem_at(cluster, bob):
            pass
        assert cluster.rows("SELECT number FROM shared_settings") == [(1,)], "it is no news"


async def test_what_cannot_be_so_at_one_is_refused_there_alone(made, asked, problem_at):
    async with made(2, []) as cluster:
        ada, bob = cluster.gaias
        with_key = ada.home.env_file.read_text() + "ANTHROPIC_API_KEY=canary\n"
        ada.home.env_file.write_text(with_key)
        await all_share(cluster)
        before = bob.home.settings_file.read_text()
        change(ada, ("provider: openai", "provider: anthropic"))
        while not (problem := await problem_at(cluster, bob)):
            pass
        assert 'model.provider to "anthropic"' in problem
        assert "ANTHROPIC_API_KEY" in problem
        assert bob.home.settings_file.read_text() == before
        change(ada, TURNS)
        # Both are tried at once before each is tried alone.
        await cluster.until(lambda: says(bob, "window_turns: 9") and says(bob, "provider: openai"))
        assert await problem_at(cluster, bob) == problem
        audit = await asked(cluster, bob, "audit")
        assert audit.count("configuration refused") == 1
        bob.home.env_file.write_text(with_key)
        await cluster.until(lambda: says(bob, "provider: anthropic"))
        while await problem_at(cluster, bob):
            pass
