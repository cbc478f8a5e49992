"""Every page has valid HTML, is accessible, fits a phone, and works without scripts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

from tests.contracts.test_url_table import every_address
from tests.journeys.addresses import TRANSITIONS, is_a_page
from tests.journeys.conftest import a_browser
from tests.journeys.crawler import A_REGISTRANT, PEOPLE, Page, Walk, walk
from tests.journeys.page_elements import Kind, elements_of
from tests.journeys.page_measures import HEIGHT, SHEETS, faults_on
from tests.journeys.page_server import AXE, Site, Window, a_site
from tests.support.html_checker import said_of

# What fits here fits every telephone, and everything enlarged four times (WCAG 2.2, 1.4.10).
TELEPHONE = 320
DESKTOP = 1280
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
    "registers:entry": "redirects to the page of the sub-namespace",
    "namespaces:version_proof": "redirects to the proof of an event, a file",
    "namespaces:profile_proof": "redirects to the proof of an event, a file",
    "subnamespaces:proof": "redirects to the proof of an event, a file",
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
    "Attribute “popover": "the checker is older than the popover of HTML, 6.12, with which the menu of phones opens without script",
    "Article lacks heading": "a comment is named by the line that says who wrote it, and is no chapter",
}
# Swagger UI draws it by itself, and chooses its headings and colours: not ours to mend.
DRAWN_BY_OTHERS = "#description"
# Of these, the default run too measures a page.
READ_MOST = ("namespaces:detail", "namespaces:version", "cases:detail", "cases:edit")


ColorScheme = Literal["light", "dark"]

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
    faults = {
        f"{each['message']} {each.get('extract', '')!r}": str(by_file[Path(each["url"]).name])
        for each in said_of(tmp_path.iterdir())
        if not each["message"].startswith(tuple(ACCEPTED))
    }
    assert faults == {}


def different(pages: list[Page]) -> list[Page]:
    """The longest page of every view, and each with a kind of element in a place that no page before it has.

    The tables of the admin are alike: of them, those with something new.
    """
    whole = [page for page in pages if page.view != "part"]
    by_length = sorted(whole, key=lambda page: len(page.html))
    of_views = {page.view.removeprefix("POST "): page for page in by_length if "admin:" not in page.view}
    chosen = sorted(of_views.values(), key=_number_of_kinds, reverse=True)
    kinds = set[Kind]().union(*(elements_of(page.html).kinds for page in chosen))
    for page in sorted(whole, key=_number_of_kinds, reverse=True):
        here = elements_of(page.html).kinds
        if not here <= kinds:
            chosen.append(page)
            kinds |= here
    return chosen


def _number_of_kinds(page: Page) -> int:
    return len(elements_of(page.html).kinds)


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


class Looks:
    """What is wrong with the pages that a window shows: each is opened once, and everything is asked of it."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.inaccessible, self.unreadable = list[str](), list[str]()
        self._others = cycle(SHEETS[1:])
        self._seen_in: dict[ColorScheme, set[str]] = {"light": set(), "dark": set()}

    def open(self, page: Page) -> None:
        self.window.tab.emulate_media(media="screen", color_scheme="light")
        self.window.tab.set_viewport_size({"width": TELEPHONE, "height": HEIGHT})
        self.window.show(page)

    def ask_axe(self, page: Page) -> None:
        tab = self.window.tab
        tab.set_viewport_size({"width": DESKTOP, "height": HEIGHT})
        tab.add_script_tag(url=AXE)
        found = tab.evaluate(ASK_AXE, [DRAWN_BY_OTHERS])
        # Of what axe looks at, contrast alone hangs on the scheme.
        for scheme, seen in self._seen_in.items():
            tab.emulate_media(color_scheme=scheme)
            styles = {style: number for number, style in enumerate(tab.evaluate(STYLES, DRAWN_BY_OTHERS))}
            unseen = [number for style, number in styles.items() if style not in seen]
            faults, passed = tab.evaluate(ASK_ABOUT_CONTRAST, unseen)
            found += [f"{scheme}: {fault}" for fault in faults]
            seen |= {style for style, number in styles.items() if number in passed}
        self.inaccessible += [f"{page}: {each}" for each in found]

    def measure(self, page: Page) -> None:
        """On the narrowest sheet, and on one of the others in turn."""
        narrowest, other = SHEETS[0], next(self._others)
        # Django has no styles for the admin on paper.
        sheets = [narrowest, other] if other.is_screen or not page.view.startswith("admin:") else [narrowest]
        self.unreadable += [
            f"{page}: {each}" for sheet in sheets for each in faults_on(sheet, self.window.tab)
        ]


