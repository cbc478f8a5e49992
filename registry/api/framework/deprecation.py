"""Which resources are going to end: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) in their answers."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.http import http_date


@dataclass(frozen=True, slots=True)
class Deprecated:
    """Not to be used any more since a day; gone after `sunset`, if that is decided; `explained_at` an address."""

    since: datetime
    sunset: datetime | None = None
    explained_at: str = ""

    @property
    def headers(self) -> dict[str, str]:
        headers = {"Deprecation": f"@{int(self.since.timestamp())}"}
        if self.sunset:
            headers["Sunset"] = http_date(self.sunset.timestamp())
        if self.explained_at:
            headers["Link"] = f'<{self.explained_at}>; rel="deprecation"; type="text/html"'
        return headers


# By the name of the resource's class. None is deprecated.
DEPRECATED: dict[str, Deprecated] = {}
