"""The time anywhere in the world."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gaia.ports import Clock


class WorldClock:
    """Tells the time in any zone of the IANA database."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def current_time(self, time_zone: str) -> dict[str, str]:
        """Tell the time in another place.

        Args:
            time_zone: IANA name, such as Asia/Tokyo.
        """
        try:
            zone = ZoneInfo(str(time_zone).strip())
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return {"error": f"{time_zone!r} is no IANA time zone; use a name like Asia/Tokyo"}
        return {"time": f"{self._clock.now().astimezone(zone):%A %d %B %Y, %H:%M}"}
