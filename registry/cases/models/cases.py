"""The model of cases, its queries, the filters of lists, which the page, its download and the API share, and the
people who gain by a case.

The filters narrow a list of public cases. Each reads only what is public in such a case: its latest round, its registrant, its
verdicts, and the time since when it is in its state.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import BooleanField, Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import Combinable, RawSQL
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.models import Body, Recognition, RoleName, User
from registry.cases.models.people import (
    CoEditor,
    Invitation,
    Recusal,
    Representative,
    is_edited_by,
    is_held_by,
    is_own_of,
    represented_by,
)
from registry.cases.models.rounds import Review, Round
from registry.cases.models.states import (
    CLOSED_STATES,
    OPEN_STATES,
    REGISTRANT_STATES,
    ROLE_BY_STATE,
    Procedure,
    State,
    bodies_recognised_by,
    excluding_decisions,
)
from registry.namespaces.models import Kind, Namespace, Revision, shape_of_column
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.namespaces.search_terms import Term, searchable, terms_of
from registry.organisations.models import (
    Controller,
    Membership,
    Organisation,
    colleagues_of,
    organisations_of,
)
from registry.registration_template.template import RegistrationTemplate

# Later days are like this one: no day follows the last one of the calendar.
LAST_DAY = date(2999, 12, 31)


def has_words(terms: Sequence[Term]) -> Combinable:
    """Whether a public case has all words in its NID, or in the organisation or purpose of its latest round.

    A prefix of a word is enough. The column `words` is empty before a case is public (`migrations/search.sql`).
    """
    query = " & ".join(f"('{term.word}':* | '{term.stem or term.word}')" for term in terms)
    return RawSQL(  # nosec B611  # the query is a parameter
        "cases_case.words @@ %s::tsquery", [query], output_field=BooleanField()
    )


def _has_text(text: str) -> Q:
    terms = terms_of(text)
    return Q(has_words(terms)) if terms else Q(pk__in=[])


def _is_reviewed_by(name: str) -> Q:
    reviews = Review.objects.filter(expert__in=User.objects.named(searchable(name)))
    return Q(pk__in=reviews.values("round__case"))


def _is_of(name: str) -> Q:
    """Whether the registrant, or the organisation, has these words in its name.

    A union, because PostgreSQL reads no index for conditions on two tables that are joined by OR.
    """
    people = User.objects.named(searchable(name)).filter(cases__isnull=False, cases__organisation=None)
    organisations = Organisation.objects.filter(name__icontains=name.strip())
    return Q(pk__in=people.values("cases").union(organisations.values("cases"), all=True))


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


FILTERS: Mapping[str, Callable[[Any], Q]] = {
    "q": _has_text,
    "registrant": _is_of,
    "expert": _is_reviewed_by,
    "since": lambda day: Q(state_since__gte=_start_of(day)),
    "until": lambda day: Q(state_since__lt=_start_of(min(day, LAST_DAY) + timedelta(days=1))),
}


# 1 for a closed case, 0 for an open one.
IS_CLOSED = models.Case(models.When(state__in=sorted(CLOSED_STATES), then=1), default=0)


class CaseQuerySet(models.QuerySet["Case"]):
    def open(self) -> "CaseQuerySet":
        return self.filter(state__in=OPEN_STATES)

    def public(self) -> "CaseQuerySet":
        """Cases with at least one round."""
        return self.filter(Exists(Round.objects.filter(case=OuterRef("pk"))))

    def edited_by(self, user: User) -> "CaseQuerySet":
        """Cases of which `user` may edit the draft."""
        return self.filter(is_edited_by(user))

    def visible_to(self, user: Any) -> "CaseQuerySet":
        """Public cases, cases that `user` edits, and those of organisations of which they are a member."""
        public = Q(Exists(Round.objects.filter(case=OuterRef("pk"))))
        if not user.is_authenticated:
            return self.filter(public)
        return self.filter(public | is_edited_by(user) | Q(organisation__in=organisations_of(user)))

    def inviting(self, user: User) -> "CaseQuerySet":
        """Cases with an open invitation to `user`."""
        return self.filter(Exists(Invitation.objects.to(user).filter(case=OuterRef("pk"))))

    def open_first(self) -> "CaseQuerySet":
        """Open cases before closed ones, newest first: the order of the public list."""
        return self.annotate(is_closed=IS_CLOSED).order_by("is_closed", "-pk")

    def requesting_nids(self) -> "CaseQuerySet":
        """Open public cases for new namespaces whose NID the registrant has chosen."""
        return self.public().open().filter(is_revision=False, kind=Kind.FORMAL)

    def waiting_for(self, role: RoleName, user: User) -> "CaseQuerySet":
        """Cases that wait for an action in `role`, except those in which `user` can't act."""
        recused = Exists(Recusal.objects.filter(case=OuterRef("pk"), user=user))
        decided = Exists(excluding_decisions(role, user).filter(case_number=OuterRef("pk")))
        others = self.exclude(is_own_of(user)).exclude(recused).exclude(represented_by(user)).exclude(decided)
        if role == RoleName.LIAISON:
            others = others.exclude(of_interest_to(user))
        if role == RoleName.ADMINISTRATOR:
            others = others.exclude(procedure=Procedure.FAST_TRACK, body__in=bodies_recognised_by(user))
        return others.filter(WAITING_FOR[role])

    def waiting_for_registrant(self, user: User) -> "CaseQuerySet":
        """Public cases of `user`, or of an organisation that they represent, that wait for the registrant."""
        return self.filter(Q(state__in=REGISTRANT_STATES) | WITH_BODY).filter(is_held_by(user))

    def searched(self, values: Mapping[str, Any]) -> "CaseQuerySet":
        """The cases that match those of these values that are filters, and not empty."""
        chosen = [condition(values[name]) for name, condition in FILTERS.items() if values.get(name)]
        return self.filter(*chosen)

    def begun(self) -> "CaseQuerySet":
        """Cases that were submitted, and drafts that were withdrawn but not deleted."""
        return self.exclude(state=State.DRAFT).exclude(state=State.WITHDRAWN, draft={})

    def drafts(self) -> "CaseQuerySet":
        return self.filter(state=State.DRAFT)


