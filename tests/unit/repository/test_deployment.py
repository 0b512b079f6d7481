"""The Dockerfile, as far as it can be checked without building it."""

from __future__ import annotations

from pathlib import Path


def test_all_that_the_image_copies_is_there(root: Path) -> None:
    lines = (root / "Dockerfile").read_text().splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ")]
    sources = [name for names in copied for name in names if not names[0].startswith("--from")]
    assert {"requirements.lock", "gaia", "channels", "config"} <= set(sources)
    assert [name for name in sources if not (root / name).exists()] == []
