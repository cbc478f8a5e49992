"""The measures of pages see each fault, and accept what only resembles one."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.journeys.conftest import a_browser
from tests.journeys.page_measures import Sheet, faults_on

pytestmark = pytest.mark.browser
WINDOW, PAPER = Sheet(768), Sheet(718, is_screen=False)
WORDS = "Names of single trees in the care of botanical gardens, each with its number. "
WORD = "unbreakable" * 20
HIDDEN = "position: absolute; width: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap"


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    with a_browser() as browser:
        yield browser.new_page()


FAULTY = {
    "characters stand in": f'<p style="width: 5em">{WORDS}</p>',
    "lines of 0": f'<p style="width: 2px; overflow-wrap: anywhere">{WORDS}</p>',
    "reaches beyond the window by": f'<p style="overflow: hidden">{WORD}</p>',
    "is wider than the window by": f"<p>{WORD}</p>",
    "is 600 × ": f'<p><button style="width: 600px">Copy<span style="{HIDDEN}">{WORDS}</span></button></p>',
    " × 400, ": '<p><button style="height: 400px">Copy</button></p>',
    "touches “Copy”": "<p><button>Copy</button><button>Print</button></p>",
    "high, and its text needs": f'<div style="height: 5000px"><p>{WORDS}</p></div>',
}
SOUND = {
    "a narrow column with few characters": '<p style="width: 2em">botanical gardens</p>',
    "forced line breaks": '<pre style="width: 5em">Names\nof single\ntrees in\ngardens</pre>',
    "forced line breaks of HTML": '<p style="width: 7em">Names<br>of single<br>trees in<br>gardens</p>',
    "a cell of three lines": f'<table><tr><td style="min-width: 9em; width: 9em">{WORDS[:40]}</td></tr></table>',
    "text that scrolls": f'<pre style="overflow-x: auto">{WORD}</pre>',
    "text for screen readers": f'<p>Copy<span style="{HIDDEN}">{WORDS * 20}</span></p>',
    "a button with padding": '<p><button style="padding: 1em 2em">OK</button></p>',
    "buttons with a space between": "<p><button>Copy</button> <button>Print</button></p>",
    "an input with its button": "<p><input aria-label=Name><button>Find</button></p>",
    "a long text": f"<p>{WORDS * 200}</p>",
}


def shown(body: str, tab: Page) -> Page:
    tab.set_content(f'<!doctype html><html lang="en"><body style="margin: 0">{body}</body></html>')
    return tab


@pytest.mark.parametrize("says", FAULTY)
def test_each_fault_is_seen(tab: Page, says: str) -> None:
    faults = faults_on(WINDOW, shown(FAULTY[says], tab))
    assert all(fault.startswith("768 px: ") for fault in faults)
    assert any(says in fault for fault in faults)


@pytest.mark.parametrize("what", SOUND)
def test_what_can_be_read_has_no_fault(tab: Page, what: str) -> None:
    assert faults_on(WINDOW, shown(SOUND[what], tab)) == []


def test_paper_does_not_scroll(tab: Page) -> None:
    (fault,) = faults_on(PAPER, shown(SOUND["text that scrolls"], tab))
    assert "reaches beyond the window by" in fault


def test_paper_has_no_buttons(tab: Page) -> None:
    (fault,) = faults_on(PAPER, shown("<p><button>Copy</button></p>", tab))
    assert fault == "718 px of paper: is of no use on paper: p > button “Copy”"


def test_faults_that_are_alike_are_counted(tab: Page) -> None:
    (fault,) = faults_on(WINDOW, shown(FAULTY["characters stand in"] * 3, tab))
    assert fault.endswith("and 2 alike")