# The cases that wait for each role. The liaison also records whether a body is recognised, during the review.
WAITING_FOR = {
    role: Q(state__in=[state for state, acts in ROLE_BY_STATE.items() if acts == role])
    for role in ROLE_BY_STATE.values()
}
WAITING_FOR[RoleName.LIAISON] |= Q(
    state=State.IN_REVIEW, procedure=Procedure.FAST_TRACK, recognition=Recognition.PENDING
)
# The cases of recognised bodies before they request completion: how long this takes is for the body to decide
# (RFC 8141, Section 6.3, step 3).
STATES_WITH_BODY = frozenset({State.IN_REVIEW, *REGISTRANT_STATES})
WITH_BODY = Q(state__in=STATES_WITH_BODY, procedure=Procedure.FAST_TRACK, recognition=Recognition.RECOGNISED)


class Case(models.Model):
    """A request for a namespace or for a revision. `cases.workflow` changes its state."""

    kind = models.CharField(max_length=8, choices=Kind.choices)
    procedure = models.CharField(max_length=10, choices=Procedure.choices, default=Procedure.COMMUNITY)
    # If true, the experts report and the approval body decides (6.2, step 4).
    standards_action = models.BooleanField(default=False)
    # If true, a round is decided by two experts who agree; otherwise by the first verdict.
    needs_two_experts = models.BooleanField(default=False, editable=False)
    namespace = models.ForeignKey(
        Namespace, on_delete=models.PROTECT, null=True, related_name="cases", editable=False
    )
    is_revision = models.BooleanField(default=False, editable=False)
    requested_nid = models.CharField(max_length=32, blank=True, db_collation="C", editable=False)
    state = models.CharField(max_length=24, choices=State.choices, default=State.DRAFT, editable=False)
    state_since = models.DateTimeField(default=timezone.now, editable=False)
    # The person who began the case. If it belongs to an organisation, its members act in it instead.
    registrant = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="cases", editable=False
    )
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, related_name="cases", editable=False
    )
    body = models.ForeignKey(Body, on_delete=models.PROTECT, null=True, related_name="cases")
    recognition = models.CharField(
        max_length=12, choices=Recognition.choices, default=Recognition.PENDING, editable=False
    )
    appealed_at = models.DateTimeField(null=True, editable=False)
    draft = models.JSONField(default=dict)
    # What is stated beside the template so far: `ProposedProfile.to_json()`.
    draft_profile = models.JSONField(default=dict)
    # The answers to open action points so far: {"<point>": {"outcome": …, "text": …}}.
    draft_replies = models.JSONField(default=dict)
    draft_stamp = models.PositiveIntegerField(default=0, editable=False)
    draft_saved_at = models.DateTimeField(default=timezone.now, editable=False)
    revision = models.OneToOneField(
        Revision, on_delete=models.PROTECT, null=True, related_name="case", editable=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    # The time of the last event. Drafts change without events.
    changed_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager["Case"]] = CaseQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index("state", "state_since", name="cases_by_state"),
            models.Index("state_since", "id", name="cases_by_time_in_state"),
            models.Index("changed_at", "id", name="cases_by_change"),
            models.Index(IS_CLOSED, models.F("id").desc(), name="cases_open_first"),
            models.Index(
                "requested_nid", name="open_cases_by_nid", condition=Q(state__in=sorted(OPEN_STATES))
            ),
            models.Index(
                shape_of_column("requested_nid"),
                name="open_cases_by_shape",
                condition=Q(state__in=sorted(OPEN_STATES)),
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=State.values), name="case_state_is_known"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="case_kind_is_known"),
            models.CheckConstraint(
                condition=Q(procedure__in=Procedure.values), name="case_procedure_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state=State.REGISTERED, revision__isnull=False, namespace__isnull=False)
                | (~Q(state=State.REGISTERED) & Q(revision=None)),
                name="registered_case_has_revision",
            ),
            models.CheckConstraint(
                condition=Q(is_revision=False) | Q(namespace__isnull=False),
                name="revision_case_requires_namespace",
            ),
            models.CheckConstraint(
                condition=Q(procedure=Procedure.COMMUNITY) | Q(body__isnull=False),
                name="fast_track_requires_body",
            ),
        ]

    def __str__(self) -> str:
        return f"Case {self.pk}: {self.subject}"

    def get_absolute_url(self) -> str:
        return f"/cases/{self.pk}/"

    @property
    def subject(self) -> str:
        """A short description of the request."""
        if self.namespace_id and self.namespace:
            nid = self.namespace.nid
            return f"revision of {nid}" if self.is_revision else nid
        if self.kind == Kind.INFORMAL:
            return "a new informal namespace"
        return self.requested_nid or "a new formal namespace"

    def mark_changed(self) -> None:
        """Record that the case or what belongs to it changes now."""
        self.changed_at = timezone.now()
        self.save(update_fields=["changed_at"])

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES

    @property
    def is_fast_track(self) -> bool:
        return self.procedure == Procedure.FAST_TRACK

    @property
    def is_with_body(self) -> bool:
        """Whether a recognised body has the case, and decides when to complete it: the rule of `WITH_BODY` for a row."""
        is_recognised = self.recognition == Recognition.RECOGNISED
        return self.is_fast_track and is_recognised and self.state in STATES_WITH_BODY

    @property
    def is_of_former_registrant(self) -> bool:
        """Whether the case revises a namespace that was transferred to another registrant."""
        return bool(self.is_revision and self.namespace and self.namespace.controller != self.controller)

    @property
    def controller(self) -> Controller:
        if self.organisation_id is not None:
            return Controller(organisation=self.organisation_id)
        return Controller(person=self.registrant_id)

    @property
    def change_controller(self) -> User | Organisation:
        """The person or organisation to whom the case belongs, and who gets the namespace."""
        return self.organisation or self.registrant

    @property
    def next_version(self) -> int:
        """The version that this case would register (RFC 8141, Appendix A, "Version")."""
        return self.namespace.version + 1 if self.is_revision and self.namespace else 1

    @property
    def draft_template(self) -> RegistrationTemplate:
        """The draft as a template."""
        return RegistrationTemplate.from_json(self.draft)

    @property
    def proposed_profile(self) -> ProposedProfile:
        """What the draft states beside the template."""
        return ProposedProfile.from_json(self.draft_profile)

    @cached_property
    def latest_round(self) -> Round | None:
        return self.rounds.order_by("-number").first()

    @property
    def latest_verdict(self) -> Review | None:
        return Review.objects.verdicts().filter(round__case=self).order_by("-pk").first()

    @property
    def latest_round_number(self) -> int:
        """The number of the latest round; 0 before the first submission."""
        return self.latest_round.number if self.latest_round else 0

    @property
    def is_public(self) -> bool:
        return self.latest_round is not None


