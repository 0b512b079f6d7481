"""Alembic's environment and the migrations of gaia.db, in their order.

A new table or column: change `gaia.store.tables`, add a module to `versions`,
and its revision here.
"""

from __future__ import annotations

REVISIONS = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
    "0007",
    "0008",
    "0009",
    "0010",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
    "0020",
    "0021",
    "0022",
    "0023",
    "0024",
    "0025",
    "0026",
    "0027",
)
HEAD = REVISIONS[-1]
