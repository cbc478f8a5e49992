"""How much of a draft is done."""

import pytest

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.drafts.progress import Progress, Stage
from registry.cases.forms.drafts import DraftForm
from registry.cases.models import Case
from registry.namespaces.models import Kind
from registry.registration_template.registrant import Registrant
from tests.support.factories import a_body, a_draft


def stages(case: Case) -> dict[str, Stage]:
    form = DraftForm(case=case)
    form.look_over()
    return {row.section.key: row.stage for row in form.rows()}


def progress(case: Case) -> Progress:
    form = DraftForm(case=case)
    form.look_over()
    return form.progress


def test_a_fresh_draft_has_all_to_write(registrant: User) -> None:
    case = drafts.begin(by=registrant, kind=Kind.FORMAL)
    assert progress(case) == Progress(done=0, required=9)
    assert stages(case)["version"] == Stage.AUTOMATIC
    assert stages(case)["documentation"] == Stage.OPTIONAL
    assert stages(case)["purpose"] == Stage.TO_WRITE


def test_a_sound_draft_is_complete(registrant: User) -> None:
    assert progress(a_draft(by=registrant)).is_complete


def test_an_informal_draft_need_not_name_itself(registrant: User) -> None:
    case = a_draft(by=registrant, kind=Kind.INFORMAL)
    assert progress(case) == Progress(done=8, required=8)
    assert stages(case)["namespace_identifier"] == Stage.AUTOMATIC


def test_the_fast_track_wants_one_more(registrant: User) -> None:
    case = a_draft(by=registrant, body=a_body(), documentation="")
    assert progress(case) == Progress(done=9, required=10)
    assert stages(case)["documentation"] == Stage.TO_WRITE


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
def test_what_is_wrong_is_to_mend(registrant: User, section: str, text: object) -> None:
    case = a_draft(by=registrant, **{section: text})
    assert stages(case)[section] == Stage.TO_MEND
    assert not progress(case).is_complete
