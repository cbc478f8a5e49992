"""The outbox and the imports, as administrators see them."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.mail import outbox
from registry.mail.models import Message
from registry.publication.iana.importing.importer import import_versions
from tests.publication.iana.samples import a_record, a_version, an_xml
from tests.support.browser import signed_in
from tests.support.factories import (
    a_case_in_review,
    a_draft,
    a_namespace,
    add_co_editor,
)

pytestmark = pytest.mark.django_db


def a_mail(**fields: Any) -> Message:
    mail = outbox.post_rendered(
        "password_reset_key", to="a@example.org", subject="Reset it", body="SECRET-LINK"
    )
    Message.objects.filter(pk=mail.pk).update(**fields)
    return Message.objects.get(pk=mail.pk)


def test_unsent_mails_are_shown_with_the_reason(administrator: User) -> None:
    a_mail(attempts=2, last_attempt_at=timezone.now(), last_error="The mail server answered 451 Later.")
    answer = signed_in(administrator).get("/desk/outbox/")
    assert "1 not sent" in answer.text
    assert "2 attempts" in answer.text
    assert "The mail server answered 451 Later." in answer.text
    assert "Password reset" in answer.text


def test_no_page_shows_the_body_of_a_mail_or_the_subject_of_a_draft(
    registrant: User, co_editor: User, administrator: User
) -> None:
    mail, client = a_mail(), signed_in(administrator)
    draft = a_draft(by=registrant, namespace_identifier="example-hidden", syntax="Opaque.")
    add_co_editor(draft, by=registrant, user=co_editor)
    about_draft = Message.objects.get(name="invite_co_editor")
    for address in ("/desk/outbox/", f"/desk/outbox/{mail.pk}/", f"/desk/outbox/{about_draft.pk}/"):
        text = client.get(address).text
        assert "SECRET-LINK" not in text
        assert about_draft.subject not in text
        assert "example-hidden" not in text


def test_sent_mails_are_listed_separately(registrant: User, expert: User, administrator: User) -> None:
    a_case_in_review(by=registrant)
    Message.objects.update(sent_at=timezone.now(), attempts=1, last_attempt_at=timezone.now())
    client = signed_in(administrator)
    assert "There is no unsent mail." in client.get("/desk/outbox/").text
    assert Message.objects.filter(name="submit")[0].subject in client.get("/desk/outbox/?show=sent").text


def test_retrying_a_mail_resets_its_attempts(administrator: User) -> None:
    mail = a_mail()
    outbox._cancel([mail])  # the worker has given it up
    client = signed_in(administrator)
    assert "Given up" in client.get(f"/desk/outbox/{mail.pk}/").text
    answer = client.post(f"/desk/outbox/{mail.pk}/", {"decision": "retry"}, follow=True)
    assert f"Mail {mail.pk} is queued for retry." in answer.text
    (status,) = outbox.delivery_statuses_of([mail])
    assert status.status == outbox.DeliveryStatus.WAITING


def test_all_mails_can_be_retried(administrator: User) -> None:
    mails = [a_mail(attempts=1, last_attempt_at=timezone.now()) for _ in range(2)]
    outbox._cancel(mails)
    client = signed_in(administrator)
    assert "Retry all" in client.get("/desk/outbox/").text
    assert "queued for retry: 2." in client.post("/desk/outbox/", follow=True).text
    assert {each.status for each in outbox.delivery_statuses_of(mails)} == {outbox.DeliveryStatus.WAITING}


def test_discarding_needs_a_reason_and_leaves_an_event(administrator: User) -> None:
    mail, client = a_mail(), signed_in(administrator)
    refused = client.post(f"/desk/outbox/{mail.pk}/", {"decision": "discard", "reason": " \n"})
    assert refused.status_code == 422
    assert Message.objects.filter(pk=mail.pk).exists()
    client.post(f"/desk/outbox/{mail.pk}/", {"decision": "discard", "reason": "The address is no more."})
    assert not Message.objects.filter(pk=mail.pk).exists()
    event = Event.objects.get(verb="discard_mail")
    assert event.reason == "The address is no more."
    assert event.details == {"mail": mail.pk, "name": "password_reset_key", "event": None}


def test_a_sent_mail_can_be_neither_retried_nor_discarded(administrator: User) -> None:
    mail = a_mail(sent_at=timezone.now(), attempts=1, last_attempt_at=timezone.now())
    client = signed_in(administrator)
    for sent in ({"decision": "retry"}, {"decision": "discard", "reason": "Too late."}):
        assert client.post(f"/desk/outbox/{mail.pk}/", sent).status_code == 409
    assert not Event.objects.filter(verb="discard_mail").exists()


@pytest.mark.parametrize("show", ["", "sent"])
def test_the_outbox_is_paged_with_a_constant_number_of_queries(
    show: str, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.review_desk.administrators.views.PAGE_SIZE", 3)
    client, counts = signed_in(administrator), []
    sent = {"sent_at": timezone.now(), "attempts": 1, "last_attempt_at": timezone.now()} if show else {}
    for more in (1, 4):
        for _ in range(more):
            a_mail(**sent)
        with CaptureQueriesContext(connection) as queries:
            first = client.get("/desk/outbox/", {"show": show}).text
        counts.append(len(queries))
    assert counts[0] + 1 == counts[1]  # a list of several pages is counted
    key = first.partition("after=")[2].partition('"')[0]
    later = client.get("/desk/outbox/", {"show": show, "after": key}).text
    assert later.count("<tr>") == 1 + 2


def test_an_import_is_shown_with_what_it_brought(administrator: User, registrant: User, expert: User) -> None:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    import_versions(
        [a_version(an_xml(updated="2020-01-01", formal=a_record("example-a") + a_record("example-b")))]
    )
    later = a_record("example-a", rfc="rfc9000") + a_record("example-trees")
    import_versions([a_version(an_xml(updated="2021-01-01", formal=later))])
    client = signed_in(administrator)
    listed = client.get("/desk/imports/").text
    assert "2 added" in listed
    assert "1 conflict" in listed
    assert "Some entries are no longer listed by IANA" in listed
    newest = Event.objects.filter(verb="import_iana").latest("number")
    text = client.get(f"/desk/imports/{newest.number}/").text
    assert 'href="/namespaces/example-trees/"' in text
    assert "RFC 9000" in text or "rfc9000" in text
    assert "IANA no longer lists it" in text
    assert "IANA&#x27;s registry: added" not in text
    assert "example-b" in client.get("/desk/imports/removed/").text


@pytest.mark.exhaustive
def test_the_number_of_queries_does_not_grow_with_imports(administrator: User) -> None:
    client, counts = signed_in(administrator), []
    for year in (2001, 2002, 2003, 2004):
        entries = "".join(a_record(f"example-{year}-{number}") for number in range(year - 2000))
        import_versions([a_version(an_xml(updated=f"{year}-01-01", formal=entries))])
        newest = Event.objects.filter(verb="import_iana").latest("number")
        with CaptureQueriesContext(connection) as queries:
            client.get("/desk/imports/")
            client.get(f"/desk/imports/{newest.number}/")
            client.get("/desk/imports/removed/")
        counts.append(len(queries))
    assert len(set(counts)) == 1


@pytest.mark.parametrize("address", ["/desk/imports/1/", "/desk/outbox/1/", "/desk/corrections/999/"])
def test_an_unknown_mail_or_import_is_not_found(address: str, administrator: User) -> None:
    assert signed_in(administrator).get(address).status_code == 404
