"""How a namespace comes to be or is revised: cases, their rounds, and what is said of them."""

from typing import Any, ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.models import Body, Recognition, RoleName, User
from registry.appendix_a.sections import SECTION_BY_KEY
from registry.appendix_a.submission import Submission as Content
from registry.namespaces.models import Kind, Namespace, Revision
from registry.record.triggers import immutable, kept_for_ever


class State(models.TextChoices):
    DRAFT = "draft", "draft"
    IN_REVIEW = "in_review", "in review"
    CHANGES_REQUESTED = "changes_requested", "changes requested"
    AWAITING_DIRECTION = "awaiting_direction", "awaiting direction"
    APPROVED = "approved", "approved"
    REGISTERED = "registered", "registered"
    DECLINED = "declined", "declined"
    WITHDRAWN = "withdrawn", "withdrawn"


CLOSED_STATES = frozenset({State.REGISTERED, State.DECLINED, State.WITHDRAWN})
OPEN_STATES = frozenset(State) - CLOSED_STATES


class Procedure(models.TextChoices):
    COMMUNITY = "community", "community (section 6.2)"
    FAST_TRACK = "fast_track", "fast track (section 6.3)"


class Verdict(models.TextChoices):
    REQUEST_CHANGES = "request_changes", "changes requested"
    APPROVE = "approve", "approved"
    DECLINE = "decline", "declined"
    REPORT = "forward_report", "report to the approval body"
    ADVICE = "advise", "advice"


class Outcome(models.TextChoices):
    """What became of an action point in the round that answers it."""

    DONE = "done", "done"
    NOT_DONE = "not_done", "not done"


class RegistrationQuerySet(models.QuerySet["Registration"]):
    def open(self) -> "RegistrationQuerySet":
        return self.filter(state__in=OPEN_STATES)

    def public(self) -> "RegistrationQuerySet":
        """From the first submission on, a case is public."""
        return self.filter(Exists(Submission.objects.filter(registration=OuterRef("pk"))))

    def edited_by(self, user: User) -> "RegistrationQuerySet":
        return self.filter(
            Q(registrant=user) | Exists(CoEditor.objects.filter(registration=OuterRef("pk"), user=user))
        )

    def visible_to(self, user: Any) -> "RegistrationQuerySet":
        """A draft is seen by its editors alone; a submitted case by everyone."""
        public = Q(Exists(Submission.objects.filter(registration=OuterRef("pk"))))
        if not user.is_authenticated:
            return self.filter(public)
        edits = Exists(CoEditor.objects.filter(registration=OuterRef("pk"), user=user))
        return self.filter(public | Q(registrant=user) | edits)

    def open_first(self) -> "RegistrationQuerySet":
        """Open cases before closed ones, and the newest first in each: the order of the public list."""
        closed = models.Case(models.When(state__in=sorted(CLOSED_STATES), then=1), default=0)
        return self.annotate(is_closed=closed).order_by("is_closed", "-pk")

    def after(self, is_closed: int, pk: int) -> "RegistrationQuerySet":
        """What follows a case in `open_first`, by its key."""
        return self.filter(Q(is_closed__gt=is_closed) | Q(is_closed=is_closed, pk__lt=pk))

    def waiting_for(self, role: RoleName, user: User) -> "RegistrationQuerySet":
        """Cases that wait for somebody in `role`, without those in which `user` can't act."""
        recused = Exists(Recusal.objects.filter(registration=OuterRef("pk"), user=user))
        own = Exists(CoEditor.objects.filter(registration=OuterRef("pk"), user=user))
        others = self.exclude(registrant=user).exclude(is_revision=True, namespace__registrant=user)
        return others.filter(WAITING_FOR[role]).exclude(own).exclude(recused)

    def waiting_for_registrant(self, user: User) -> "RegistrationQuerySet":
        """Public cases of `user` that stand still until the registrant acts."""
        may_complete = Q(
            state=State.IN_REVIEW, procedure=Procedure.FAST_TRACK, recognition=Recognition.RECOGNISED
        )
        return self.filter(Q(state=State.CHANGES_REQUESTED) | may_complete, registrant=user)

    def drafts(self) -> "RegistrationQuerySet":
        return self.filter(state=State.DRAFT)

    def in_review(self) -> "RegistrationQuerySet":
        return self.filter(state=State.IN_REVIEW)

    def approved(self) -> "RegistrationQuerySet":
        return self.filter(state=State.APPROVED)


WAITING_FOR: dict[RoleName, Q] = {
    RoleName.EXPERT: Q(state=State.IN_REVIEW),
    RoleName.ADMINISTRATOR: Q(state=State.APPROVED),
    RoleName.LIAISON: Q(state=State.AWAITING_DIRECTION)
    | Q(state=State.IN_REVIEW, procedure=Procedure.FAST_TRACK, recognition=Recognition.PENDING),
}


