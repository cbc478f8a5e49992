"""Dates and times in templates, in the time zone of the reader."""

from datetime import UTC, date, datetime

import pytest
from django.template import engines
from django.utils import timezone

EVENING = datetime(2026, 3, 31, 23, 30, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "value", "html"),
    [
        (
            "as_time",
            EVENING,
            '<time datetime="2026-04-01T01:30:05+0200">2026-04-01 01:30 CEST</time>',
        ),
        ('as_time:"H:i:s T"', EVENING, '<time datetime="2026-04-01T01:30:05+0200">01:30:05 CEST</time>'),
        ("as_date", EVENING, '<time datetime="2026-04-01">2026-04-01</time>'),
        ("as_date", date(2016, 8, 1), '<time datetime="2016-08-01">2016-08-01</time>'),
        ("as_date", "2016-08", '<time datetime="2016-08">2016-08</time>'),
        ("as_date", "<b>", '<time datetime="&lt;b&gt;">&lt;b&gt;</time>'),
        ("as_time", None, ""),
        ("as_date", None, ""),
        ("as_date", "", ""),
    ],
)
def test_a_time_is_an_element(expression: str, value: date | str | None, html: str) -> None:
    template = engines["django"].from_string(f"{{{{ value|{expression} }}}}")
    with timezone.override("Europe/Berlin"):
        assert template.render({"value": value}) == html
