"""Claims of namespaces by people who say that they are the registrant, and contacts beside the registered text."""

from functools import reduce
from operator import or_
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from registry.accounts.models import PendingGrant, RoleName, User
from registry.core.validators import MAX_BASIS_LENGTH, MAX_REASON_LENGTH
from registry.mail.plain_text import quoted
from registry.namespaces.models import Namespace, is_of_held_namespace
from registry.organisations.models import Controller, Membership, Organisation, organisations_of


class Ground(models.TextChoices):
    DOMAIN = "domain", "I control a domain that the registration names"
    SPECIFICATION = "specification", "A specification of the namespace names me or my organisation"
    ADDRESS = "address", "My e-mail address is in the registration"
    OTHER = "other", "Other evidence"


class ClaimStatus(models.TextChoices):
    OPEN = "open", "under consideration"
    ANNOUNCED = "announced", "announced"
    APPROVED = "approved", "approved"
    DECLINED = "declined", "declined"
    OBJECTED = "objected", "ended by an objection"
    WITHDRAWN = "withdrawn", "withdrawn"


UNDECIDED = (ClaimStatus.OPEN, ClaimStatus.ANNOUNCED)


class NamespaceClaimQuerySet(models.QuerySet["NamespaceClaim"]):
    def undecided(self) -> "NamespaceClaimQuerySet":
        return self.filter(status__in=UNDECIDED)

    def visible_to(self, user: User) -> "NamespaceClaimQuerySet":
        """The claims whose evidence `user` may read, and without the evidence, those to which they can object."""
        return self.filter(_shows_evidence_to(user) | _is_open_to_objections_by(user))

    def open_to_objections_by(self, user: User) -> "NamespaceClaimQuerySet":
        """The announced claims to which `user` can object, until they are decided (`permissions.may_object`)."""
        return self.filter(_is_open_to_objections_by(user))

    def with_evidence_for(self, user: User) -> "NamespaceClaimQuerySet":
        """The claims by `user`, and for administrators, those in which they have no conflict of interest."""
        return self.filter(_shows_evidence_to(user))


def _is_open_to_objections_by(user: User) -> Q:
    # A claim for an organisation of theirs is not for them to object to.
    of_others = Q(is_recovery=True) | ~Q(organisation__in=organisations_of(user))
    return Q(status=ClaimStatus.ANNOUNCED) & ~Q(claimant=user) & of_others & is_of_held_namespace(user)


def _shows_evidence_to(user: User) -> Q:
    others = ~is_in_conflict_with(user) if RoleName.ADMINISTRATOR in user.roles else Q(pk__in=())
    return Q(claimant=user) | others


def is_in_conflict_with(user: User) -> Q:
    """Whether `user` made a claim, or since then was the registrant, or a member of an organisation that has or had the
    namespace, or is to get it.
    """
    since = Membership.objects.since(OuterRef("claimed_at")).filter(user=user)
    concerned = ("organisation", "former_organisation", "namespace__organisation")
    was_member = Exists(since.filter(reduce(or_, (Q(organisation=OuterRef(each)) for each in concerned))))
    return Q(claimant=user) | Q(registrant=user) | Q(namespace__registrant=user) | Q(was_member)