class Registration(models.Model):
    """One case that creates a namespace or revises one; `registrations.workflow` moves it."""

    kind = models.CharField(max_length=8, choices=Kind.choices)
    procedure = models.CharField(max_length=10, choices=Procedure.choices, default=Procedure.COMMUNITY)
    # A standards action is anticipated: the experts report, the approval body directs (6.2, step 4).
    standards_action = models.BooleanField(default=False)
    # Two experts must be of one mind about a round before it is decided; else the first answer decides.
    needs_two_experts = models.BooleanField(default=False, editable=False)
    namespace = models.ForeignKey(
        Namespace, on_delete=models.PROTECT, null=True, related_name="registrations", editable=False
    )
    is_revision = models.BooleanField(default=False, editable=False)
    requested_nid = models.CharField(max_length=32, blank=True, db_collation="C", editable=False)
    state = models.CharField(max_length=18, choices=State.choices, default=State.DRAFT, editable=False)
    state_since = models.DateTimeField(default=timezone.now, editable=False)
    registrant = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="registrations", editable=False
    )
    body = models.ForeignKey(Body, on_delete=models.PROTECT, null=True, related_name="registrations")
    recognition = models.CharField(
        max_length=12, choices=Recognition.choices, default=Recognition.PENDING, editable=False
    )
    appealed_at = models.DateTimeField(null=True, editable=False)
    draft = models.JSONField(default=dict)
    # The answers to open action points, as far as they are written: {"<point>": {"outcome": …, "text": …}}.
    draft_answers = models.JSONField(default=dict)
    draft_stamp = models.PositiveIntegerField(default=0, editable=False)
    draft_saved_at = models.DateTimeField(default=timezone.now, editable=False)
    revision = models.OneToOneField(
        Revision, on_delete=models.PROTECT, null=True, related_name="registration", editable=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager["Registration"]] = RegistrationQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index("state", "state_since", name="cases_by_state"),
            models.Index(
                "requested_nid", name="open_cases_by_nid", condition=Q(state__in=sorted(OPEN_STATES))
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
        return f"/registrations/{self.pk}/"

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
    def content(self) -> Content:
        """The draft as it stands."""
        return Content.from_json(self.draft)

    @cached_property
    def latest_submission(self) -> "Submission | None":
        return self.submissions.order_by("-round").first()

    @property
    def is_public(self) -> bool:
        return self.latest_submission is not None


def known_bodies() -> models.QuerySet[Body]:
    """The bodies that a public case names, or that are recognised: who a draft names is its editors' alone."""
    named = Exists(Registration.objects.public().filter(body=OuterRef("pk")))
    return Body.objects.filter(named | Q(recognition=Recognition.RECOGNISED)).order_by("name")


class CoEditor(models.Model):
    """Somebody who edits a case together with its registrant."""

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="co_editors")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    has_written = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint("registration", "user", name="a_co_editor_once")]

    def __str__(self) -> str:
        return f"{self.user} edits case {self.registration_id}"


class Recusal(models.Model):
    """Somebody who has declared not to act on a case as expert, administrator or liaison."""

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="recusals")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        triggers = [immutable()]
        constraints = [models.UniqueConstraint("registration", "user", name="recused_once")]

    def __str__(self) -> str:
        return f"{self.user} recused from case {self.registration_id}"


class Submission(models.Model):
    """The frozen template text of one round of a registration: round 1, 2, 3 …"""

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="submissions")
    round = models.PositiveIntegerField()
    content = models.JSONField()
    text = models.TextField()
    digest = models.CharField(max_length=64)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["round"]
        triggers = [immutable()]
        constraints = [
            models.UniqueConstraint("registration", "round", name="a_round_is_submitted_once"),
            models.CheckConstraint(condition=Q(round__gt=0), name="rounds_count_from_1"),
        ]

    def __str__(self) -> str:
        return f"case {self.registration_id}, round {self.round}"

    @property
    def submission(self) -> Content:
        return Content.from_json(self.content)


