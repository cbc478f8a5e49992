"""Random changes of a registry: of namespaces, their profiles, hosts, contacts and registrants, of organisations and claims,
of cases, and by imports.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from random import Random
from typing import Any

from django.db import transaction

from registry.accounts.models import User
from registry.audit_log.models import Event, LogPosition
from registry.cases.comments import comment
from registry.cases.corrections import correct
from registry.cases.drafts import drafts
from registry.cases.models import Case, Comment, State
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.core.exceptions import RegistryError
from registry.custody.actions import claims
from registry.custody.actions.contact import change_contact, confirm_contact
from registry.custody.models import NamespaceClaim
from registry.domains.actions import add_domain, remove_domain
from registry.domains.checks import Outcome, record_check
from registry.domains.models import Method
from registry.namespaces.actions import transfers
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.transfers import move_to_organisation
from registry.namespaces.models import Kind, Namespace, Transfer
from registry.organisations.actions.organisations import create_organisation, describe_organisation
from registry.organisations.models import Organisation
from registry.publication.iana.importing.importer import import_versions
from registry.resolution.actions import confirm_host, withdraw_host
from tests.custody.test_claims import let_time_pass
from tests.publication.iana.samples import a_record, a_version, an_xml
from tests.resolution.conftest import a_profile_with, a_service
from tests.support.factories import a_case_in_review, a_draft, a_profile, a_template, all_done

Changed = Callable[[], Any]


class RandomChanges:
    """Makes changes that `chance` chooses. A change that a rule refuses is not counted, and another one is made."""

    def __init__(
        self, chance: Random, *, owners: tuple[User, User], expert: User, administrators: tuple[User, User]
    ) -> None:
        self.chance, self.owners, self.expert, self.administrators = chance, owners, expert, administrators
        self.administrator, _ = administrators
        self.numbers, self.imported = count(1), dict[str, str]()
        # The newest organisation of each owner: a rename writes an event for everything that belongs to it.
        self.organisations = dict[int, Organisation]()
        for owner in owners:
            self._found(owner)
        self.kinds: tuple[tuple[int, Changed], ...] = (
            (2, self.deprecate), (8, self.set_profile), (4, self.confirm_host), (4, self.withdraw_host),
            (6, self.offer), (8, self.answer_offer), (4, self.correct), (8, self.submit), (12, self.decide),
            (8, self.assign), (4, self.resubmit), (8, self.comment), (2, self.recuse), (3, self.withdraw),
            (4, self.revise), (2, self.write_draft), (3, self.import_from_iana),
            (2, self.found_organisation), (8, self.rename_organisation), (6, self.change_domain), (3, self.move), (6, self.claim),
            (8, self.decide_on_claim), (6, self.change_contact), (3, self.confirm_contact),
        )  # fmt: skip

    def make(self, how_many: int) -> None:
        made = 0
        while made < how_many:
            weights = [weight for weight, _ in self.kinds]
            ((_, change),) = self.chance.choices(self.kinds, weights)
            before = LogPosition.current()
            with suppress(RegistryError), transaction.atomic():
                change()
            made += LogPosition.current() != before

    def _name(self) -> str:
        return f"names-{next(self.numbers)}x"

    def _one_of(self, rows: Any) -> Any:
        """One of the newest rows; an action of the registry refuses to work with none."""
        found = list(rows.order_by("-pk")[:40])
        if not found:
            raise RegistryError("There is none yet.")
        return self.chance.choice(found)

    def _namespace(self) -> Namespace:
        found: Namespace = self._one_of(Namespace.objects.all())
        return found

    def _case(self, *states: State) -> Case:
        found: Case = self._one_of(Case.objects.filter(state__in=states))
        return found

    def deprecate(self) -> None:
        successor = self._namespace() if self.chance.random() < 0.5 else None
        deprecate(self._namespace(), by=self.administrator, statement="Use another.", successor=successor)

    def set_profile(self) -> None:
        namespace = self._namespace()
        title = f"Trees of garden {next(self.numbers)}"
        example = [f"urn:{namespace.nid}:12:4711"]
        profile = self.chance.choice(
            [
                a_profile(namespace.nid, title=title),
                a_profile_with(a_service(examples=example), nid=namespace.nid, title=title),
                None,
            ]
        )
        replaces = namespace.profile_versions.count()
        set_profile(namespace, by=self.administrator, profile=profile, basis="Syntax.", replaces=replaces)

    def confirm_host(self) -> None:
        host = {"host": "trees.example", "basis": "administrator", "evidence": "Seen."}
        confirm_host(self._namespace(), by=self.administrator, **host)

    def withdraw_host(self) -> None:
        withdraw_host(self._namespace(), by=self.administrator, host="trees.example", reason="It was sold.")

    def offer(self) -> None:
        giver, taker = self.chance.sample(self.owners, 2)
        transfers.offer_transfer(self._namespace(), by=giver, to=taker.email)

    def answer_offer(self) -> None:
        offer = self._one_of(Transfer.objects.filter(ended_at=None))
        answers = (transfers.accept_transfer, transfers.decline_transfer, transfers.withdraw_transfer)
        self.chance.choice(answers)(offer, by=self.chance.choice(self.owners))

    def found_organisation(self) -> None:
        self._found(self.chance.choice(self.owners))

    def _found(self, owner: User) -> None:
        name = f"Arboretum {next(self.numbers)}"
        self.organisations[owner.pk] = create_organisation(by=owner, name=name)

    def rename_organisation(self) -> None:
        owner = self.chance.choice(self.owners)
        name = f"Arboretum {next(self.numbers)}"
        describe_organisation(self.organisations[owner.pk], by=owner, name=name)

    def change_domain(self) -> None:
        """Verify a domain, or remove one that is verified."""
        owner = self.chance.choice(self.owners)
        organisation = self.organisations[owner.pk]
        if domain := organisation.domains.first():
            remove_domain(domain, by=owner)
        else:
            added = add_domain(organisation, by=owner, domain=f"{self._name()}.example")
            record_check(added, Outcome(Method.DNS))

    def move(self) -> None:
        owner = self.chance.choice(self.owners)
        move_to_organisation(self.organisations[owner.pk], by=owner, namespaces=[self._namespace()])

    def claim(self) -> None:
        owner = self.chance.choice(self.owners)
        organisation = self.chance.choice([None, self.organisations[owner.pk]])
        evidence = {"ground": "other", "statement": "It is mine."}
        claims.claim_namespace(self._namespace(), by=owner, organisation=organisation, **evidence)

    def decide_on_claim(self) -> None:
        claim = self._one_of(NamespaceClaim.objects.undecided())
        if claim.is_announced and self.chance.random() < 0.2:
            claims.object_to_claim(claim, by=None)
        elif claim.is_announced:
            claims.approve_claim(let_time_pass(claim), by=self.administrators[1], reason="Proved.")
        elif claim.namespace.controller.is_known:
            claims.announce_claim(claim, by=self.administrator, reason="Mails bounce.")
        else:
            claims.approve_claim(claim, by=self.administrator, reason="Proved.")

    def change_contact(self) -> None:
        name = f"Desk {next(self.numbers)}"
        contact = {"name": name, "email": "desk@example.org", "reason": "We moved."}
        change_contact(self._namespace(), by=self.administrator, **contact)

    def confirm_contact(self) -> None:
        confirm_contact(self._namespace(), by=None)

    def correct(self) -> None:
        event = self._one_of(Event.objects.all())
        correct(event, by=self.administrator, wrong="The text.", right="Another text.")

    def submit(self) -> None:
        kind = self.chance.choice(Kind.values)
        a_case_in_review(by=self.chance.choice(self.owners), kind=kind, namespace_identifier=self._name())

    def decide(self) -> None:
        case = self._case(State.IN_REVIEW)
        number = case.latest_round_number
        match self.chance.randrange(5):
            case 0:
                points = [("purpose", "Which trees?")]
                functions.request_changes(case, by=self.expert, round_number=number, action_points=points)
            case 1:
                functions.decline(case, by=self.expert, round_number=number, reason="It overlaps.")
            case _:
                functions.approve(case, by=self.expert, round_number=number, rationale="It is sound.")

    def assign(self) -> None:
        functions.assign(self._case(State.APPROVED), by=self.administrator)

    def resubmit(self) -> None:
        case = all_done(self._case(State.CHANGES_REQUESTED))
        functions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)

    def comment(self) -> None:
        case = self._case(State.IN_REVIEW, State.APPROVED, State.CHANGES_REQUESTED)
        earlier = Comment.objects.filter(round__case=case).last()
        reply_to = earlier.pk if earlier and self.chance.random() < 0.5 else None
        text = f"Question {next(self.numbers)}?"
        comment(
            case, by=self.expert, round_number=case.latest_round_number, section="purpose", text=text, reply_to=reply_to
        )  # fmt: skip

    def recuse(self) -> None:
        people.recuse(self._case(State.IN_REVIEW), by=self.administrator)

    def withdraw(self) -> None:
        case = self._case(State.IN_REVIEW, State.DECLINED, State.CHANGES_REQUESTED, State.DRAFT)
        functions.withdraw(case, by=case.registrant, reason="It is not needed.")

    def revise(self) -> None:
        namespace = self._namespace()
        if namespace.registrant is None:
            raise RegistryError("There is no registrant.")
        case = drafts.start_revision(namespace, by=namespace.registrant)
        information = f"Version {namespace.version + 1} allows hyphens."
        template = a_template(
            namespace_identifier=namespace.nid,
            version=namespace.version + 1,
            revision_information=information,
        )
        case = drafts.save_draft(case, template, by=namespace.registrant, stamp=case.draft_stamp)
        functions.submit(case, by=namespace.registrant, draft_stamp=case.draft_stamp)

    def write_draft(self) -> None:
        """A draft is private: its only event is one too, and the copy does not change."""
        case = a_draft(by=self.owners[0], namespace_identifier=self._name())
        functions.withdraw(case, by=self.owners[0])

    def import_from_iana(self) -> None:
        """Entries are added, changed, and once in a while no longer listed."""
        for _ in range(3):
            self.imported[self._name()] = "rfc8141"
        for name in self.chance.sample(sorted(self.imported), 2):
            self.imported[name] = f"rfc{self.chance.randrange(2000, 9000)}"
        while len(self.imported) > 40 or (len(self.imported) > 2 and self.chance.random() < 0.5):
            self.imported.pop(self.chance.choice(sorted(self.imported)))
        records = "".join(a_record(name, rfc=rfc) for name, rfc in sorted(self.imported.items()))
        number = next(self.numbers)
        updated = f"20{20 + number // 336 % 79}-{1 + number // 28 % 12:02}-{1 + number % 28:02}"
        import_versions([a_version(an_xml(updated=updated, formal=records))])
