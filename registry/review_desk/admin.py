"""The read-only admin site of the tables, at /admin/, for administrators.

Data changes only by actions on the pages, so nothing can be added, changed or deleted here. Data that the pages
hide from administrators is hidden here too: rows by what their model declares (`registry.core.reading`), and as hidden
fields the content of drafts and mails, and secrets. The string of a row, which its page shows, must not use a hidden
field either.
"""

from django.contrib import admin
from django.db.models import Model, QuerySet

from registry.accounts.models import Body, Role, Token, User
from registry.audit_log.models import ChainHead, Event, SignedHead
from registry.cases.models import ActionPoint, Case, CoEditor, Comment, Recusal, Review, Round, known_bodies
from registry.custody.history import private_events as private_events_of_custody
from registry.custody.models import NamespaceClaim, NamespaceContact
from registry.domains.models import OrganisationDomain
from registry.mail.models import BouncedAddress, Message
from registry.namespaces.history import event_types as namespace_events
from registry.namespaces.models import InformalCounter, Namespace, ProfileVersion, Revision, Transfer
from registry.organisations.history import event_types as organisation_events
from registry.organisations.models import Membership, Organisation
from registry.publication.models import IanaRecord, IanaRegistry, OriginalText
from registry.registers.actions.registers import NAME_REVIEWER, REMOVE_REVIEWER
from registry.resolution.models import ConfirmedHost, ServiceHealth
from registry.review_desk.models import Absence, CaseAssignment, Reminder
from registry.review_desk.read_only_admin import ReadOnlyAdminSite, ReadOnlyModelAdmin
from registry.sightings.models import Sighting

admin_site = ReadOnlyAdminSite(name="admin")


class OfCaseModelAdmin(ReadOnlyModelAdmin):
    """Rows that belong to public cases; drafts are visible to their editors only."""

    def readable_by(self, user: User) -> QuerySet[Model]:
        return super().readable_by(user).filter(case__in=Case.objects.public().values("pk"))


@admin.register(Case, site=admin_site)
class CaseAdmin(ReadOnlyModelAdmin):
    hidden = frozenset({"draft", "draft_profile", "draft_replies", "draft_stamp", "draft_saved_at"})
    list_display = (
        "pk",
        "requested_nid",
        "kind",
        "procedure",
        "state",
        "state_since",
        "registrant",
        "organisation",
    )
    list_select_related = ("registrant", "organisation")
    list_filter = ("state", "kind", "procedure")
    search_fields = ("=pk", "=requested_nid")

    def readable_by(self, user: User) -> QuerySet[Model]:
        return Case.objects.public()


@admin.register(Round, site=admin_site)
class RoundAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "case_id", "number", "submitted_by", "submitted_at")
    list_select_related = ("submitted_by",)
    search_fields = ("=case__pk",)
    long = ("content", "text", "profile")


@admin.register(Review, site=admin_site)
class ReviewAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "round", "expert", "verdict", "at")
    list_select_related = ("round", "expert")
    list_filter = ("verdict",)
    long = ("round__content", "round__text")


@admin.register(ActionPoint, site=admin_site)
class ActionPointAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "review_id", "section", "text")


@admin.register(Comment, site=admin_site)
class CommentAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "round_id", "author", "section", "at")
    list_select_related = ("author",)


@admin.register(CoEditor, site=admin_site)
class CoEditorAdmin(OfCaseModelAdmin):
    list_display = ("pk", "case_id", "user", "has_written")
    list_select_related = ("user",)


@admin.register(Recusal, site=admin_site)
class RecusalAdmin(OfCaseModelAdmin):
    list_display = ("pk", "case_id", "user", "at")
    list_select_related = ("user",)


@admin.register(User, site=admin_site)
class UserAdmin(ReadOnlyModelAdmin):
    hidden = frozenset({"password"})
    list_display = ("pk", "email", "name", "is_active", "date_joined", "last_login")
    list_filter = ("is_active",)
    search_fields = ("=email", "=name")


@admin.register(Role, site=admin_site)
class RoleAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "user", "name", "granted_at")
    list_select_related = ("user",)
    list_filter = ("name",)


@admin.register(Token, site=admin_site)
class TokenAdmin(ReadOnlyModelAdmin):
    hidden = frozenset({"digest"})
    list_display = (
        "pk",
        "owner",
        "name",
        "scopes",
        "requests_an_hour",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )
    list_select_related = ("owner",)


@admin.register(Body, site=admin_site)
class BodyAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "name", "recognition", "recognition_reference")
    list_filter = ("recognition",)
    search_fields = ("=name",)

    def readable_by(self, user: User) -> QuerySet[Model]:
        return known_bodies()


@admin.register(Namespace, site=admin_site)
class NamespaceAdmin(ReadOnlyModelAdmin):
    list_display = ("nid", "kind", "registrant", "organisation", "holder", "registered_on", "deprecated_at")
    list_select_related = ("registrant", "organisation")
    list_filter = ("kind",)
    search_fields = ("=nid",)


@admin.register(Revision, site=admin_site)
class RevisionAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "version", "origin")
    list_select_related = ("namespace",)
    search_fields = ("=namespace__nid",)
    long = ("content", "text")


