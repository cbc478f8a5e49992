"""Health of a web process, for load balancers and monitoring."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Return 200 if the database responds, otherwise 503."""
    headers = {"Cache-Control": "no-store"}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (OperationalError, InterfaceError):
        text, status = "The database does not respond.\n", HTTPStatus.SERVICE_UNAVAILABLE
        return HttpResponse(text, "text/plain", status, headers=headers | {"Retry-After": "5"})
    return HttpResponse("ok\n", "text/plain", headers=headers)
