"""Mails about a case other than transitions: discussion list, competing cases, comments, names."""

from collections.abc import Callable

import pytest
from django.conf import settings

from registry.accounts.models import RoleName, User
from registry.cases import comments
from registry.cases.drafts import drafts
from registry.cases.models import Case, CoEditor
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import StaleRound
from registry.mail.models import Message
from tests.mail.cases import Cast
from tests.mail.messages import check_says_how_to_unsubscribe, check_sound, mails, recipients, the_mail
from tests.support.factories import a_case_in_review, a_draft, a_person, a_template

pytestmark = pytest.mark.django_db


def test_a_submission_is_posted_to_the_discussion_list_unchanged(cast_of_a_case: Cast) -> None:
    purpose = "Names trees & <shrubs>.\n\n    {{ indented }}\n\n\nThree lines further: “ü”. " + "long " * 40
    draft = a_draft(by=cast_of_a_case.registrant, purpose=purpose)
    case = functions.submit(draft, by=cast_of_a_case.registrant, draft_stamp=draft.draft_stamp)
    (mail,) = mails("post_to_list", case)
    check_sound(mail, case)
    round_ = case.latest_round
    assert round_ is not None
    assert mail.to == settings.DISCUSSION_LIST
    assert mail.subject == f"URN namespace request: example-trees (case {case.pk}, round 1)"
    assert "Section 6.2, step 2" in " ".join(mail.body.split())
    assert mail.body.endswith(f"{'-' * 70}\n\n{round_.text.strip()}\n")
    assert "<shrubs>" in mail.body


@pytest.mark.parametrize(
    ("come_to", "subject", "phrase"),
    [
        (Cast.submit_informal, "Request for an informal URN namespace", "requests an informal namespace"),
        (Cast.submit_revision, "Revision of the URN namespace example-trees", "as its version 2"),
        (
            Cast.submit_on_the_fast_track,
            "URN namespace request: example-trees",
            "on which reviews are advice",
        ),
    ],
)
def test_the_list_gets_the_kind_of_request(
    cast_of_a_case: Cast, come_to: Callable[[Cast], Case], subject: str, phrase: str
) -> None:
    case = come_to(cast_of_a_case)
    mail = the_mail("post_to_list", case)
    check_sound(mail, case)
    assert mail.subject == f"{subject} (case {case.pk}, round 1)"
    assert phrase in " ".join(mail.body.split())


def test_the_mail_of_a_second_round_mentions_the_first(cast_of_a_case: Cast) -> None:
    case = cast_of_a_case.submit()
    by = cast_of_a_case.registrant
    case = drafts.save_draft(case, a_template(purpose="Another."), by=by, stamp=case.draft_stamp)
    case = functions.submit(case, by=by, draft_stamp=case.draft_stamp)
    mail = the_mail("post_to_list", case)
    check_sound(mail, case)
    assert mail.subject.endswith("round 2)")
    assert "It is round 2 of this case and replaces the earlier rounds." in " ".join(mail.body.split())
    for name in ("post_to_list", "submit"):
        read = " ".join(the_mail(name, case).body.split())
        assert "Changes since round 1: Purpose (changed) - Names trees" in read
        assert "+ Another." in read
    assert "The template:" not in the_mail("submit", case).body


def test_a_long_template_is_shortened_in_the_mail(cast_of_a_case: Cast) -> None:
    draft = a_draft(by=cast_of_a_case.registrant, purpose="Names trees. " * 3000)
    case = functions.submit(draft, by=cast_of_a_case.registrant, draft_stamp=draft.draft_stamp)
    body = the_mail("submit", case).body
    assert "Names trees." in body
    assert "…\n\nDesignated experts:" in body
    assert len(body) < 25_000


def test_the_leader_of_experts_who_disagree_is_led_to_the_review(cast_of_a_case: Cast) -> None:
    leader = a_person(email="leader@example.org", roles=(RoleName.EXPERT, RoleName.LEADER))
    other = a_person(email="expert-2@example.org", roles=(RoleName.EXPERT,))
    case = cast_of_a_case.first_verdict()
    case = functions.decline(case, by=other, round_number=1, reason="It overlaps.")
    mail = the_mail("experts_disagree", case)
    check_sound(mail, case)
    assert mail.to == leader.email
    read = " ".join(mail.body.split())
    assert "to a third expert on the review page." in read
    assert f"review it here: {settings.PUBLIC_ORIGIN}/desk/cases/{case.pk}/" in read


def test_a_competing_registrant_is_notified_of_the_assignment(
    cast_of_a_case: Cast, participant: User
) -> None:
    a_case_in_review(by=participant)
    case = cast_of_a_case.assign()
    mail = the_mail("competing_case_registered", case)
    check_sound(mail, case)
    assert recipients("competing_case_registered", case) == ["participant"]
    assert mail.subject == f"The namespace example-trees that you requested was registered in case {case.pk}"
    assert "Choose another identifier" in " ".join(mail.body.split())
    assert "\nhttp://localhost:8000/namespaces/example-trees/\n" in mail.body


def test_registrants_of_the_same_identifier_are_notified_of_a_new_case(
    cast_of_a_case: Cast, participant: User
) -> None:
    a_case_in_review(by=participant)
    case = cast_of_a_case.submit()
    mail = the_mail("competing_case_submitted", case)
    check_sound(mail, case)
    assert recipients("competing_case_submitted", case) == ["participant"]
    assert mail.subject == f"Case {case.pk} competes with yours for example-trees or a similar identifier"
    read = " ".join(mail.body.split())
    assert (
        f"Round 1 of case {case.pk} was submitted for review. One of your cases requests example-trees, too, or"
        in read
    )
    assert "The first request has no priority" in read


