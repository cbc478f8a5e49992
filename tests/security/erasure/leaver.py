"""A registry with a person who left it, and whose data is in every place that can hold it."""

from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from registry.accounts.models import RoleName, Scope, User
from registry.cases import comments
from registry.cases.audiences import subscribe
from registry.cases.models import Case, Verdict
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import invite_co_editor
from registry.mail.models import Message
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import Namespace
from registry.publication.iana.importing.template_import import import_templates, read_templates
from registry.registration_template.formatting import format_template
from registry.registration_template.sections import Registrant
from registry.review_desk.experts import actions
from registry.review_desk.experts import actions as expert_actions
from registry.review_desk.experts.marks import Mark, save_marks
from registry.review_desk.experts.verdict_drafts import keep_draft
from registry.review_desk.models import StaffNote
from tests.api.client import TokenClient
from tests.support.factories import (
    PASSWORD,
    a_case_in_review,
    a_draft,
    a_namespace,
    a_person,
    a_template,
    add_co_editor,
)

NAME = "Example Leaver"
ADDRESS, OTHER_ADDRESS = "leaver@example.org", "leaver-private@example.org"
CONTACT = Registrant(
    organization="Example Arboretum",
    address="1 Example Road",
    contact_person=NAME,
    email=ADDRESS,
    phone="+1 555 0100",
    postal_address=f"{NAME}, 2 Example Road",
)
# Parts of the contact details that belong to no one else here.
TRACES = ("leaver", "555 0100", "2 example road")


def person(role: str) -> User:
    return User.objects.get(email=f"{role}@example.org")


def fill() -> None:
    """Fill the database."""
    leaver = a_person(email=ADDRESS, name=NAME, roles=(RoleName.EXPERT, RoleName.ADMINISTRATOR))
    EmailAddress.objects.create(user=leaver, email=OTHER_ADDRESS, verified=True)
    for role in (RoleName.EXPERT, RoleName.ADMINISTRATOR):
        a_person(email=f"{role}@example.org", roles=(role,))
    a_person(email="registrant@example.org")
    _fill_with_namespaces(leaver)
    _fill_with_cases(leaver)
    _fill_with_work_of_expert(leaver)
    client = Client()
    assert client.post("/accounts/login/", {"login": ADDRESS, "password": PASSWORD}).status_code == 302
    send_mails()


def send_mails() -> None:
    """Mark all mails to others as sent, and every other mail to the person."""
    own = Message.objects.filter(to=ADDRESS).order_by("pk").values_list("pk", flat=True)
    sent = Message.objects.exclude(pk__in=own[::2])
    sent.update(attempts=1, last_attempt_at=timezone.now(), sent_at=timezone.now())


def _fill_with_namespaces(leaver: User) -> None:
    people = {"expert": person("expert"), "administrator": person("administrator")}
    a_namespace(by=leaver, **people, registrant=CONTACT)
    # The person is only the contact of this one.
    a_namespace(by=person("registrant"), **people, registrant=CONTACT, namespace_identifier="example-oaks")
    offered = a_namespace(by=leaver, **people, namespace_identifier="example-elms")
    offer_transfer(offered, by=leaver, to="registrant@example.org")
    received = a_namespace(by=person("registrant"), **people, namespace_identifier="example-firs")
    offer_transfer(received, by=person("registrant"), to=ADDRESS)
    old = Namespace.objects.create(nid="example-old", kind="formal", origin="iana")
    with TemporaryDirectory() as folder:
        text = format_template(a_template(namespace_identifier=old.nid, registrant=CONTACT))
        Path(folder, "example-old.8141.txt").write_text(text, encoding="utf-8")
        import_templates(read_templates(Path(folder)))


def _fill_with_cases(leaver: User) -> None:
    registrant = person("registrant")
    mosses = a_case_in_review(by=leaver, namespace_identifier="example-mosses", registrant=CONTACT)
    invite_co_editor(mosses, by=leaver, email="co-editor@example.org")
    comments.comment(mosses, by=leaver, round_number=1, text="More to come.")
    a_draft(by=leaver, namespace_identifier="example-ferns", registrant=CONTACT)
    other = a_case_in_review(by=registrant, namespace_identifier="example-herbs")
    other = add_co_editor(other, by=registrant, user=leaver)
    subscribe(other, by=leaver)
    invite_co_editor(other, by=registrant, email=OTHER_ADDRESS)
    draft = a_draft(by=registrant, namespace_identifier="example-reeds", registrant=CONTACT)
    invite_co_editor(draft, by=registrant, email=ADDRESS.title())
    declined = a_case_in_review(by=leaver, namespace_identifier="example-palms", registrant=CONTACT)
    functions.decline(declined, by=person("expert"), round_number=1, reason="Not yet.")


def _fill_with_work_of_expert(leaver: User) -> None:
    case = a_case_in_review(by=person("registrant"), namespace_identifier="example-vines")
    expert_actions.take_case(case, by=leaver)
    mark = Mark(note="Ask.")
    save_marks(case, by=leaver, round_number=1, marks={"syntax-structure": mark})
    keep_draft(case, Verdict.DECLINE, by=leaver, texts={"reason": "Vines have names."})
    StaffNote.objects.create(case=case, author=leaver, text="Ask the gardens first.")
    actions.add_absence(by=leaver, first_day=date(2030, 1, 1), last_day=date(2030, 1, 5))
    client = TokenClient(leaver, Scope.WRITE)
    body = {"round": 1, "text": "Which vines are meant?"}
    answer = client.post(f"cases/{case.pk}/comments/", body, Idempotency_Key='"a key"')
    assert answer.status_code == 201


def an_open_case_with_this_contact() -> Case:
    return a_case_in_review(by=person("registrant"), namespace_identifier="example-limes", registrant=CONTACT)
