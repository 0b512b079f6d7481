"""A day's tokens with a real daemon: they are used up, told of, counted, and allowed again by
a change of gaia.yaml."""

from __future__ import annotations

import json

from tests.harness.processes import talking
from tests.servers.model_server import running_model_server


async def test_a_budget_is_used_up_and_allowed_again_while_gaia_runs(
    home, run_gaia, running_daemon
):
    async with running_model_server() as model:

        def allow(tokens: int) -> None:
            home.settings_file.write_text(
                f"model: {{provider: openai, name: m, base_url: '{model.openai_base_url}'}}\n"
                "web: {enabled: false}\ncosts: {currency: EUR, input_price: 1000}\n"
                f"limits: {{user_tokens_per_day: {tokens}}}\n"
            )

        allow(1)
        async with running_daemon(home) as daemon, talking(home, "ada") as ada:
            assert await ada.ask("My name is Ada.") == "Nice to meet you, Ada."
            refused = await ada.ask("What's my name?")
            assert "used up today's tokens for you" in refused
            assert "today's tokens for you are used up" in "".join(ada.replies)
            assert "Today you have used" in await ada.ask("/status")
            assert len(model.requests) == 1

            allow(100_000)
            await daemon.until_logged("settings changed")
            assert await ada.ask("What's my name?") == "Your name is Ada."

    told = await run_gaia(home, "costs", "--json", "--by", "purpose")
    (turns,) = json.loads(told.stdout)["lines"]
    assert (turns["subject"], turns["calls"]) == ("turn", 2)
    assert turns["cost"] == turns["tokens_in"] / 1000
