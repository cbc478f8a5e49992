"""/inbox/: all that waits for a person, with filters."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any

from django import forms
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.accounts.waiting import KINDS, SORTS, count_waiting, items_of, keep_count, waiting_rows
from registry.core.pagination import Page, Span

PAGE_SIZE = 50
MAX_WORDS = 200  # characters
MOST_WORDS = 10  # as in the search of namespaces (`namespaces_asked`): each is a condition on each kind
SOON = timedelta(days=7)
MAX_OFFSET_DIGITS = 6
DEFAULT_SORT = "due"


class InboxFilter(forms.Form):
    """What to show of the inbox, and in which order."""

    q = forms.CharField(required=False, label="Words", max_length=MAX_WORDS, widget=forms.SearchInput())
    kind = forms.ChoiceField(required=False, label="Kind")
    due = forms.ChoiceField(
        required=False,
        label="Due",
        choices=[
            ("", "At any time"),
            ("overdue", "Overdue"),
            ("soon", "Within 7 days"),
            ("never", "Without a date"),
        ],
    )
    whose = forms.ChoiceField(
        required=False,
        label="Whose",
        choices=[("", "All"), ("mine", "Only mine"), ("unclaimed", "Not assigned")],
    )
    nid = forms.CharField(required=False, label="NID", max_length=64)
    person = forms.CharField(required=False, label="From", max_length=MAX_WORDS)
    sort = forms.ChoiceField(
        required=False,
        label="Order",
        choices=[
            (DEFAULT_SORT, "Due first"),
            ("oldest", "Longest waiting"),
            ("newest", "Newest"),
            ("nid", "By NID"),
        ],
    )

    def __init__(self, *given: Any, by: User) -> None:
        super().__init__(*given)
        self.by = by
        labels = ((each.name, each.label) for each in KINDS.values())
        self.fields["kind"].choices = [("", "All kinds"), *labels]  # type: ignore[attr-defined]

    @property
    def is_filtered(self) -> bool:
        return any(value for name, value in self.cleaned_data.items() if name != "sort")

    def rows(self) -> Any:
        """The rows that the valid filters leave, in the chosen order."""
        chosen = {name: self.cleaned_data.get(name, "") for name in self.fields}
        only = self._is_due(chosen["due"]) & self._is_of(chosen["whose"])
        for column in ("nid", "person"):
            if value := chosen[column].strip():
                only &= Q((f"inbox_{column}__icontains", value))
        kinds = [chosen["kind"]] if chosen["kind"] else []
        words = list(dict.fromkeys(chosen["q"].lower().split()))[:MOST_WORDS]
        rows = waiting_rows(self.by, only, kinds, words)
        return rows.order_by(*SORTS[chosen["sort"] or DEFAULT_SORT])

    def _is_due(self, due: str) -> Q:
        now = timezone.now()
        return {
            "": Q(),
            "overdue": Q(inbox_due__lt=now),
            "soon": Q(inbox_due__range=(now, now + SOON)),
            "never": Q(inbox_due=None),
        }[due]

    def _is_of(self, whose: str) -> Q:
        return {"": Q(), "mine": Q(inbox_assignee=self.by.pk), "unclaimed": Q(inbox_assignee=None)}[whose]


@require_safe
def inbox(request: SignedInRequest) -> HttpResponse:
    """One page of all that waits for the user."""
    form = InboxFilter(request.GET, by=request.user)
    is_valid = form.is_valid()
    is_filtered = form.is_filtered or not is_valid
    rows = form.rows()
    count = rows.count if is_filtered else partial(count_waiting, request.user)
    page, total = _page(rows, count, request.GET.get("after", ""), request.user)
    if not is_filtered and not page.is_later:
        # The header says the same.
        keep_count(request.user, total)
    context = {"form": form, "page": page, "total": total, "is_filtered": is_filtered}
    context["here"] = request.get_full_path()
    return render(
        request, "accounts/inbox.html", context, status=HTTPStatus.OK if is_valid else HTTPStatus.BAD_REQUEST
    )


def _page(rows: Any, count: Callable[[], int], after: str, user: User) -> tuple[Page[Any], int]:
    """Up to PAGE_SIZE items after a number of rows, and the number of all: rows of several tables have no key in common."""
    offset = int(after) if after.isdecimal() and len(after) <= MAX_OFFSET_DIGITS else 0
    found = list(rows[offset : offset + PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    further = str(offset + PAGE_SIZE) if len(found) > PAGE_SIZE else ""
    # The last page that has rows, and an empty inbox, need no count.
    total = count() if further or (offset and not shown) else offset + len(shown)
    place = Span(offset, len(shown), total)
    return Page(items_of(shown, user), further, offset > 0, span=(lambda: place) if shown else None), total