def test_registrants_of_a_similar_identifier_are_notified_of_a_new_case(
    cast_of_a_case: Cast, participant: User
) -> None:
    a_case_in_review(by=participant, namespace_identifier="example-tree")
    case = cast_of_a_case.submit()
    assert recipients("competing_case_submitted", case) == ["participant"]


def test_registrants_of_concurrent_revisions_are_notified_of_a_new_case(
    cast_of_a_case: Cast, co_editor: User
) -> None:
    first = cast_of_a_case.submit_revision()
    CoEditor.objects.create(case=first, user=co_editor)
    by = cast_of_a_case.registrant
    assert first.namespace is not None
    case = drafts.start_revision(first.namespace, by=by)
    template = a_template(version=2, purpose="Trees.", revision_information="Another purpose.")
    case = drafts.save_draft(case, template, by=by, stamp=case.draft_stamp)
    case = functions.submit(case, by=by, draft_stamp=case.draft_stamp)
    mail = the_mail("competing_case_submitted", case)
    check_sound(mail, case)
    assert recipients("competing_case_submitted", case) == ["co-editor"]
    assert mail.subject == f"Case {case.pk} competes with yours for a revision of example-trees"
    assert "The first to be registered becomes version 2" in " ".join(mail.body.split())


def test_a_comment_is_mailed_in_full_with_its_link(cast_of_a_case: Cast, participant: User) -> None:
    case = cast_of_a_case.submit()
    said = comments.comment(
        case, by=participant, round_number=1, section="purpose", text="And <elms>?\n\nOr & oaks?"
    )
    mail = the_mail("comment", case)
    check_sound(mail, case)
    check_says_how_to_unsubscribe(mail, case)
    assert recipients("comment", case) == ["registrant"]
    assert mail.subject.endswith(": comment by “Participant” on round 1, section Purpose")
    assert mail.body.startswith(
        "Hello,\n\n“Participant” commented on round 1, section Purpose:\n\n    And <elms>?\n\n"
    )
    assert f"\n{settings.PUBLIC_ORIGIN}/cases/{case.pk}/#comment-{said.pk}\n" in mail.body


def test_a_reply_is_mailed_with_the_original_comment(cast_of_a_case: Cast, participant: User) -> None:
    case = cast_of_a_case.submit()
    asked = comments.comment(case, by=participant, round_number=1, text="And elms? " * 100)
    Message.objects.all().delete()
    comments.comment(case, by=cast_of_a_case.registrant, round_number=1, text="Elms too.", reply_to=asked.pk)
    mail = the_mail("comment", case)
    check_sound(mail, case)
    assert recipients("comment", case) == ["participant"]
    assert mail.subject.endswith(": reply by “Registrant” on round 1, as a whole")
    read = " ".join(mail.body.split())
    assert "“Registrant” replied to “Participant” on round 1, as a whole: Elms too. In reply to:" in read
    assert read.count("And elms?") < 100


def test_a_name_with_line_breaks_cannot_inject_a_header(cast_of_a_case: Cast, participant: User) -> None:
    User.objects.filter(pk=participant.pk).update(name="Eve\r\nBcc: all@example.org")
    case = cast_of_a_case.submit()
    comments.comment(case, by=User.objects.get(pk=participant.pk), round_number=1, text="And elms?")
    mail = the_mail("comment", case)
    check_sound(mail, case)
    assert "comment by “Eve Bcc: all@example.org” on round 1" in mail.subject


def test_co_editors_are_notified(cast_of_a_case: Cast, co_editor: User) -> None:
    draft = a_draft(by=cast_of_a_case.registrant)
    CoEditor.objects.create(case=draft, user=co_editor)
    case = functions.submit(draft, by=cast_of_a_case.registrant, draft_stamp=draft.draft_stamp)
    assert recipients("submit", case) == ["co-editor", "expert", "registrant"]


def test_a_name_of_several_lines_stays_on_one(cast_of_a_case: Cast) -> None:
    User.objects.filter(pk=cast_of_a_case.registrant.pk).update(name="Eve\n\nYour password expired.\r\n")
    cast_of_a_case.registrant.refresh_from_db()
    case = cast_of_a_case.submit()
    body = the_mail("submit", case).body
    assert body.startswith(
        "Hello,\n\n“Eve Your password expired.” submitted round 1 of this case for review.\n"
    )


def test_user_texts_are_indented_and_urls_are_not_broken(cast_of_a_case: Cast) -> None:
    address = "https://example.org/" + "a-very-long-path/" * 8
    case = functions.decline(
        cast_of_a_case.submit(),
        by=cast_of_a_case.expert,
        round_number=1,
        reason=f"Read this:\n\n{address}\nNow.",
    )
    mail = the_mail("decline", case)
    check_sound(mail, case)
    assert f"\n    Read this:\n\n    {address}\n    Now.\n" in mail.body


def test_a_failed_transition_sends_no_mail(cast_of_a_case: Cast) -> None:
    case = cast_of_a_case.submit()
    before = Message.objects.count()
    with pytest.raises(StaleRound):
        functions.approve(case, by=cast_of_a_case.expert, round_number=2, rationale="Sound.")
    assert Message.objects.count() == before
