"""Dismissals of findings on the review page."""

import pytest
from django.db import IntegrityError, transaction

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.case_detail import rounds_of
from registry.cases.models import Case, Dismissal
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import FindingBlocks, NoSuchFinding
from registry.cases.workflow.functions import people
from registry.core.digests import digest_of
from registry.core.validators import TextMissing
from tests.review_desk.conftest import SignIn, resubmitted
from tests.review_desk.experts.review_pages import advice_on
from tests.support.factories import a_case_in_review


def test_advice_is_dismissed_with_a_public_reason(
    advised: Case, expert: User, participant: User, signed_in: SignIn
) -> None:
    section, code, message = advice_on(advised)
    words = {"round_number": 1, "section": section, "code": code, "reason": "They agreed on the list."}
    assert signed_in(expert).post(f"/desk/cases/{advised.pk}/dismiss-finding/", words).status_code == 302
    public = signed_in(participant).get(advised.get_absolute_url()).content.decode()
    assert "They agreed on the list." in public
    assert "Dismissed a finding on" in public
    event = Event.objects.get(verb="dismiss_finding")
    assert event.details == {
        "round": 1,
        "section": section,
        "code": code,
        "message_digest": digest_of(message),
    }
    assert event.reason == "They agreed on the list."


def test_a_finding_is_dismissed_once_with_a_reason(advised: Case, expert: User) -> None:
    section, code, _ = advice_on(advised)
    how = {"by": expert, "round_number": 1, "section": section, "code": code}
    with pytest.raises(TextMissing):
        people.dismiss_finding(advised, reason=" \n", **how)
    people.dismiss_finding(advised, reason="Agreed.", **how)
    with pytest.raises(NoSuchFinding):
        people.dismiss_finding(advised, reason="Agreed.", **how)
    kept = Dismissal.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Dismissal.objects.filter(pk=kept.pk).update(reason="Something else.")


def test_a_dismissal_holds_while_the_section_is_unchanged(
    advised: Case, expert: User, signed_in: SignIn
) -> None:
    section, code, _ = advice_on(advised)
    people.dismiss_finding(
        advised, by=expert, round_number=1, section=section, code=code, reason="They agreed on the list."
    )
    case = resubmitted(advised, expert=expert)
    page = signed_in(expert).get(f"/desk/cases/{case.pk}/").content.decode()
    assert "They agreed on the list." in page
    assert "in round 1; the section is unchanged" in page


def test_a_blocking_finding_cannot_be_dismissed(registrant: User, expert: User, administrator: User) -> None:
    first = a_case_in_review(by=registrant)
    second = a_case_in_review(by=registrant)
    functions.approve(first, by=expert, round_number=1, rationale="Sound.")
    functions.assign(first, by=administrator)
    part = rounds_of(second)[0].sections[0]
    blocks = next(each for each in part.findings if each.severity == "blocking")
    with pytest.raises(FindingBlocks):
        people.dismiss_finding(
            second, by=expert, round_number=1, section=blocks.section, code=blocks.code, reason="Please."
        )
    assert not Dismissal.objects.exists()
