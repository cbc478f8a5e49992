"""/admin/: the tables of the registry as Django's admin shows them, to administrators, and to be read only.

Whatever may change does so by an action, on the pages; so nothing is added, changed or deleted here. What the
pages keep from administrators is kept here too: drafts, the words of mails, whatever lets somebody in.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse_lazy
from django.utils.functional import cached_property

from registry.accounts.models import Body, Role, RoleName, Token, User
from registry.desk.models import Absence, Holding, Reminder
from registry.errors import NotForYou
from registry.mail.models import Message
from registry.namespaces.models import InformalCounter, Namespace, Revision, RulesVersion, Transfer
from registry.publication.models import IanaRecord, IanaRegistry, OriginalText
from registry.record.models import Event, Head
from registry.registrations.models import (
    ActionPoint,
    CoEditor,
    Comment,
    Recusal,
    Registration,
    Review,
    Submission,
    known_bodies,
)

if TYPE_CHECKING:
    _Paginator = Paginator[Any]
    _ModelAdmin = admin.ModelAdmin[Model]
else:
    _Paginator, _ModelAdmin = Paginator, admin.ModelAdmin

MOST_COUNTED = 1_000


class Tables(admin.AdminSite):
    """Django's admin for people who hold the role of an administrator, whatever their account says besides."""

    site_header = site_title = "Tables of the registry"
    index_title = "Tables"
    site_url = "/desk/"
    enable_nav_sidebar = False
    final_catch_all_view = False

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return isinstance(user, User) and user.is_active and RoleName.ADMINISTRATOR in user.roles

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Who may not see it finds nothing here; strangers were sent to sign in before."""
        inner = super().admin_view(view, cacheable)

        def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not self.has_permission(request):
                raise NotForYou("The tables are for administrators.")
            found: HttpResponse = inner(request, *args, **kwargs)
            return found

        return shown

    def get_urls(self) -> list[Any]:
        """Signing in and out, and passwords, have pages of their own, to which strangers are led."""
        elsewhere = {"login", "logout", "password_change", "password_change_done"}
        found = [each for each in super().get_urls() if getattr(each, "name", None) not in elsewhere]
        for each in found:
            if isinstance(each, URLPattern):
                vars(each.callback)["login_url"] = reverse_lazy("account_login")
        return found


class CountedSoFar(_Paginator):
    """Counts no further than a list is read: beyond that, one searches."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[:MOST_COUNTED].count())


class ReadOnly(_ModelAdmin):
    """Rows to be read. `hidden` are the fields that say more than a page would."""

    hidden: ClassVar[frozenset[str]] = frozenset()
    # Read row by row only: too long for a list.
    long: ClassVar[tuple[str, ...]] = ()
    paginator = CountedSoFar
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    actions = None
    list_select_related: ClassVar[bool | tuple[str, ...]] = True
    ordering: ClassVar[tuple[str, ...]] = ("-pk",)

    def get_urls(self) -> list[URLPattern]:
        """The list and its rows: adding, deleting and the admin's own journal have no address."""
        return [each for each in super().get_urls() if str(each.name).endswith(("_changelist", "_change"))]

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.admin_site.has_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        rows = super().get_queryset(request)
        return rows.defer(*self.long, *self.hidden) if self.long or self.hidden else rows

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        return [field.name for field in self.opts.concrete_fields if field.name not in self.hidden]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        return self.get_fields(request, obj)


class OfPublicCases(ReadOnly):
    """What belongs to cases: a draft is seen by its editors alone."""

    to_case: ClassVar[str] = "registration"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        public = Registration.objects.public().filter(pk=OuterRef(self.to_case))
        return super().get_queryset(request).filter(Exists(public))


class Cases(OfPublicCases):
    to_case = "pk"
    hidden = frozenset({"draft", "draft_answers", "draft_stamp", "draft_saved_at"})
    list_display = ("pk", "requested_nid", "kind", "procedure", "state", "state_since", "registrant", "body")
    list_select_related = ("registrant", "body")
    list_filter = ("state", "kind", "procedure")
    search_fields = ("=pk", "=requested_nid")


class Rounds(OfPublicCases):
    list_display = ("pk", "registration_id", "round", "submitted_by", "submitted_at")
    list_select_related = ("submitted_by",)
    search_fields = ("=registration__pk",)
    long = ("content", "text")


class Reviews(ReadOnly):
    list_display = ("pk", "submission", "expert", "verdict", "at")
    list_select_related = ("submission", "expert")
    list_filter = ("verdict",)
    long = ("submission__content", "submission__text")