class NamespaceClaim(PendingGrant):
    """A request of a person to become the registrant of a namespace, with evidence, which is private.

    If the namespace has a registrant, the approval needs two administrators: the first announces the claim, and the
    second approves it when the registrant had time to object. A recovery is the request to represent the organisation of
    the namespace, whose representatives can't be reached. It is always announced.
    """

    GRANTOR: ClassVar[str] = "claimant"

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="claims")
    claimant = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # The organisation that is to get the namespace, instead of the claimant, or in a recovery, that has it.
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, null=True, related_name="claims")
    is_recovery = models.BooleanField(default=False)
    ground = models.CharField(max_length=13, choices=Ground.choices)
    # The evidence: a text, and addresses that the registry never requests.
    statement = models.TextField(max_length=MAX_BASIS_LENGTH)
    links = models.JSONField(default=list)
    status = models.CharField(max_length=9, choices=ClaimStatus.choices, default=ClaimStatus.OPEN)
    claimed_at = models.DateTimeField(default=timezone.now)
    announced_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    announced_at = models.DateTimeField(null=True)
    # From this time on, an announced claim can be approved.
    objections_until = models.DateTimeField(null=True)
    # The registrant at the time of the announcement, or the organisation.
    registrant = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    former_organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    ended_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True, max_length=MAX_REASON_LENGTH)
    # The number of the event by which the namespace got or lost the registrant whom an approval replaces; 0 for none.
    replaced_event = models.PositiveBigIntegerField(null=True)

    objects: ClassVar[models.Manager["NamespaceClaim"]] = NamespaceClaimQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "namespace",
                "claimant",
                condition=Q(status__in=UNDECIDED),
                name="one_undecided_claim_per_person",
            ),
            models.UniqueConstraint(
                "namespace",
                condition=Q(status=ClaimStatus.ANNOUNCED),
                name="one_announced_claim_per_namespace",
            ),
            # Of two approvals at the same time, both would replace the same registrant.
            models.UniqueConstraint(
                "namespace",
                "replaced_event",
                condition=Q(status=ClaimStatus.APPROVED),
                name="one_approved_claim_per_registrant",
            ),
            models.CheckConstraint(condition=Q(status__in=ClaimStatus.values), name="claim_status_is_known"),
            models.CheckConstraint(condition=Q(ground__in=Ground.values), name="claim_ground_is_known"),
            models.CheckConstraint(
                condition=Q(status__in=UNDECIDED, ended_at=None)
                | (~Q(status__in=UNDECIDED) & Q(ended_at__isnull=False)),
                name="decided_claim_has_ended",
            ),
            models.CheckConstraint(
                condition=Q(announced_by=None, announced_at=None, objections_until=None)
                | Q(
                    announced_by__isnull=False,
                    announced_at__isnull=False,
                    objections_until__gt=F("announced_at"),
                ),
                name="announcement_is_complete",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=[ClaimStatus.ANNOUNCED, ClaimStatus.OBJECTED])
                | Q(announced_by__isnull=False),
                name="only_announced_claims_get_objections",
            ),
            models.CheckConstraint(
                condition=~Q(status=ClaimStatus.APPROVED)
                | (Q(decided_by__isnull=False) & (Q(replaced_event__isnull=False) | Q(is_recovery=True))),
                name="approved_claim_names_who_decided",
            ),
            models.UniqueConstraint(
                "organisation",
                condition=Q(status=ClaimStatus.ANNOUNCED, is_recovery=True),
                name="one_announced_recovery_per_organisation",
            ),
            models.CheckConstraint(
                condition=Q(is_recovery=False)
                | (
                    Q(organisation__isnull=False)
                    & (~Q(status=ClaimStatus.APPROVED) | Q(announced_by__isnull=False))
                ),
                name="recovery_is_of_an_organisation_and_announced",
            ),
            models.CheckConstraint(
                condition=~Q(status=ClaimStatus.APPROVED, announced_by__isnull=False)
                | (~Q(decided_by=F("announced_by")) & Q(ended_at__gte=F("objections_until"))),
                name="announced_claim_needs_time_and_a_second_person",
            ),
            models.CheckConstraint(
                condition=(Q(decided_by=None) | ~Q(decided_by=F("claimant")))
                & (Q(announced_by=None) | ~Q(announced_by=F("claimant"))),
                name="claimant_does_not_decide",
            ),
        ]

    def __str__(self) -> str:
        return f"claim {self.pk} of {self.namespace_id}"

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.namespace.nid}/claims/{self.pk}/"

    @property
    def aim(self) -> str:
        """What is claimed, to follow the word “claim”."""
        is_recovery = self.is_recovery and self.organisation
        return (
            f"to represent {quoted(self.organisation)}"
            if is_recovery
            else f"of the namespace {self.namespace.nid}"
        )

    @property
    def future_registrant(self) -> User | Organisation:
        """The person or organisation that has the namespace if the claim is approved."""
        return self.organisation or self.claimant

    @property
    def announced_to(self) -> Controller:
        """Who had the namespace when the claim was announced."""
        return Controller(self.registrant_id, self.former_organisation_id)

    @property
    def is_undecided(self) -> bool:
        return self.status in UNDECIDED

    @property
    def is_announced(self) -> bool:
        return self.status == ClaimStatus.ANNOUNCED

    @property
    def is_due(self) -> bool:
        """Whether the time for objections to an announced claim is over."""
        return (
            self.is_announced
            and self.objections_until is not None
            and self.objections_until <= timezone.now()
        )

    def is_by(self, person: User) -> bool:
        return self.claimant_id == person.pk


class NamespaceContact(models.Model):
    """The contact of a namespace, shown beside the registered text, and when it was confirmed.

    Triggers write a row when a namespace gets a registrant, and delete it when it has none (`migrations/contacts.sql`).
    Without a name and an address, the contact is that of the registered text.
    """

    namespace = models.OneToOneField(
        Namespace, on_delete=models.PROTECT, primary_key=True, related_name="contact"
    )
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(max_length=254, blank=True)
    changed_at = models.DateTimeField(null=True)
    # When the namespace got another registrant; NULL for the first one.
    held_since = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(default=timezone.now)
    unverified_since = models.DateTimeField(null=True)
    # The last reminder: how many days before the limit it is due.
    reminded = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(name="", email="", changed_at=None)
                | (~Q(name="") & ~Q(email="") & Q(changed_at__isnull=False)),
                name="contact_has_name_and_address",
            ),
            models.CheckConstraint(
                condition=Q(unverified_since=None) | Q(unverified_since__gt=F("confirmed_at")),
                name="unverified_contact_was_not_confirmed",
            ),
        ]

    def __str__(self) -> str:
        return f"contact of {self.namespace_id}"

    def get_absolute_url(self) -> str:
        return self.namespace.get_absolute_url()

    @property
    def is_given(self) -> bool:
        """Whether there is a contact beside the registered text."""
        return self.changed_at is not None
