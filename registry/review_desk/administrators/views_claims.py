"""/desk/claims/: the claims of namespaces that wait for administrators."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.roles import check_is_administrator
from registry.core.pagination import Keyset
from registry.custody.queries import undecided_claims

PAGE_SIZE = 50
OLDEST_FIRST = Keyset("pk")


@require_safe
def namespace_claims(request: SignedInRequest) -> HttpResponse:
    check_is_administrator(request.user)
    page = OLDEST_FIRST.page(undecided_claims(request.user), request.GET.get("after", ""), PAGE_SIZE)
    return render(request, "review_desk/administrators/claims.html", {"page": page})
