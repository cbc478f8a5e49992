"""What eyes see of a page: columns too narrow for their text, text beyond the window, buttons and pages too large, buttons
that touch.
"""

from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

HEIGHT = 800
MEASURE = Path(__file__).with_suffix(".js").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A window or a sheet of paper, with its width in CSS pixels."""

    width: int
    is_screen: bool = True

    def __str__(self) -> str:
        return f"{self.width} px{'' if self.is_screen else ' of paper'}"


SHEETS = (
    Sheet(390),
    Sheet(768),
    Sheet(1280),
    # A4 with margins of 10 mm, upright and on its side.
    Sheet(718, is_screen=False),
    Sheet(1047, is_screen=False),
)


def faults_on(sheet: Sheet, tab: Page) -> list[str]:
    """What is wrong with the open page on a sheet: each with the sheet, the figures and the element."""
    tab.emulate_media(media="screen" if sheet.is_screen else "print")
    tab.set_viewport_size({"width": sheet.width, "height": HEIGHT})
    return [f"{sheet}: {each}" for each in tab.evaluate(MEASURE, not sheet.is_screen)]
