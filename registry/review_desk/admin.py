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
from registry.audit_log.models import ChainHead, Event
from registry.cases.models import ActionPoint, Case, CoEditor, Comment, Recusal, Review, Round, known_bodies
from registry.core.exceptions import NotPermitted
from registry.mail.models import Message
from registry.namespaces.models import InformalCounter, Namespace, Revision, RulesVersion, Transfer
from registry.publication.models import IanaRecord, IanaRegistry, OriginalText
from registry.review_desk.models import Absence, Claim, Reminder

if TYPE_CHECKING:
    _Paginator = Paginator[Any]
    _ModelAdmin = admin.ModelAdmin[Model]
else:
    _Paginator, _ModelAdmin = Paginator, admin.ModelAdmin

MAX_COUNT = 1_000


class ReadOnlyAdminSite(admin.AdminSite):
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
                raise NotPermitted("The tables are for administrators.")
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


class CappedCountPaginator(_Paginator):
    """Counts no further than a list is read: beyond that, one searches."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[:MAX_COUNT].count())


class ReadOnlyModelAdmin(_ModelAdmin):
    """Rows to be read. `hidden` are the fields that say more than a page would."""

    hidden: ClassVar[frozenset[str]] = frozenset()
    # Read row by row only: too long for a list.
    long: ClassVar[tuple[str, ...]] = ()
    paginator = CappedCountPaginator
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


class PublicCaseModelAdmin(ReadOnlyModelAdmin):
    """What belongs to cases: a draft is seen by its editors alone."""

    to_case: ClassVar[str] = "case"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        public = Case.objects.public().filter(pk=OuterRef(self.to_case))
        return super().get_queryset(request).filter(Exists(public))


class CaseAdmin(PublicCaseModelAdmin):
    to_case = "pk"
    hidden = frozenset({"draft", "draft_replies", "draft_stamp", "draft_saved_at"})
    list_display = ("pk", "requested_nid", "kind", "procedure", "state", "state_since", "registrant", "body")
    list_select_related = ("registrant", "body")
    list_filter = ("state", "kind", "procedure")
    search_fields = ("=pk", "=requested_nid")


class RoundAdmin(PublicCaseModelAdmin):
    list_display = ("pk", "case_id", "number", "submitted_by", "submitted_at")
    list_select_related = ("submitted_by",)
    search_fields = ("=case__pk",)
    long = ("content", "text")


class ReviewAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "round", "expert", "verdict", "at")
    list_select_related = ("round", "expert")
    list_filter = ("verdict",)
    long = ("round__content", "round__text")


class ActionPointAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "review_id", "section", "text")
    list_select_related = False


class CommentAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "round_id", "author", "section", "at")
    list_select_related = ("author",)


class CoEditorAdmin(PublicCaseModelAdmin):
    list_display = ("pk", "case_id", "user", "has_written")
    list_select_related = ("user",)


class RecusalAdmin(PublicCaseModelAdmin):
    list_display = ("pk", "case_id", "user", "at")
    list_select_related = ("user",)


class UserAdmin(ReadOnlyModelAdmin):
    hidden = frozenset({"password"})
    list_display = ("pk", "email", "name", "is_active", "date_joined", "last_login")
    list_filter = ("is_active",)
    search_fields = ("=email", "=name")


class RoleAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "user", "name", "granted_at")
    list_filter = ("name",)


class TokenAdmin(ReadOnlyModelAdmin):
    hidden = frozenset({"digest"})
    list_display = ("pk", "owner", "name", "scopes", "expires_at", "last_used_at", "revoked_at")
    list_select_related = ("owner",)


class BodyAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "name", "recognition", "recognition_reference")
    list_filter = ("recognition",)
    search_fields = ("=name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).filter(pk__in=known_bodies().order_by().values("pk"))


class NamespaceAdmin(ReadOnlyModelAdmin):
    list_display = ("nid", "kind", "registrant", "holder", "registered_on", "updated_on", "deprecated_at")
    list_select_related = ("registrant",)
    list_filter = ("kind",)
    search_fields = ("=nid",)


class RevisionAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "version", "origin")
    list_select_related = ("namespace",)
    search_fields = ("=namespace__nid",)
    long = ("content", "text")


class RulesVersionAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "version", "nss_pattern", "set_by", "set_at")
    list_select_related = ("namespace", "set_by")
    search_fields = ("=namespace__nid",)
    long = ("basis",)


class TransferAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "namespace", "offered_by", "to", "offered_at", "ended_at", "is_accepted")


class EventAdmin(ReadOnlyModelAdmin):
    list_display = ("number", "at", "actor", "verb", "case_number", "nid", "from_state", "to_state")
    list_select_related = ("actor",)
    search_fields = ("=number", "=nid", "=case_number")


class MessageAdmin(ReadOnlyModelAdmin):
    # Some mails let whoever reads them into an account, and some tell of drafts.
    hidden = frozenset({"body", "subject"})
    list_display = ("pk", "name", "to", "created_at", "attempts", "sent_at")


class OriginalTextAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "revision", "file", "form")
    list_select_related = ("revision__namespace",)
    long = ("text", "revision__content", "revision__text")


class IanaRecordAdmin(ReadOnlyModelAdmin):
    list_display = ("nid", "kind", "as_of", "removed_on", "date", "updated")
    list_select_related = False
    search_fields = ("=nid",)


class DefaultAdmin(ReadOnlyModelAdmin):
    """A table that needs no more than to be there."""


class ClaimAdmin(PublicCaseModelAdmin):
    list_display = ("pk", "case_id", "person", "claimed_at", "released_at")
    list_select_related = ("person",)


class ReminderAdmin(PublicCaseModelAdmin):
    list_display = ("pk", "case_id", "kind", "state_since", "at")
    list_select_related = False


class AbsenceAdmin(ReadOnlyModelAdmin):
    list_display = ("pk", "person", "first_day", "last_day")


ADMIN_CLASSES: dict[type[Model], type[ReadOnlyModelAdmin]] = {
    Case: CaseAdmin,
    Round: RoundAdmin,
    Review: ReviewAdmin,
    ActionPoint: ActionPointAdmin,
    Comment: CommentAdmin,
    CoEditor: CoEditorAdmin,
    Recusal: RecusalAdmin,
    User: UserAdmin,
    Role: RoleAdmin,
    Token: TokenAdmin,
    Body: BodyAdmin,
    Namespace: NamespaceAdmin,
    Revision: RevisionAdmin,
    RulesVersion: RulesVersionAdmin,
    Transfer: TransferAdmin,
    InformalCounter: DefaultAdmin,
    Event: EventAdmin,
    ChainHead: DefaultAdmin,
    Message: MessageAdmin,
    OriginalText: OriginalTextAdmin,
    IanaRecord: IanaRecordAdmin,
    IanaRegistry: DefaultAdmin,
    Claim: ClaimAdmin,
    Reminder: ReminderAdmin,
    Absence: AbsenceAdmin,
}
admin_site = ReadOnlyAdminSite(name="admin")
for model, admin_class in ADMIN_CLASSES.items():
    admin_site.register(model, admin_class)