# Asks for no style sheets: it would, for rules that are not asked, against the policy of the page.
ASK_AXE = """async ([exclude]) => {
    const rules = {"color-contrast": {enabled: false}};
    const {violations} = await axe.run({exclude: [exclude]}, {resultTypes: ["violations"], preload: false, rules});
    return violations.flatMap(each => each.nodes.map(node => `${each.id}: ${node.html}`));
}"""
# What the contrast of each text hangs on: its own style and place, and those of the elements around it. Colours that change
# slowly are looked at when they have changed.
STYLES = """async exclude => {
    const changing = document.getAnimations().filter(each => each instanceof CSSTransition);
    await Promise.allSettled(changing.map(each => each.finished));
    const around = new Map([[null, ""]]);
    const styleAround = element => {
        if (!around.has(element)) {
            const {color, backgroundColor, backgroundImage, opacity, position} = getComputedStyle(element);
            const isDisabled = (element.control ?? element).matches(":disabled, [aria-disabled=true]");
            around.set(element, [element.localName, element.className, color, backgroundColor, backgroundImage, opacity,
                position, isDisabled, styleAround(element.parentElement)].join());
        }
        return around.get(element);
    };
    const words = element => [...element.childNodes].filter(each => each.nodeType === Node.TEXT_NODE)
        .map(each => each.data.trim()).join("") || element.value || "";
    window.texts = [...document.body.querySelectorAll("*")]
        .filter(each => words(each) && each.checkVisibility() && !each.closest(exclude));
    return window.texts.map(each => {
        const {fontSize, fontWeight, textShadow} = getComputedStyle(each);
        // Of a single letter, axe does not say.
        return [words(each).length > 1, fontSize, fontWeight, textShadow, styleAround(each)].join();
    });
}"""
# The faults, and which of the texts have enough contrast; of some, axe can't say.
ASK_ABOUT_CONTRAST = """async numbers => {
    if (!numbers.length) return [[], []];
    const {violations, passes} = await axe.run({include: numbers.map(each => window.texts[each])},
        {runOnly: ["color-contrast"], preload: false, elementRef: true});
    const passed = new Set(passes.flatMap(each => each.nodes.map(node => node.element)));
    return [violations.flatMap(each => each.nodes.map(node => `${each.id}: ${node.html}`)),
        numbers.filter(each => passed.has(window.texts[each]))];
}"""


@pytest.fixture(scope="module")
def looks(walked: Walk, site: Site, browser: Browser) -> Looks:
    """At the pages that are shown; of a walk by one person, axe is asked about every sixth, and every third is measured,
    and those read most.
    """
    looks = Looks(Window(browser.new_context(), site))
    pages = shown(walked)
    asked_about, measured = pages, pages
    if walked.people != PEOPLE:
        asked_about, measured = pages[::6], pages[::3]
        open_pages = [page for page in reversed(walked.pages) if page.status == 200]
        most = {page.view: page for page in open_pages if page.view in READ_MOST}
        measured += most.values()
    for page in dict.fromkeys([*pages, *measured]):
        looks.open(page)
        if page in asked_about:
            looks.ask_axe(page)
        # Swagger UI draws it.
        if page in measured and page.view != "api:schema-browser":
            looks.measure(page)
    return looks


@pytest.mark.browser
def test_every_page_is_accessible_in_light_and_dark_mode(looks: Looks) -> None:
    assert looks.inaccessible == []


@pytest.mark.browser
def test_no_page_is_wider_than_a_telephone(looks: Looks) -> None:
    assert looks.window.wide == []


@pytest.mark.browser
def test_no_page_loads_anything_from_elsewhere_or_breaks_its_policy(looks: Looks) -> None:
    assert looks.window.elsewhere == []
    assert looks.window.complaints == []


@pytest.mark.browser
def test_every_page_can_be_read_on_every_screen_and_on_paper(looks: Looks) -> None:
    assert not looks.unreadable, "\n".join(looks.unreadable)


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