@admin.register(ProfileVersion, site=admin_site)
class ProfileVersionAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "version", "set_by", "set_at")
    list_select_related = ("namespace", "set_by")
    search_fields = ("=namespace__nid",)
    long = ("content", "basis")


@admin.register(ConfirmedHost, site=admin_site)
class ConfirmedHostAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "host", "basis", "confirmed_by", "confirmed_at")
    list_select_related = ("namespace", "confirmed_by")
    search_fields = ("=namespace__nid", "=host")
    long = ("evidence",)


@admin.register(ServiceHealth, site=admin_site)
class ServiceHealthAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "template", "state", "checked_at")
    list_select_related = ("namespace",)
    list_filter = ("state",)
    search_fields = ("=namespace__nid",)


@admin.register(Transfer, site=admin_site)
class TransferAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "offered_by", "email", "offered_at", "ended_at", "is_accepted")
    list_select_related = ("namespace", "offered_by")


@admin.register(NamespaceClaim, site=admin_site)
class NamespaceClaimAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "claimant", "status", "claimed_at", "ended_at")
    list_select_related = ("namespace", "claimant")
    list_filter = ("status",)
    search_fields = ("=namespace__nid",)
    long = ("statement",)

    def readable_by(self, user: User) -> QuerySet[Model]:
        return NamespaceClaim.objects.with_evidence_for(user)


@admin.register(Sighting, site=admin_site)
class SightingAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "nid", "used_by", "source", "state", "reported_by", "decided_by")
    list_select_related = ("reported_by", "decided_by")
    list_filter = ("state",)
    search_fields = ("=nid",)


@admin.register(NamespaceContact, site=admin_site)
class NamespaceContactAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "name", "email", "confirmed_at", "unverified_since")
    list_select_related = ("namespace",)
    search_fields = ("=namespace__nid", "=email")


@admin.register(Organisation, site=admin_site)
class OrganisationAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "name", "homepage", "created_at")
    search_fields = ("=pk",)


@admin.register(Membership, site=admin_site)
class MembershipAdmin(ReadOnlyModelAdmin):
    view_on_site = False  # only representatives see the pages of others
    list_display = ("pk", "organisation", "user", "part", "began_at", "ended_at")
    list_select_related = ("organisation", "user")
    list_filter = ("part",)


@admin.register(Event, site=admin_site)
class EventAdmin(ReadOnlyModelAdmin):
    list_display = ("number", "at", "actor", "verb", "case_number", "nid", "from_state", "to_state")
    # With a salt, a guess of what a public leaf hides could be confirmed.
    hidden = frozenset({"salts"})
    list_select_related = ("actor",)
    search_fields = ("=number", "=nid", "=case_number")

    def readable_by(self, user: User) -> QuerySet[Model]:
        """Without those that only the people concerned see on pages: of organisations, claims and reviewers of registers."""
        private = (organisation_events().keys() - namespace_events().keys()) | private_events_of_custody()
        return (
            super().readable_by(user).exclude(verb__in=[*private, NAME_REVIEWER.name, REMOVE_REVIEWER.name])
        )


@admin.register(SignedHead, site=admin_site)
class SignedHeadAdmin(ReadOnlyModelAdmin):
    list_display = ("size", "published_at")
    search_fields = ("=size",)


@admin.register(Message, site=admin_site)
class MessageAdmin(ReadOnlyModelAdmin):
    # Some mails contain sign-in links, and some mention drafts.
    hidden = frozenset({"body", "subject"})
    list_display = ("pk", "name", "to", "created_at", "attempts", "sent_at")


@admin.register(OrganisationDomain, site=admin_site)
class OrganisationDomainAdmin(ReadOnlyModelAdmin):
    view_on_site = False  # only representatives see the page
    list_display = ("domain", "organisation", "verified_at", "failing_since", "checked_at")
    list_select_related = ("organisation",)
    search_fields = ("=domain",)


@admin.register(BouncedAddress, site=admin_site)
class BouncedAddressAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "address", "bounced_at", "reason")
    search_fields = ("=address",)


@admin.register(OriginalText, site=admin_site)
class OriginalTextAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "revision", "file", "form")
    list_select_related = ("revision__namespace",)
    long = ("text", "revision__content", "revision__text")


@admin.register(IanaRecord, site=admin_site)
class IanaRecordAdmin(ReadOnlyModelAdmin):
    list_display = ("nid", "kind", "as_of", "removed_on", "date", "updated")
    search_fields = ("=nid",)


@admin.register(InformalCounter, ChainHead, IanaRegistry, site=admin_site)
class DefaultAdmin(ReadOnlyModelAdmin):
    """The admin of tables without special settings."""


@admin.register(CaseAssignment, site=admin_site)
class CaseAssignmentAdmin(OfCaseModelAdmin):
    list_display = ("pk", "case_id", "person", "assigned_at", "released_at")
    list_select_related = ("person",)


@admin.register(Reminder, site=admin_site)
class ReminderAdmin(OfCaseModelAdmin):
    list_display = ("pk", "case_id", "kind", "state_since", "at")


@admin.register(Absence, site=admin_site)
class AbsenceAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "person", "first_day", "last_day")
    list_select_related = ("person",)
