"""Google's client, of whose types the agent kit is made, loaded without aiohttp.

It would load aiohttp where that is installed, as it is for other packages, for a transport that
gaia does not use. That takes 9 MB and a tenth of a second. `gaia.app` imports this first.
"""

from __future__ import annotations

import sys

AIOHTTP = "aiohttp"

if AIOHTTP not in sys.modules:
    # An entry without a module says that there is none.
    sys.modules[AIOHTTP] = None  # type: ignore[assignment]
    try:
        import google.genai  # noqa: F401
    finally:
        del sys.modules[AIOHTTP]
