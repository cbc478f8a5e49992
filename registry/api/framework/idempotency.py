"""Idempotency-Key: a repeated request gets the stored response of the first one, and has no further effect.

The response is stored in the transaction of the change, so both are committed or neither. Errors have no effect, except
that refused attempts count (`registry.core.rate_limits`), and are not stored, so the key can be used again. Bodies are
encrypted with a key from SECRET_KEY: some contain a new secret, which a copy of the database must not reveal.
(draft-ietf-httpapi-idempotency-key-header-07)
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from functools import cache, wraps
from http import HTTPStatus
from typing import Any, TypeVar

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from psycopg.errors import LockNotAvailable
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.authentication import token_of
from registry.api.models import IdempotentResponse
from registry.core.digests import secret_keys
from registry.core.exceptions import RegistryError

KEPT_FOR = timedelta(hours=24)
# A String of RFC 9651 without escapes; many clients send it without quotes.
KEY = re.compile(r'"([ !#-\[\]-~]{1,255})"|([!#-\[\]-~]{1,255})')
KEPT_HEADERS = ("Location", "ETag")
# Writes a row, or the row of an expired response anew; none if the key is in use.
CLAIM = """
INSERT INTO api_idempotentresponse AS kept (token_id, key, request_digest, headers, body, at)
VALUES (%(token)s, %(key)s, %(digest)s, '{}', '', %(now)s)
ON CONFLICT (token_id, key) DO UPDATE SET
    request_digest = excluded.request_digest, status = NULL, headers = '{}', body = '', at = excluded.at
WHERE kept.at < %(expired)s
"""
Post = TypeVar("Post", bound=Callable[..., Response])


class IdempotencyKeyMalformed(RegistryError):
    """An Idempotency-Key consists of 1 to 255 visible ASCII characters in double quotes, such as a UUID."""

    status = HTTPStatus.BAD_REQUEST
    title = "Malformed Idempotency-Key"


class IdempotencyKeyReused(RegistryError):
    """The key was sent before with another request: another address, body or format."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Idempotency-Key reused"


class IdempotencyKeyInUse(RegistryError):
    """The first request with this key is still being processed."""

    title = "Idempotency-Key in use"
    headers = {"Retry-After": "1"}


class StoredResponseUnreadable(RegistryError):
    """The first request with this key was carried out, but SECRET_KEY of the registry was replaced since."""

    title = "Stored response unreadable"


def idempotent(post: Post) -> Post:
    """Make a POST method safe to repeat with the same Idempotency-Key."""

    @wraps(post)
    def wrapper(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        header = request.headers.get("Idempotency-Key")
        if header is None:
            return post(view, request, *args, **kwargs)
        key = _key(header)
        refusal: RegistryError | None = None
        with transaction.atomic():
            own = IdempotentResponse.objects.filter(token=token_of(request._request), key=key)
            if stored := _claim(own, request, key):
                return _replay(stored)
            try:
                response = post(view, request, *args, **kwargs)
                _store_response(own, response)
            except RegistryError as error:  # its action was undone; what it counted is committed
                own.delete()
                refusal = error
        if refusal:
            raise refusal
        return response

    return wrapper  # type: ignore[return-value]


def _key(header: str) -> str:
    found = KEY.fullmatch(header)
    if found is None:
        raise IdempotencyKeyMalformed(
            "The header Idempotency-Key must contain 1 to 255 visible ASCII characters in double quotes."
        )
    return found[1] or found[2]


def _claim(own: QuerySet[IdempotentResponse], request: Request, key: str) -> IdempotentResponse | None:
    """Write the row of this key, which is `own`, or return the one with the stored response. Waits up to
    LOCK_TIMEOUT for a concurrent request with the same key.
    """
    token, digest, now = token_of(request._request), _digest(request), timezone.now()
    claim = {
        "token": token.pk if token else None,
        "key": key,
        "digest": digest,
        "now": now,
        "expired": now - KEPT_FOR,
    }
    try:
        with connection.cursor() as cursor:
            cursor.execute(CLAIM, claim)
            is_new = bool(cursor.rowcount)
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable):
            raise
        raise IdempotencyKeyInUse("The first request with this key is in progress. Try again.") from error
    if is_new:
        return None
    stored = own.first()
    if stored is None:  # it expired and was deleted concurrently
        raise IdempotencyKeyInUse("This key has just expired. Try again.")
    if stored.request_digest != digest:
        raise IdempotencyKeyReused("This key was used for another request. Use a new key for each request.")
    return stored


def _digest(request: Request) -> str:
    """A digest of the request."""
    request_parts = [
        request.method,
        request.get_full_path(),
        request.content_type,
        request.headers.get("If-Match"),
    ]
    digest = hashlib.sha256(json.dumps(request_parts).encode())
    digest.update(request._request.body)
    return digest.hexdigest()


def _store_response(own: QuerySet[IdempotentResponse], response: Response) -> None:
    headers = {name: response[name] for name in KEPT_HEADERS if name in response}
    body = _cipher(settings.SECRET_KEY).encrypt(JSONRenderer().render(response.data)).decode()
    own.update(status=response.status_code, headers=headers, body=body)


def _replay(stored: IdempotentResponse) -> Response:
    headers = {**stored.headers, "Idempotency-Replayed": "true"}
    try:
        body = _cipher(*secret_keys()).decrypt(stored.body)
    except InvalidToken as error:
        raise StoredResponseUnreadable(
            "The first request with this key was carried out, but its response can no longer be read, because the "
            "registry has a new secret key. Read the result with a GET, and use a new key for the next request."
        ) from error
    return Response(json.loads(body) if body else None, stored.status, headers=headers)


@cache
def _cipher(*secret_keys: str) -> MultiFernet:
    """Encrypts with the first of these keys, and decrypts with each."""
    derived = (
        salted_hmac("registry.api.idempotency", "", secret=each, algorithm="sha256") for each in secret_keys
    )
    return MultiFernet(Fernet(base64.urlsafe_b64encode(each.digest())) for each in derived)


def delete_old_responses() -> int:
    """Delete expired responses, and return their number."""
    deleted, _ = IdempotentResponse.objects.filter(at__lt=timezone.now() - KEPT_FOR).delete()
    return deleted
