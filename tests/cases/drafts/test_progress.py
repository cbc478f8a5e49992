"""How much of a draft is done."""

import pytest

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import Progress, Stage
from registry.cases.forms.drafts import DraftForm
from registry.cases.models import Case
from registry.namespaces.models import Kind
from registry.registration_template.sections import Registrant
from tests.support.factories import a_body, a_draft


def stages(case: Case) -> dict[str, Stage]:
    form = DraftForm(case=case)
    form.run_checks()
    return {row.section.key: row.stage for row in form.rows()}


def progress(case: Case) -> Progress:
    form = DraftForm(case=case)
    form.run_checks()
    return form.progress


def test_a_new_draft_has_no_progress(registrant: User) -> None:
    case = drafts.create_case(by=registrant, kind=Kind.FORMAL)
    assert progress(case) == Progress(done=0, required=9)
    assert stages(case)["version"] == Stage.AUTOMATIC
    assert stages(case)["documentation"] == Stage.OPTIONAL
    assert stages(case)["purpose"] == Stage.TO_DO


def test_a_draft_without_findings_is_complete(registrant: User) -> None:
    assert progress(a_draft(by=registrant)).is_complete


def test_an_informal_draft_needs_no_nid(registrant: User) -> None:
    case = a_draft(by=registrant, kind=Kind.INFORMAL)
    assert progress(case) == Progress(done=8, required=8)
    assert stages(case)["namespace_identifier"] == Stage.AUTOMATIC


def test_the_fast_track_requires_one_more_section(registrant: User) -> None:
    case = a_draft(by=registrant, body=a_body(), documentation="")
    assert progress(case) == Progress(done=9, required=10)
    assert stages(case)["documentation"] == Stage.TO_DO


@pytest.mark.parametrize(
    ("section", "text"),
    [
        ("date", "2026-02-30"),
        ("date", "2026-11-2١"),
        ("namespace_identifier", "a" * 33),
        ("syntax", "As in urn:-x:y."),
        ("registrant", Registrant(organization="Example Arboretum")),
    ],
)
def test_a_section_with_a_blocking_finding_is_to_be_corrected(
    registrant: User, section: str, text: object
) -> None:
    case = a_draft(by=registrant, **{section: text})
    assert stages(case)[section] == Stage.NEEDS_FIXING
    assert not progress(case).is_complete
