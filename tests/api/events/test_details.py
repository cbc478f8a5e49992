"""The details of events: each public event has those that its verb declares, and publishes those that are public."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from functools import partial
from inspect import getmembers, isfunction
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.signals import post_save
from django.utils import timezone

from registry.accounts.erasure import erase_person
from registry.accounts.models import RoleName
from registry.accounts.personal_data import find_person
from registry.audit_log.models import ChainHead, Event
from registry.cases.comments import comment
from registry.cases.corrections import correct
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.publicity import PUBLIC_VERBS, details_of
from registry.cases.workflow.functions import submit
from registry.cases.workflow.functions.people import dismiss_finding
from registry.custody.actions import claims
from registry.custody.actions.contact import CONFIRMED_FOR, change_contact, confirm_contact, remind_contacts
from registry.domains.actions import add_domain
from registry.domains.checks import Outcome, record_check
from registry.domains.models import Method
from registry.events.events import EventDetailsSerializer
from registry.namespaces.actions import transfers
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.transfers import move_to_organisation
from registry.namespaces.history import event_types
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation, describe_organisation
from registry.publication.iana.importing.importer import import_versions
from registry.publication.iana.importing.template_import import import_templates, read_templates
from registry.registers.actions import changes, fields, lists, recalls, registers
from registry.registers.actions.entries import (
    accept_entry,
    decline_entry,
    offer_entry,
    open_branch,
    withdraw_offer,
)
from registry.registers.actions.requests import accept_request, request_entry
from registry.registers.models import Entry, Register
from registry.registration_template import format_template
from registry.resolution.actions import confirm_host, withdraw_host
from registry.subnamespaces.importing import import_subnamespaces, latest_version
from tests.api.schema_checks import description
from tests.cases.transitions.rounds import a_revision_in_review
from tests.custody.test_claims import let_time_pass
from tests.mail.cases import Cast
from tests.publication.iana.samples import a_record, a_version, an_xml
from tests.resolution.conftest import a_namespace_with, a_profile_with, a_service
from tests.support.factories import a_case_in_review, a_namespace, a_person, a_profile, a_template, all_done

PUBLIC = {*PUBLIC_VERBS}


def test_a_public_name_has_one_kind_and_is_public_for_all_verbs() -> None:
    """The details of an event are filtered by name."""
    every = [detail for verb in PUBLIC_VERBS for detail in details_of(verb)]
    public = {each.name for each in every if each.is_public}
    found = {(each.name, each.kind, each.is_public) for each in every if each.name in public}
    assert len(found) == len(public) > 10


class Everything(Cast):
    """A method for each public event; those of `Cast` lead to the other events of cases."""

    def comment_and_reply(self) -> None:
        case = self.submit()
        first = comment(case, by=self.expert, round_number=1, section="purpose", text="Which?")
        comment(case, by=self.registrant, round_number=1, text="These.", reply_to=first.pk)

    def submit_with_replies(self) -> None:
        case = all_done(self.request_changes())
        template = a_template(purpose="To name every tree of every garden, for all who care for trees.")
        case = drafts.save_draft(case, template, by=self.registrant, stamp=case.draft_stamp)
        submit(case, by=self.registrant, draft_stamp=case.draft_stamp)

    def dismiss_finding(self) -> None:
        case = a_case_in_review(by=self.registrant, assignment="By us.")
        dismiss_finding(
            case, by=self.expert, round_number=1, section="assignment", code="uniqueness-not-explained",
            reason="It is explained.",
        )  # fmt: skip

    def correct_events(self) -> None:
        trees = self._namespace()
        deprecate(trees, by=self.administrator, statement="Use another namespace.")
        for event in (Event.objects.get(verb="submit"), Event.objects.get(verb="deprecate")):
            correct(event, by=self.administrator, wrong="The text.", right="This text.", reference="Mail 1")

    def transfer(self) -> None:
        trees, heir = self._namespace(), a_person(email="heir@example.org")
        for answer in (transfers.withdraw_transfer, transfers.decline_transfer, transfers.accept_transfer):
            offer = transfers.offer_transfer(trees, by=self.registrant, to=heir.email)
            answer(offer, by=self.registrant if answer is transfers.withdraw_transfer else heir)
        transfers.release_namespace(trees, reason="The account is erased.")

    def claims(self) -> None:
        trees, heir = self._namespace(), a_person(email="heir@example.org")
        other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
        for is_ended in (True, False):
            claim = claims.claim_namespace(trees, by=heir, ground="other", statement="It is mine.")
            claim = claims.announce_claim(claim, by=self.administrator, reason="Mails bounce.")
            if is_ended:
                claims.object_to_claim(claim, by=self.registrant)
        change_contact(trees, by=self.registrant, name="Desk", email="desk@example.org", reason="We moved.")
        remind_contacts(timezone.now() + CONFIRMED_FOR)
        confirm_contact(trees, by=None)
        claims.approve_claim(let_time_pass(claim), by=other, reason="Proved.")

    def recovery(self) -> None:
        heir = a_person(email="heir@example.org")
        other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
        organisation = create_organisation(by=self.registrant, name="Example Arboretum")
        trees = move_to_organisation(organisation, by=self.registrant, namespaces=[self._namespace()])[0]
        claim = claims.recover_organisation(trees, by=heir, ground="other", statement="I work there.")
        claim = claims.announce_claim(claim, by=self.administrator, reason="Mails bounce.")
        claims.approve_claim(let_time_pass(claim), by=other, reason="No answer.")

    def move_to_organisation(self) -> None:
        organisation = create_organisation(by=self.registrant, name="Example Arboretum")
        (trees,) = move_to_organisation(organisation, by=self.registrant, namespaces=[self._namespace()])
        a_revision_in_review(trees, by=self.registrant)
        describe_organisation(organisation, by=self.registrant, name="Arboretum of Exampletown")
        domain = add_domain(organisation, by=self.registrant, domain="arboretum.example")
        record_check(domain, Outcome(Method.DNS))

    def erase_person(self) -> None:
        trees = self._namespace()
        change_contact(
            trees, by=self.administrator, name="R", email=self.registrant.email, reason="We moved."
        )
        person = find_person(self.registrant.email)
        erase_person(person, by=None, reason="Request of 2026-11-01.", with_texts=True)

    def profile_and_hosts(self) -> None:
        trees = a_namespace_with(a_profile_with(a_service()))
        confirm_host(
            trees, by=self.administrator, host="trees.example", basis="administrator", evidence="Seen."
        )
        withdraw_host(trees, by=self.administrator, host="trees.example", reason="The domain was sold.")

    def import_subnamespaces(self) -> None:
        trees = self._namespace()
        profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
        set_profile(trees, by=None, profile=profile, basis="Syntax.", replaces=0)
        import_subnamespaces(
            trees, by=self.administrator, list_format="jsonl", basis="The list of gardens.", replaces=0,
            document='{"prefix": "12", "title": "Garden", "source": "List", "as_of": "2026-01-31"}',
        )  # fmt: skip

    def entries_of_a_register(self) -> None:
        trees = self._namespace()
        profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
        set_profile(trees, by=None, profile=profile, basis="Syntax.", replaces=0)
        texts = {"title": "Gardens", "by": self.registrant}
        register = registers.open_register(trees, policy="first_come", **texts)
        asked = {
            "title": "Garden",
            "contact": "gardener@example.org",
            "by": a_person(email="gardener@example.org"),
        }
        request_entry(register, label="12", register_version=1, **asked)
        registers.register_entry(register, label="13", **texts)
        document = '{"label": "16", "title": "Garden"}'
        lists.write_entries(register, by=self.registrant, document=document, list_format="jsonl", replaces=2)
        registers.change_register(register, policy="expert_review", replaces=1, **texts)
        request = request_entry(register, label="15", register_version=2, **asked)
        accept_request(request, by=self.registrant, revision=1)
        for number, by in (("13", self.registrant), ("15", asked["by"])):
            entry = Entry.objects.get(subnamespace__prefix=number)
            read = {"register_version": 2, "replaces": entry.subnamespace.version}
            change = changes.change_entry(entry, by=by, title="Garden", status="deprecated", **read)
        accept_request(change, by=self.registrant, revision=1)
        fields.declare_fields(register, by=self.registrant, fields=[{"label": "Opened on"}], replaces=2)
        self._branch_of(Entry.objects.get(subnamespace__prefix="13"))
        for each in Register.objects.order_by("pk"):
            registers.suspend_register(each, by=self.administrator, reason="Order 17 of a court.")
            registers.resume_register(each, by=self.administrator, reason="It was lifted.")

    def _branch_of(self, entry: Entry) -> None:
        """An entry that is offered, declined, withdrawn, accepted and released, with a register below it."""
        heir = a_person(email="heir@example.org")
        offer = partial(offer_entry, entry, by=self.registrant, to=heir.email)
        withdraw_offer(offer(), by=self.registrant)
        decline_entry(offer(), by=heir)
        own = create_organisation(by=heir, name="Royal Gardens")
        accept_entry(offer(), by=heir, organisation=own)
        for former, to in ((heir, self.registrant), (self.registrant, heir)):
            entry = Entry.objects.get(pk=entry.pk)
            entry = accept_entry(offer_entry(entry, by=former, to=to.email), by=to).entry
        recalls.recall_entry(entry, by=self.registrant, reason="Mail came back.")
        recalls.keep_entry(entry, by=heir)
        branch = open_branch(entry, by=heir, policy="first_come", title="Trees")
        line = '{"label": "4712", "title": "An elm"}'
        version = latest_version(branch.namespace)
        lists.write_entries(branch, by=heir, document=line, list_format="jsonl", replaces=version)
        registers.register_entry(branch, by=heir, label="4711", title="An oak")
        registers.change_register(branch, by=heir, policy="closed", title="Trees", replaces=1)
        fields.declare_fields(branch, by=heir, fields=[{"label": "Kind"}], replaces=2)
        erase_person(find_person(heir.email), by=None, reason="Request of 2026-11-02.")

    def import_from_iana(self, folder: Path) -> None:
        import_versions([a_version(an_xml(formal=a_record("example-trees") + a_record("example-birds")))])
        (folder / "example-trees").write_text(format_template(a_template()), encoding="utf-8")
        list(import_templates(read_templates(folder)))

    def write_after_the_previous_release(self) -> None:
        ChainHead.objects.update(last_in_format_2=0)
        self._namespace()

    def _namespace(self) -> Namespace:
        return a_namespace(by=self.registrant, expert=self.expert, administrator=self.administrator)


class Changes:
    """The times of the last changes, as they are when an event is written."""

    def __init__(self) -> None:
        self.seen: dict[str, datetime] = {}

    def check(self, instance: Event, **_: Any) -> None:
        """An event comes after the change of the time of its case and namespace."""
        if instance.verb not in PUBLIC:
            return
        if instance.case_number is not None:
            self._check("case", Case.objects.filter(pk=instance.case_number), instance)
        if instance.nid and (instance.case_number is None or instance.verb in event_types()):
            self._check("namespace", Namespace.objects.filter(nid=instance.nid), instance)

    def _check(self, what: str, rows: QuerySet[Any], event: Event) -> None:
        ((pk, changed_at),) = rows.values_list("pk", "changed_at")
        key = f"{what} {pk}"
        assert changed_at != self.seen.get(key), event
        self.seen[key] = changed_at


@pytest.fixture(scope="module")
def recorded(
    the_test_database: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Changes, list[Event]]:
    """The events of every action, each carried out alone, and the changes that they came after. Nothing stays of them."""
    changes = Changes()
    post_save.connect(changes.check, sender=Event)
    try:
        with django_db_blocker.unblock(), transaction.atomic():
            cast = Everything(
                registrant=a_person(email="registrant@example.org"),
                expert=a_person(email="expert@example.org", roles=(RoleName.EXPERT,)),
                administrator=a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,)),
                liaison=a_person(email="liaison@example.org", roles=(RoleName.LIAISON,)),
            )
            actions = [
                method for name, method in getmembers(Everything, isfunction) if not name.startswith("_")
            ]
            events = list(_events(cast, actions, tmp_path_factory.mktemp("templates")))
            transaction.set_rollback(True)
    finally:
        post_save.disconnect(changes.check, sender=Event)
    return changes, events


@pytest.fixture(scope="module")
def events(recorded: tuple[Changes, list[Event]]) -> list[Event]:
    return recorded[1]


def _events(cast: Everything, actions: Iterable[Callable[..., Any]], folder: Path) -> Iterator[Event]:
    before = Event.objects.count()
    for action in actions:
        with transaction.atomic():
            action(cast, *([folder] if action is Everything.import_from_iana else []))
            yield from list(Event.objects.filter(number__gt=before, verb__in=PUBLIC))
            transaction.set_rollback(True)


@pytest.mark.exhaustive
def test_events_have_exactly_the_declared_details(events: list[Event]) -> None:
    for event in events:
        declared = {each.name: each for each in details_of(event.verb)}
        needed = {name for name, each in declared.items() if not each.is_optional}
        assert needed <= event.details.keys() <= declared.keys(), event
        for name, value in event.details.items():
            kind = str if declared[name].kind is date else declared[name].kind
            assert type(value) is kind, (event, name)
    assert {event.verb for event in events} == PUBLIC
    seen = {(event.verb, name) for event in events for name in event.details}
    optional = {(verb, each.name) for verb in PUBLIC for each in details_of(verb) if each.is_optional}
    of_organisations = {(verb, name) for verb, name in optional if name.endswith("organisation")}
    # The details that need people, organisations (tests/organisations) or files of their own.
    assert optional - seen - of_organisations <= {
        ("move_to_organisation", "person"),
        ("import_iana", "left_aside"),
        ("submit", "co_editors"),
        ("submit", "recused"),
        ("submit", "profile_digest"),
    }


@pytest.mark.exhaustive
def test_each_event_changes_its_case_or_namespace(recorded: tuple[Changes, list[Event]]) -> None:
    changes, _ = recorded
    assert len(changes.seen) > 50
    assert {key.split()[0] for key in changes.seen} == {"case", "namespace"}


@pytest.mark.exhaustive
def test_public_details_are_published(events: list[Event]) -> None:
    for event in events:
        public = {each.name for each in details_of(event.verb) if each.is_public}
        published = EventDetailsSerializer(event).data
        assert published == {
            name: value for name, value in event.details.items() if name in public and value not in ("", None)
        }


def test_each_verb_is_described_once() -> None:
    schemas = description()["components"]["schemas"]
    lines = [line for line in schemas["EventVerb"]["description"].splitlines() if line.startswith("* ")]
    assert [line.split("`")[1] for line in lines] == schemas["EventVerb"]["enum"] == sorted(PUBLIC)
    operation = description()["paths"]["/api/v1/events/"]["get"]
    (verb,) = (each for each in operation["parameters"] if each.get("name") == "verb")
    assert "`submit`" not in verb["description"]


def test_each_detail_is_described_with_its_verbs() -> None:
    described = description()["components"]["schemas"]["EventDetails"]["properties"]
    public = {each.name for verb in PUBLIC for each in details_of(verb) if each.is_public}
    assert described.keys() == public
    for verb in PUBLIC:
        for each in details_of(verb):
            if each.is_public:
                assert f"`{verb}`" in described[each.name]["description"]
                assert each.text in described[each.name]["description"]