def known_bodies() -> models.QuerySet[Body]:
    """The recognised bodies, and those of public cases. Bodies of drafts are private."""
    named = Exists(Case.objects.public().filter(body=OuterRef("pk")))
    return Body.objects.filter(named | Q(recognition=Recognition.RECOGNISED)).order_by("name")


def associates_of(user: User) -> QuerySet[User]:
    """`user`, the people who represent a body together with them, those who edit a case with them, and the members of
    their organisations.
    """
    edited = Case.objects.edited_by(user)
    represent = Representative.objects.filter(body__representatives=user)
    return User.objects.filter(
        Q(pk=user.pk)
        | Q(pk__in=represent.values("user"))
        | Q(pk__in=edited.values("registrant"))
        | Q(pk__in=CoEditor.objects.filter(case__in=edited).values("user"))
        | Q(pk__in=colleagues_of(user))
    )


def of_interest_to(user: User) -> Q:
    """Whether `user` or an associate gains by a case: they edit it, are a member of its organisation or represent its
    body, or `user` edits another case of the body.
    """
    associates = associates_of(user)
    memberships = Membership.objects.current().filter(organisation=OuterRef("organisation"))
    return (
        Q(registrant__in=associates)
        | Q(Exists(memberships.filter(user__in=associates)))
        | Q(Exists(CoEditor.objects.filter(case=OuterRef("pk"), user__in=associates)))
        | Q(Exists(Representative.objects.filter(body=OuterRef("body"), user__in=associates)))
        | Q(Exists(Case.objects.edited_by(user).filter(body=OuterRef("body"))))
    )
