"""Response headers that protect visitors, in addition to those of Django and django-csp, and validators of pages."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from registry.core.http.conditional import apply_conditions, body_etag

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
        if isinstance(response, HttpResponse) and _is_page(request, response):
            return _validated(request, response)
        return response


def _is_page(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether this is a page without a rule for caches."""
    return (
        request.method in ("GET", "HEAD")
        and response.status_code == HTTPStatus.OK
        and response["Content-Type"].startswith("text/html")
        and not response.has_header("Cache-Control")
    )


def _validated(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """The page with its ETag, or 304. If-Modified-Since is ignored, because a page depends on more than Last-Modified
    tells, such as the health of services. With a cookie, a page can have a form with a token, and is not shared.
    """
    if request.COOKIES or response.cookies:
        response["Cache-Control"] = "private, no-cache"
        return response
    response["Cache-Control"] = "public, no-cache"
    response["ETag"] = etag = body_etag(response.content)
    validated = apply_conditions(request, response, etag)
    if validated.status_code == HTTPStatus.PRECONDITION_FAILED:  # made anew, without the headers of the page
        for name in response.headers.keys() - {"Content-Length"}:
            validated.headers.setdefault(name, response.headers[name])
    return validated


def _has_read_session(request: HttpRequest) -> bool:
    """Return whether the response may depend on a session, such as that of a signed-in user."""
    session = getattr(request, "session", None)
    return session is not None and session.accessed and not session.is_empty()
