"""What a machine, or a container on it, has."""

from __future__ import annotations

from pathlib import Path

from gaia.ops.setup.present import Machine, look_at_machine


def test_a_container_has_what_it_may_use(tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    limit.write_text("1000000\n")
    assert look_at_machine(limit).memory_bytes == 1_000_000
    limit.write_text("max\n")
    assert look_at_machine(limit) == look_at_machine(tmp_path / "none")


def test_a_machine_is_told_in_a_few_words() -> None:
    assert Machine(8_200_000_000, 1).describe() == "8 GB of memory and 1 core"
    assert look_at_machine().cores > 0
