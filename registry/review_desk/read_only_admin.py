"""A read-only admin site: its site class and the base classes of its tables.

Columns are closed by default: a query parameter filters only by the exact value of a field that the table declares
in `list_filter` or `search_fields`. Every request of an administrator is logged.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse_lazy
from django.utils.functional import cached_property
from django.views.decorators.http import require_safe

from registry.accounts.models import RoleName, User
from registry.core.exceptions import NotPermitted
from registry.core.reading import declares_readers, readable_by
from registry.observability.access_log import log_admin_read

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
        inner = require_safe(super().admin_view(view, cacheable))

        def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not self.has_permission(request):
                raise NotPermitted("The tables are for administrators.")
            log_admin_read(request)
            found: HttpResponse = inner(request, *args, **kwargs)
            return found

        return shown

    def get_urls(self) -> list[Any]:
        """Leave out sign-in, sign-out and password changes, which have other pages, and what only forms use."""
        elsewhere = {"login", "logout", "password_change", "password_change_done", "autocomplete"}
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
    """A read-only admin. `hidden` are fields that the admin never reads, shows, filters or orders by."""

    hidden: ClassVar[frozenset[str]] = frozenset()
    # Long fields, which lists do not read.
    long: ClassVar[tuple[str, ...]] = ()
    paginator = CappedCountPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    actions = None
    list_select_related: ClassVar[bool | tuple[str, ...]] = False
    ordering: ClassVar[tuple[str, ...]] = ("-pk",)

    def get_urls(self) -> list[URLPattern]:
        """Return the URLs of the list and of its rows, without those to add, delete or show the history."""
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

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow the exact values of declared fields. Django allows every lookup of every column of the table."""
        filters = {f"{name}{suffix}" for name in self.list_filter for suffix in ("", "__exact", "__isnull")}
        searched = {name.removeprefix("=") for name in self.search_fields}
        return lookup in filters | searched

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        return to_field == self.opts.pk.name

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """Find the row by its key alone: Django takes an empty `_to_field` for a field."""
        return super().get_object(request, object_id)

    def readable_by(self, user: User) -> QuerySet[Model]:
        """The rows that `user` may read with all columns that are not hidden.

        Of a model that does not declare its readers, administrators read every row: a table of which they may not overrides this,
        hides columns, or is not registered.
        """
        return (
            readable_by(user, self.model)
            if declares_readers(self.model)
            else self.model._default_manager.all()
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        rows = self.readable_by(cast("User", request.user)).order_by(*self.get_ordering(request))
        return rows.defer(*self.long, *self.hidden, *self._hidden_in_related())

    def _hidden_in_related(self) -> Iterator[str]:
        """Yield the hidden fields of the tables that this one refers to, because lists join them."""
        for field in self.opts.concrete_fields:
            if isinstance(field.related_model, type):
                related = self.admin_site._registry.get(field.related_model)
                yield from (f"{field.name}__{hidden}" for hidden in getattr(related, "hidden", ()))

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        return [field.name for field in self.opts.concrete_fields if field.name not in self.hidden]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        return self.get_fields(request, obj)