class Review(models.Model):
    """What a designated expert says of one submission: a verdict, a rationale, action points."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="reviews")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews")
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    rationale = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        triggers = [immutable()]
        constraints = [
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="verdict_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()} by {self.expert} ({self.submission})"


class ActionPoint(models.Model):
    """One thing that a review asks the registrant to change, in one section of the template."""

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="action_points")
    section = models.CharField(max_length=40)
    text = models.TextField()

    class Meta:
        ordering = ["pk"]
        triggers = [immutable()]
        constraints = [
            models.CheckConstraint(
                condition=Q(section__in=list(SECTION_BY_KEY)), name="action_point_names_a_section"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="action_point_says_something"),
        ]

    def __str__(self) -> str:
        return f"{self.section_title}: {self.text}"

    @property
    def section_title(self) -> str:
        return SECTION_BY_KEY[self.section].title


_ANSWERS_A_LATER_ROUND = """
    IF NOT EXISTS (
        SELECT 1
        FROM registrations_actionpoint point
        JOIN registrations_review review ON review.id = point.review_id
        JOIN registrations_submission asked ON asked.id = review.submission_id
        JOIN registrations_submission answering ON answering.registration_id = asked.registration_id
        WHERE point.id = NEW.point_id AND answering.id = NEW.submission_id AND answering.round > asked.round
    ) THEN
        RAISE EXCEPTION 'an action point is answered by a later round of its own case'
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
"""


class Answer(models.Model):
    """What the registrant says to one action point with the next round: that it is done, or why not."""

    point = models.OneToOneField(ActionPoint, on_delete=models.PROTECT, related_name="answer")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="answers")
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    text = models.TextField(blank=True)

    class Meta:
        ordering = ["point"]
        triggers = [
            immutable(),
            pgtrigger.Trigger(
                name="answers_a_later_round",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                func=_ANSWERS_A_LATER_ROUND,
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="outcome_is_known"),
            models.CheckConstraint(
                condition=Q(outcome=Outcome.DONE) | ~Q(text=""), name="a_point_not_done_says_why"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: {self.text}" if self.text else self.get_outcome_display()


def stays_in_its_case() -> pgtrigger.Trigger:
    """Refuses a comment that answers one of another case, which no constraint of one row can see."""
    return pgtrigger.Trigger(
        name="stays_in_its_case",
        when=pgtrigger.Before,
        operation=pgtrigger.Insert,
        condition=pgtrigger.Q(new__answered__isnull=False),
        func=(
            "IF NOT EXISTS (SELECT 1 FROM registrations_comment answered"
            " JOIN registrations_submission theirs ON theirs.id = answered.submission_id"
            " JOIN registrations_submission ours ON ours.registration_id = theirs.registration_id"
            " WHERE answered.id = NEW.answered_id AND ours.id = NEW.submission_id) THEN"
            " RAISE EXCEPTION 'a comment answers one of the same case'"
            " USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW;"
        ),
    )


class Comment(models.Model):
    """What anyone signed in says of one submission, of one section of it or of the whole."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    # The comment that this one answers. It may be of an earlier round: a thread goes on where it began.
    answered = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="answers")
    section = models.CharField(max_length=40, blank=True)
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        triggers = [immutable(), stays_in_its_case()]
        constraints = [
            models.CheckConstraint(
                condition=Q(section__in=["", *SECTION_BY_KEY]), name="comment_names_a_section_or_none"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
            models.CheckConstraint(
                condition=Q(answered=None) | Q(answered__lt=models.F("pk")), name="answers_come_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.author} on {self.submission}"

    def get_absolute_url(self) -> str:
        return f"/registrations/{self.submission.registration_id}/#comment-{self.pk}"

    @property
    def place(self) -> str:
        """What it speaks of, as it is named everywhere."""
        part = f"section {self.section_title}" if self.section else "as a whole"
        return f"round {self.submission.round}, {part}"

    @property
    def section_title(self) -> str:
        return SECTION_BY_KEY[self.section].title if self.section else "the whole template"


class SetAside(models.Model):
    """A finding on one round that an expert set aside, and why. It stays so while the section says the same."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="set_asides")
    section = models.CharField(max_length=40)
    code = models.CharField(max_length=60)
    message = models.TextField()
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        triggers = [immutable()]
        constraints = [
            models.UniqueConstraint("submission", "section", "code", name="a_finding_is_set_aside_once"),
            models.CheckConstraint(
                condition=Q(section__in=list(SECTION_BY_KEY)), name="set_aside_names_a_section"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="set_aside_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.section} {self.code} ({self.submission})"


class CannedText(models.Model):
    """Words that the experts need again and again, to begin a review with."""

    title = models.CharField(max_length=100)
    text = models.TextField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(Lower("title"), name="one_canned_text_per_title"),
            models.CheckConstraint(condition=~Q(text=""), name="canned_text_says_something"),
        ]

    def __str__(self) -> str:
        return self.title


class Watch(models.Model):
    """What somebody said of watching a case: that they do, or that they stopped. Most never say anything;
    `registrations.watching` knows who watches.
    """

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="watches")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    is_stopped = models.BooleanField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint("registration", "user", name="watching_is_said_once")]

    def __str__(self) -> str:
        return (
            f"{self.user} {'watches no more' if self.is_stopped else 'watches'} case {self.registration_id}"
        )
