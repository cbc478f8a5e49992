"""Downloads over https with limits on size, time and redirects."""

import http.client
import ipaddress
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from registry.core.management.base import ProgressCallback
from registry.publication.iana.records import DownloadFailed, URLNotAllowed

# Seconds for a connection or one read, and for the whole download.
TIMEOUT = 20
DEADLINE = 300
MAX_REDIRECTS = 3
BLOCK = 64 * 1024
# Accepted media types of XML and CSV files; some servers use octet-stream for every file.
MEDIA_TYPES = {
    "application/xml": ".xml",
    "text/xml": ".xml",
    "text/csv": ".csv",
    "text/plain": "",
    "application/octet-stream": "",
}


def is_url(source: str) -> bool:
    """Return whether the source is a URL, not a path."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", source) is not None


@contextmanager
def downloaded(url: str, *, max_bytes: int, on_bytes: ProgressCallback | None = None) -> Iterator[Path]:
    """Download a URL to a temporary file, which is removed after the block."""
    check_url(url)
    with tempfile.TemporaryDirectory(prefix="iana-") as folder:
        try:
            with _opener(url).open(_request(url), timeout=TIMEOUT) as response:
                path = Path(folder) / _name(url, response)
                with path.open("wb") as target:
                    _copy(url, response, target, max_bytes, on_bytes)
        except HTTPError as fault:
            with fault:
                raise DownloadFailed(url, f"the response is {fault.code} {fault.reason}.") from fault
        except URLError as fault:
            raise DownloadFailed(url, f"{fault.reason}.") from fault
        except (OSError, http.client.HTTPException) as fault:
            raise DownloadFailed(url, f"{str(fault) or type(fault).__name__}.") from fault
        yield path


def check_url(url: str) -> None:
    """Allow https, and http to this machine. Raises URLNotAllowed."""
    if not re.fullmatch("[!-~]+", url):
        raise URLNotAllowed(url, "a URL contains only visible ASCII characters.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as fault:
        raise URLNotAllowed(url, f"{fault}.") from fault
    if parts.username is not None or parts.password is not None:
        raise URLNotAllowed(url, "URLs with a user name or password are not allowed.")
    if parts.scheme.lower() == "https" and host:
        return
    if parts.scheme.lower() == "http" and _is_loopback(host):
        return
    raise URLNotAllowed(url, "only https is allowed, and http on this machine.")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Redirects(HTTPRedirectHandler):
    """Follows a limited number of redirects, each to an allowed URL."""

    max_redirections = MAX_REDIRECTS

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> Request | None:
        check_url(newurl)
        if urlsplit(req.full_url).scheme == "https" != urlsplit(newurl).scheme:
            raise URLNotAllowed(newurl, "an https URL redirects to this URL, which is not https.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(url: str) -> OpenerDirector:
    """Return an opener, without a proxy for loopback addresses."""
    proxies = [ProxyHandler({})] if _is_loopback(urlsplit(url).hostname or "") else []
    return build_opener(_Redirects, *proxies)


def _request(url: str) -> Request:
    headers = {
        "Accept": "application/xml, text/xml, text/csv, */*;q=0.1",
        "Accept-Encoding": "identity",
        "User-Agent": "urn-registry",
    }
    return Request(url, headers=headers)  # nosec B310  # checked by check_url


def _name(url: str, response: http.client.HTTPResponse) -> str:
    """Return the name of the file: the last part of the URL, with the suffix of its media type."""
    if (coding := response.headers.get("Content-Encoding", "identity").lower()) != "identity":
        raise DownloadFailed(url, f"the response has the encoding {coding}, which was not requested.")
    media_type = response.headers.get_content_type()
    if media_type not in MEDIA_TYPES:
        raise DownloadFailed(url, f"the response has the type {media_type}, which is neither XML nor CSV.")
    last = unquote(urlsplit(url).path).rpartition("/")[2]
    name = re.sub(r"[^A-Za-z0-9._-]", "-", last).lstrip(".")[-100:] or "urn-namespaces"
    suffix = MEDIA_TYPES[media_type]
    return name if name.lower().endswith((".xml", ".csv")) or not suffix else name + suffix


def _copy(
    url: str,
    response: http.client.HTTPResponse,
    target: IO[bytes],
    max_bytes: int,
    on_bytes: ProgressCallback | None,
) -> None:
    expected, until, received = response.length, time.monotonic() + DEADLINE, 0
    _check_size(url, expected or 0, max_bytes)
    while chunk := response.read1(BLOCK):
        received += len(chunk)
        _check_size(url, received, max_bytes)
        if time.monotonic() > until:
            raise DownloadFailed(url, f"the download took longer than {DEADLINE} seconds.")
        target.write(chunk)
        if on_bytes:
            on_bytes(received, max(expected or 0, received))
    if expected is not None and received != expected:
        raise DownloadFailed(url, f"the download ended after {received:,} of {expected:,} bytes.")


def _check_size(url: str, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise DownloadFailed(
            url, f"the file is larger than {max_bytes // 1024**2} MB. Set a larger limit with --max-size."
        )
