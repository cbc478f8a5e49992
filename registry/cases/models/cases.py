"""The case itself: how a namespace comes to be or is revised."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.models import Body, Recognition, RoleName, User
from registry.audit_log.triggers import kept_for_ever
from registry.cases.models.people import CoEditor, Recusal
from registry.cases.models.rounds import Round
from registry.cases.models.states import CLOSED_STATES, OPEN_STATES, Procedure, State
from registry.namespaces.models import SHAPE_OF, Kind, Namespace, Revision
from registry.registration_template.template import RegistrationTemplate

# 1 for a case that has ended, 0 for an open one.
IS_CLOSED = models.Case(models.When(state__in=sorted(CLOSED_STATES), then=1), default=0)


class CaseQuerySet(models.QuerySet["Case"]):
    def open(self) -> "CaseQuerySet":
        return self.filter(state__in=OPEN_STATES)

    def public(self) -> "CaseQuerySet":
        """From the first submission on, a case is public."""
        return self.filter(Exists(Round.objects.filter(case=OuterRef("pk"))))

    def edited_by(self, user: User) -> "CaseQuerySet":
        return self.filter(
            Q(registrant=user) | Exists(CoEditor.objects.filter(case=OuterRef("pk"), user=user))
        )

    def visible_to(self, user: Any) -> "CaseQuerySet":
        """A draft is seen by its editors alone; a submitted case by everyone."""
        public = Q(Exists(Round.objects.filter(case=OuterRef("pk"))))
        if not user.is_authenticated:
            return self.filter(public)
        edits = Exists(CoEditor.objects.filter(case=OuterRef("pk"), user=user))
        return self.filter(public | Q(registrant=user) | edits)

    def open_first(self) -> "CaseQuerySet":
        """Open cases before closed ones, and the newest first in each: the order of the public list."""
        return self.annotate(is_closed=IS_CLOSED).order_by("is_closed", "-pk")

    def asking_for_nids(self) -> "CaseQuerySet":
        """Open public cases for new namespaces whose NID the registrant has chosen."""
        return self.public().open().filter(is_revision=False, kind=Kind.FORMAL)

    def waiting_for(self, role: RoleName, user: User) -> "CaseQuerySet":
        """Cases that wait for somebody in `role`, without those in which `user` can't act."""
        recused = Exists(Recusal.objects.filter(case=OuterRef("pk"), user=user))
        own = Exists(CoEditor.objects.filter(case=OuterRef("pk"), user=user))
        others = self.exclude(registrant=user).exclude(is_revision=True, namespace__registrant=user)
        return others.filter(WAITING_FOR[role]).exclude(own).exclude(recused)

    def waiting_for_registrant(self, user: User) -> "CaseQuerySet":
        """Public cases of `user` that stand still until the registrant acts."""
        may_complete = Q(
            state=State.IN_REVIEW, procedure=Procedure.FAST_TRACK, recognition=Recognition.RECOGNISED
        )
        return self.filter(Q(state=State.CHANGES_REQUESTED) | may_complete, registrant=user)

    def drafts(self) -> "CaseQuerySet":
        return self.filter(state=State.DRAFT)


WAITING_FOR: dict[RoleName, Q] = {
    RoleName.EXPERT: Q(state=State.IN_REVIEW),
    RoleName.ADMINISTRATOR: Q(state=State.APPROVED),
    RoleName.LIAISON: Q(state=State.AWAITING_DIRECTION)
    | Q(state=State.IN_REVIEW, procedure=Procedure.FAST_TRACK, recognition=Recognition.PENDING),
}


