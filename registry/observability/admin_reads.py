"""The log of what administrators read at /admin/: one line of JSON on standard output for each request.

It names the account, unlike the access log; the request ID joins the two. The audit log is public, so it does not
contain these lines.
"""

from time import time

from django.http import HttpRequest

from registry.observability.access_log import parameter_names, timestamp, to_json, write_out
from registry.observability.logs import loggable_path


def log_admin_read(request: HttpRequest) -> None:
    """Log one request of a signed-in administrator, before it is answered."""
    line = {
        "time": timestamp(time()),
        "event": "admin_read",
        "request_id": request.META.get("registry.request_id", ""),
        "account": request.user.pk,
        "method": str(request.method),
        "path": loggable_path(request.path),
        "query": parameter_names(request.META.get("QUERY_STRING", "")),
    }
    write_out([f"{to_json(line)}\n".encode()])
