"""Entries of registers with their holders, and offers of entries to others."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.models import AddressedOffer, AddressedOfferQuerySet, User, is_offered_to
from registry.core.validators import MAX_ADDRESS_LENGTH
from registry.organisations.models import (
    Controller,
    MemberRole,
    Membership,
    Organisation,
    members_of,
    organisations_of,
)
from registry.registers.models.registers import Register, is_held_directly
from registry.registers.models.requests import MAX_SKELETON
from registry.subnamespaces.models import SubNamespace
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Content


class EntryQuerySet(models.QuerySet["Entry"]):
    def held_by(self, user: User) -> "EntryQuerySet":
        """Those that `user` holds beside registers, alone or as a representative.

        The organisations are read before, so that the indexes of both columns find the entries in a long list.
        """
        represented = list(organisations_of(user, [MemberRole.REPRESENTATIVE]))
        return self.filter(Q(person=user) | Q(organisation__in=represented))

    def with_places(self) -> "EntryQuerySet":
        """With what their pages and resources show."""
        return self.select_related("subnamespace__namespace", "register__namespace", "organisation", "person")


class Entry(models.Model):
    """An entry of a register: a sub-namespace directly below the NID or an outer entry, and who holds it. It is never deleted.

    `person` is who requested it, or who accepted it from its holder, alone or for an `organisation`. Without both, the holder of the
    register holds it: who registered it, or had it imported. The skeleton is that of its label; None if it was imported, and
    looked like another one. A sub-namespace that was imported further below has an entry, too, if it was the first one with its
    label.
    """

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="entries")
    subnamespace = models.OneToOneField(SubNamespace, on_delete=models.PROTECT, related_name="entry")
    skeleton = models.CharField(null=True, max_length=MAX_SKELETON, db_collation="C")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="register_entries"
    )
    # The address of the person who answers for it. Its holder and that of the register read it, and in requests, those who decide.
    contact = models.CharField(blank=True, max_length=MAX_ADDRESS_LENGTH, db_default="")
    # Instead of a person.
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, related_name="register_entries", db_index=False
    )

    # When the time to answer a recall ends, and when its holder answered one (`registry.registers.actions.recalls`).
    recall_ends_at = models.DateTimeField(null=True)
    kept_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Entry"]] = EntryQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint("register", "skeleton", name="one_entry_per_skeleton"),
            models.CheckConstraint(
                condition=Q(person=None) | Q(organisation=None), name="person_or_organisation_holds_an_entry"
            ),
            models.CheckConstraint(
                condition=Q(recall_ends_at=None, kept_at=None)
                | Q(person__isnull=False)
                | Q(organisation__isnull=False),
                name="recalled_entry_has_a_holder",
            ),
        ]
        indexes = [
            models.Index("register", "id", name="entries_by_register"),  # the newest
            models.Index(
                "organisation", name="entries_by_organisation", condition=Q(organisation__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"entry {self.subnamespace}"

    def get_absolute_url(self) -> str:
        return self.subnamespace.get_absolute_url()

    @property
    def content(self) -> Content:
        """What it says."""
        return self.subnamespace.value_of(self.register.namespace.nid)

    @property
    def controller(self) -> Controller:
        """Who holds it beside the register; unknown if the holder of the register does."""
        return Controller(self.person_id, self.organisation_id)

    @property
    def is_assigned(self) -> bool:
        """Whether it has a holder of its own, who can still act: not a person whose account was closed, not an organisation
        without representatives, and not one who did not answer a recall.
        """
        return not self.recall_is_unanswered and any(each.is_active for each in self.own_holders)

    @property
    def recall_is_unanswered(self) -> bool:
        """Whether its holder did not answer a recall in time."""
        return self.recall_ends_at is not None and self.recall_ends_at <= timezone.now()

    @property
    def held_by(self) -> str:
        """Who holds it, in words. A person is not named."""
        if self.organisation is not None:
            return self.organisation.name
        return "a person" if self.person_id else "the holder of the register"

    @property
    def name(self) -> str:
        """The URN with which its names begin."""
        return f"urn:{self.register.namespace.nid}:{self.subnamespace.prefix}"

    @property
    def holders(self) -> list[User]:
        """The people who act for it: its holder, or that of the register."""
        return self.own_holders if self.is_assigned else self.register.holders

    @cached_property
    def own_holders(self) -> list[User]:
        """The person who holds it beside the register, or the representatives of the organisation.

        Read once, as a page asks for each of its buttons. An action locks the entry, and reads it anew.
        """
        if self.organisation_id is not None:
            return list(members_of(self.organisation_id, [MemberRole.REPRESENTATIVE]))
        return [self.person] if self.person else []

    def is_with(self, user: User | AnonymousUser) -> bool:
        """Whether `user` holds it beside the register, also if they did not answer a recall."""
        return user.is_authenticated and any(each.pk == user.pk for each in self.own_holders)

    def is_held_by(self, user: User | AnonymousUser) -> bool:
        """Whether `user` holds it, or represents the organisation that does; without a holder of its own, holds the register.

        One whose account was closed still holds it, and so does an organisation without representatives. One who did not answer a
        recall does not, until they keep it.
        """
        if self.controller.is_known:
            return not self.recall_is_unanswered and self.is_with(user)
        return self.register.is_held_by(user)


class EntryOfferQuerySet(AddressedOfferQuerySet["EntryOffer"]):
    def visible_to(self, user: User) -> "EntryOfferQuerySet":
        """Offers to or by `user`, and of entries that they hold, those that wait and those that were made since they hold them.

        An earlier offer has the address of someone whom the holder of that time asked. The holder of the register sees those that
        wait, of entries without a holder who can act (`Entry.is_assigned`).
        """
        offers = self.alias(address=Lower("email"))
        accepted = EntryOffer.objects.filter(
            entry=OuterRef("entry"), is_accepted=True, pk__gte=OuterRef("pk")
        )
        own = is_held_directly(user, "entry__") & (Q(ended_at=None) | ~Exists(accepted))
        represented = Membership.objects.current().filter(
            organisation=OuterRef("entry__organisation"), part=MemberRole.REPRESENTATIVE
        )
        can_act = Q(entry__person__is_active=True) | Exists(represented)
        held = Register.objects.held_by(user).values("pk")
        is_unanswered = Q(entry__recall_ends_at__lte=timezone.now())
        with_register = Q(ended_at=None, entry__register__in=held) & (is_unanswered | ~can_act)
        return offers.filter(Q(offered_by=user) | is_offered_to(user) | own | with_register)

    def with_places(self) -> "EntryOfferQuerySet":
        """With what their pages and resources show."""
        return self.select_related(
            "offered_by",
            "entry__subnamespace",
            "entry__register__namespace",
            "entry__register__branch",
            "entry__organisation",
            "entry__person",
        )


class EntryOffer(AddressedOffer):
    """An offer of an entry, with all names below it, to another holder."""

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="offers")

    objects: ClassVar[models.Manager["EntryOffer"]] = EntryOfferQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("entry", condition=Q(ended_at=None), name="one_open_offer_per_entry"),
            models.CheckConstraint(
                condition=Q(is_accepted=False) | Q(ended_at__isnull=False),
                name="accepted_entry_offer_has_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} offered to {self.email}"

    def get_absolute_url(self) -> str:
        nid = self.entry.register.namespace.nid
        return reverse("registers:entry_offer", kwargs={"nid": nid, "entry": self.entry_id, "pk": self.pk})