class ActionPoints(ReadOnly):
    list_display = ("pk", "review_id", "section", "text")
    list_select_related = False


class Comments(ReadOnly):
    list_display = ("pk", "submission_id", "author", "section", "at")
    list_select_related = ("author",)


class CoEditors(OfPublicCases):
    list_display = ("pk", "registration_id", "user", "has_written")
    list_select_related = ("user",)


class Recusals(OfPublicCases):
    list_display = ("pk", "registration_id", "user", "at")
    list_select_related = ("user",)


class Accounts(ReadOnly):
    hidden = frozenset({"password"})
    list_display = ("pk", "email", "name", "is_active", "date_joined", "last_login")
    list_filter = ("is_active",)
    search_fields = ("=email", "=name")


class Roles(ReadOnly):
    list_display = ("pk", "user", "name", "granted_at")
    list_filter = ("name",)


class Tokens(ReadOnly):
    hidden = frozenset({"digest"})
    list_display = ("pk", "owner", "name", "scopes", "expires_at", "last_used_at", "revoked_at")
    list_select_related = ("owner",)


class BodiesTable(ReadOnly):
    list_display = ("pk", "name", "recognition", "recognition_reference")
    list_filter = ("recognition",)
    search_fields = ("=name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).filter(pk__in=known_bodies().order_by().values("pk"))


class Namespaces(ReadOnly):
    list_display = ("nid", "kind", "registrant", "holder", "registered_on", "updated_on", "deprecated_at")
    list_select_related = ("registrant",)
    list_filter = ("kind",)
    search_fields = ("=nid",)


class Revisions(ReadOnly):
    list_display = ("pk", "namespace", "version", "origin")
    list_select_related = ("namespace",)
    search_fields = ("=namespace__nid",)
    long = ("content", "text")


class RulesVersions(ReadOnly):
    list_display = ("pk", "namespace", "version", "nss_pattern", "set_by", "set_at")
    list_select_related = ("namespace", "set_by")
    search_fields = ("=namespace__nid",)
    long = ("basis",)


class Transfers(ReadOnly):
    list_display = ("pk", "namespace", "offered_by", "to", "offered_at", "ended_at", "is_accepted")


class Events(ReadOnly):
    list_display = ("number", "at", "actor", "verb", "registration_number", "nid", "from_state", "to_state")
    list_select_related = ("actor",)
    search_fields = ("=number", "=nid", "=registration_number")


class Mails(ReadOnly):
    # Some mails let whoever reads them into an account, and some tell of drafts.
    hidden = frozenset({"body", "subject"})
    list_display = ("pk", "name", "to", "created_at", "attempts", "sent_at")


class Originals(ReadOnly):
    list_display = ("pk", "revision", "file", "form")
    list_select_related = ("revision__namespace",)
    long = ("text", "revision__content", "revision__text")


class IanaRecords(ReadOnly):
    list_display = ("nid", "kind", "as_of", "vanished_on", "date", "updated")
    list_select_related = False
    search_fields = ("=nid",)


class Plain(ReadOnly):
    """A table that needs no more than to be there."""


class OfHoldings(OfPublicCases):
    list_display = ("pk", "registration_id", "person", "since", "ended_at")
    list_select_related = ("person",)


class OfReminders(OfPublicCases):
    list_display = ("pk", "registration_id", "kind", "state_since", "at")
    list_select_related = False


class OfAbsences(ReadOnly):
    list_display = ("pk", "person", "first_day", "last_day")


SHOWN: dict[type[Model], type[ReadOnly]] = {
    Registration: Cases,
    Submission: Rounds,
    Review: Reviews,
    ActionPoint: ActionPoints,
    Comment: Comments,
    CoEditor: CoEditors,
    Recusal: Recusals,
    User: Accounts,
    Role: Roles,
    Token: Tokens,
    Body: BodiesTable,
    Namespace: Namespaces,
    Revision: Revisions,
    RulesVersion: RulesVersions,
    Transfer: Transfers,
    InformalCounter: Plain,
    Event: Events,
    Head: Plain,
    Message: Mails,
    OriginalText: Originals,
    IanaRecord: IanaRecords,
    IanaRegistry: Plain,
    Holding: OfHoldings,
    Reminder: OfReminders,
    Absence: OfAbsences,
}
tables = Tables(name="admin")
for model, shown_as in SHOWN.items():
    tables.register(model, shown_as)
