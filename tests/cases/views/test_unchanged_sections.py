"""What a later round and a revision change, and what stays: on the form, before the submission, and in the review."""

import re
import textwrap

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.namespaces.models import Namespace
from tests.cases.conftest import reread
from tests.cases.transitions.rounds import next_round, saved
from tests.support.browser import page, signed_in
from tests.support.factories import a_case_in_review, a_namespace

pytestmark = pytest.mark.django_db
PURPOSE = (
    "Names of the trees in the gardens of the society, so that labels, floras and databases can cite a tree for as long as "
    "its garden exists, and after that."
)


def text_of(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def stage_on_form(client: Client, case: Case, section: str) -> str:
    form = client.get(page("edit", case.pk)).text
    return text_of(form.partition(f'id="{section}-stage">')[2].partition("</summary>")[0])


def marked_in_review(expert: User, case: Case) -> list[str]:
    review = signed_in(expert).get(f"/desk/cases/{case.pk}/").text
    links = review.partition('aria-label="Sections of this page"')[2].partition("</nav>")[0]
    return [key for key, link in re.findall('href="#section-([^"]+)">(.*?)</a>', links) if "changed" in link]


@pytest.fixture
def reviewed(registrant: User) -> Case:
    return a_case_in_review(by=registrant, purpose=textwrap.fill(PURPOSE, 72))


def test_a_section_that_is_wrapped_anew_is_not_done(writer: Client, reviewed: Case) -> None:
    assert stage_on_form(writer, reviewed, "purpose") == "unchanged"
    case = saved(reviewed, purpose=textwrap.fill(PURPOSE, 60))
    assert stage_on_form(writer, case, "purpose") == "unchanged"
    case = saved(case, purpose=PURPOSE.replace("floras", "catalogues"))
    assert stage_on_form(writer, case, "purpose") == "done"
    assert stage_on_form(writer, case, "syntax") == "unchanged"
    assert "Ready to submit" in writer.get(page("edit", case.pk)).text


def test_a_new_draft_has_nothing_to_be_compared_with(writer: Client, draft: Case) -> None:
    assert stage_on_form(writer, draft, "purpose") == "done"
    assert 'aria-labelledby="changes"' not in writer.get(page("transition", draft.pk, "submit")).text


def test_a_later_round_is_shown_against_the_previous_one(writer: Client, reviewed: Case) -> None:
    changed = PURPOSE.replace("floras", "catalogues")
    case = saved(reviewed, purpose=textwrap.fill(changed, 60), interoperability="")
    shown = writer.get(page("transition", case.pk, "submit")).text
    difference = shown.partition('aria-labelledby="changes"')[2].partition("</section>")[0]
    assert "Changes to round 1" in difference
    assert re.findall("<b>(.*?)</b>", difference.partition("Purpose")[2].partition("</details>")[0]) == [
        "floras",
        "catalogues",
    ]
    unchanged = text_of(difference.partition('id="unchanged-sections">')[2])
    assert "Syntax" in unchanged
    assert "Purpose" not in unchanged
    assert "Interoperability" not in unchanged


def test_a_revision_is_shown_against_the_registered_version(
    writer: Client, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = drafts.start_revision(namespace, by=registrant)
    assert stage_on_form(writer, case, "syntax") == "unchanged"
    case = saved(case, version=2, revision_information="Hyphens.", resolution="Resolution stops.")
    shown = text_of(writer.get(page("transition", case.pk, "submit")).text)
    assert "Changes to the registered version 1 − version 1; + the text that you submit." in shown
    difference = shown.partition("Changes to the registered version")[2].partition("What becomes public")[0]
    assert "Resolution stops." in difference
    assert "Purpose" in difference.partition("Unchanged: ")[2]


def test_the_list_of_the_review_marks_what_changed(expert: User, reviewed: Case) -> None:
    assert marked_in_review(expert, reviewed) == []
    next_round(reviewed, purpose=textwrap.fill(PURPOSE, 60), resolution="Resolution stops.")
    assert marked_in_review(expert, reread(reviewed)) == ["resolution"]


def test_the_list_marks_what_a_revision_changes(registrant: User, expert: User, administrator: User) -> None:
    namespace: Namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = next_round(
        drafts.start_revision(namespace, by=registrant),
        version=2,
        revision_information="Hyphens.",
        purpose=namespace.latest.template.purpose if namespace.latest else "",
    )
    assert marked_in_review(expert, case) == ["version", "revision_information"]
