"""Response headers that protect visitors, in addition to those of Django and django-csp."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Browser features that no page uses.
UNUSED_FEATURES = (
    "accelerometer",
    "autoplay",
    "browsing-topics",
    "camera",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "geolocation",
    "gyroscope",
    "hid",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "usb",
    "xr-spatial-tracking",
)
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES)


class ResponseHeadersMiddleware:
    """Adds the headers. It is the first middleware, because others replace responses."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        # What scripts of other sites may read, their pages may also embed.
        is_shared = response.get("Access-Control-Allow-Origin") == "*"
        response["Cross-Origin-Resource-Policy"] = "cross-origin" if is_shared else "same-origin"
        if not is_shared:  # data for programs; the header would make the fast lookup slower
            response["Permissions-Policy"] = PERMISSIONS_POLICY
        if _has_read_session(request):
            response["Cache-Control"] = "private, no-store"
        return response


def _has_read_session(request: HttpRequest) -> bool:
    """Return whether the response may depend on a session, such as that of a signed-in user."""
    session = getattr(request, "session", None)
    return session is not None and session.accessed and not session.is_empty()
