"""The read-only admin site of the tables, at /admin/, for administrators.

Data changes only by actions on the pages, so nothing can be added, changed or deleted here. Data that the pages
hide from administrators is hidden here too: drafts, the content of mails, secrets.
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
    """Django's admin site for users with the administrator role; `is_staff` is ignored."""

    site_header = site_title = "Tables of the registry"
    index_title = "Tables"
    site_url = "/desk/"
    enable_nav_sidebar = False
    final_catch_all_view = False

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return isinstance(user, User) and user.is_active and RoleName.ADMINISTRATOR in user.roles

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Return 404 for users without permission; strangers have already been redirected to sign in."""
        inner = super().admin_view(view, cacheable)

        def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not self.has_permission(request):
                raise NotPermitted("The tables are for administrators.")
            found: HttpResponse = inner(request, *args, **kwargs)
            return found

        return shown

    def get_urls(self) -> list[Any]:
        """Leave out sign-in, sign-out and password changes, which have pages elsewhere."""
        elsewhere = {"login", "logout", "password_change", "password_change_done"}
        found = [each for each in super().get_urls() if getattr(each, "name", None) not in elsewhere]
        for each in found:
            if isinstance(each, URLPattern):
                vars(each.callback)["login_url"] = reverse_lazy("account_login")
        return found


class CappedCountPaginator(_Paginator):
    """A paginator that stops counting at a limit."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[:MAX_COUNT].count())


class ReadOnlyModelAdmin(_ModelAdmin):
    """A read-only admin. `hidden` are fields that the pages do not show to administrators."""

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
        """Return the URLs of the list and of its rows; there are none to add, delete or show the history."""
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
    """Rows that belong to public cases; drafts are visible to their editors only."""

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
    """The admin of tables without special settings."""


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