class Case(models.Model):
    """One case that creates a namespace or revises one; `cases.workflow.table` moves it."""

    kind = models.CharField(max_length=8, choices=Kind.choices)
    procedure = models.CharField(max_length=10, choices=Procedure.choices, default=Procedure.COMMUNITY)
    # A standards action is anticipated: the experts report, the approval body directs (6.2, step 4).
    standards_action = models.BooleanField(default=False)
    # Two experts must be of one mind about a round before it is decided; else the first answer decides.
    needs_two_experts = models.BooleanField(default=False, editable=False)
    namespace = models.ForeignKey(
        Namespace, on_delete=models.PROTECT, null=True, related_name="cases", editable=False
    )
    is_revision = models.BooleanField(default=False, editable=False)
    requested_nid = models.CharField(max_length=32, blank=True, db_collation="C", editable=False)
    state = models.CharField(max_length=18, choices=State.choices, default=State.DRAFT, editable=False)
    state_since = models.DateTimeField(default=timezone.now, editable=False)
    registrant = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="cases", editable=False
    )
    body = models.ForeignKey(Body, on_delete=models.PROTECT, null=True, related_name="cases")
    recognition = models.CharField(
        max_length=12, choices=Recognition.choices, default=Recognition.PENDING, editable=False
    )
    appealed_at = models.DateTimeField(null=True, editable=False)
    draft = models.JSONField(default=dict)
    # The answers to open action points, as far as they are written: {"<point>": {"outcome": …, "text": …}}.
    draft_replies = models.JSONField(default=dict)
    draft_stamp = models.PositiveIntegerField(default=0, editable=False)
    draft_saved_at = models.DateTimeField(default=timezone.now, editable=False)
    revision = models.OneToOneField(
        Revision, on_delete=models.PROTECT, null=True, related_name="case", editable=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager["Case"]] = CaseQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index("state", "state_since", name="cases_by_state"),
            models.Index(IS_CLOSED, models.F("id").desc(), name="cases_open_first"),
            models.Index(
                "requested_nid", name="open_cases_by_nid", condition=Q(state__in=sorted(OPEN_STATES))
            ),
            models.Index(
                SHAPE_OF("requested_nid"),
                name="open_cases_by_shape",
                condition=Q(state__in=sorted(OPEN_STATES)),
            ),
        ]
        triggers = [kept_for_ever()]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=State.values), name="state_is_known"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="kind_is_known"),
            models.CheckConstraint(condition=Q(procedure__in=Procedure.values), name="procedure_is_known"),
            models.CheckConstraint(
                condition=Q(state=State.REGISTERED, revision__isnull=False, namespace__isnull=False)
                | (~Q(state=State.REGISTERED) & Q(revision=None)),
                name="registered_means_a_revision",
            ),
            models.CheckConstraint(
                condition=Q(is_revision=False) | Q(namespace__isnull=False),
                name="a_revision_revises_a_namespace",
            ),
            models.CheckConstraint(
                condition=Q(procedure=Procedure.COMMUNITY) | Q(body__isnull=False),
                name="a_fast_track_names_its_body",
            ),
        ]

    def __str__(self) -> str:
        return f"Case {self.pk}: {self.subject}"

    def get_absolute_url(self) -> str:
        return f"/cases/{self.pk}/"

    @property
    def subject(self) -> str:
        """What the case is about, in a few words."""
        if self.namespace_id and self.namespace:
            nid = self.namespace.nid
            return f"revision of {nid}" if self.is_revision else nid
        if self.kind == Kind.INFORMAL:
            return "a new informal namespace"
        return self.requested_nid or "a new formal namespace"

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES

    @property
    def is_fast_track(self) -> bool:
        return self.procedure == Procedure.FAST_TRACK

    @property
    def is_brought_by_representative(self) -> bool:
        """Whether the registrant is known to speak for the requesting body (6.3, step 4)."""
        return self.body is not None and self.body.representatives.filter(pk=self.registrant_id).exists()

    @property
    def is_of_former_registrant(self) -> bool:
        """Whether it revises a namespace that belongs to somebody else by now."""
        return bool(
            self.is_revision and self.namespace and self.namespace.registrant_id != self.registrant_id
        )

    @property
    def next_version(self) -> int:
        """The version that this case would register (RFC 8141, Appendix A, "Version")."""
        return self.namespace.version + 1 if self.is_revision and self.namespace else 1

    @property
    def draft_template(self) -> RegistrationTemplate:
        """The draft as it stands."""
        return RegistrationTemplate.from_json(self.draft)

    @cached_property
    def latest_round(self) -> Round | None:
        return self.rounds.order_by("-number").first()

    @property
    def is_public(self) -> bool:
        return self.latest_round is not None


def known_bodies() -> models.QuerySet[Body]:
    """The bodies that a public case names, or that are recognised: who a draft names is its editors' alone."""
    named = Exists(Case.objects.public().filter(body=OuterRef("pk")))
    return Body.objects.filter(named | Q(recognition=Recognition.RECOGNISED)).order_by("name")
