"""Idempotency-Key: a request that is sent again, because its answer was lost, gets that answer and acts no more.

The answer is kept in the transaction of what it tells of: both are there, or neither. A refusal did nothing,
so it is not kept, and the same key may be tried again. (draft-ietf-httpapi-idempotency-key-header-07)
"""

import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from http import HTTPStatus
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction
from django.utils import timezone
from psycopg.errors import LockNotAvailable
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.authentication import token_of
from registry.api.models import IdempotentResponse
from registry.core.exceptions import RegistryError

KEPT_FOR = timedelta(hours=24)
LONGEST_WAIT = "5s"
# A String of RFC 9651 (without escapes), or the same without its quotes, as many clients send it.
KEY = re.compile(r'"([ !#-\[\]-~]{1,255})"|([!#-\[\]-~]{1,255})')
KEPT_HEADERS = ("Location", "ETag")
Post = TypeVar("Post", bound=Callable[..., Response])


class IdempotencyKeyMalformed(RegistryError):
    """An Idempotency-Key is 1 to 255 visible ASCII characters in double quotes, such as a UUID."""

    status = HTTPStatus.BAD_REQUEST
    title = "This is no Idempotency-Key"


class IdempotencyKeyReused(RegistryError):
    """The key came before with another request: another address, another body or another format."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This Idempotency-Key belongs to another request"


class IdempotencyKeyInUse(RegistryError):
    """The first request with this key is not answered yet."""

    title = "This request is being answered"
    headers = {"Retry-After": "1"}


def idempotent(post: Post) -> Post:
    """Make a POST one that can be sent again with its Idempotency-Key."""

    @wraps(post)
    def wrapper(view: Any, request: Request, *args: Any, **where: Any) -> Response:
        header = request.headers.get("Idempotency-Key")
        if header is None:
            return post(view, request, *args, **where)
        key = _key(header)
        with transaction.atomic():
            kept = _claim(request, key)
            if kept.status is not None:
                return _replay(kept)
            response = post(view, request, *args, **where)
            _store_response(kept, response)
        return response

    return wrapper  # type: ignore[return-value]


def _key(header: str) -> str:
    found = KEY.fullmatch(header)
    if found is None:
        raise IdempotencyKeyMalformed(
            "The header Idempotency-Key has to be 1 to 255 ASCII characters in double quotes."
        )
    return found[1] or found[2]


def _claim(request: Request, key: str) -> IdempotentResponse:
    """The row of this key, ours to fill or filled before. Whoever has it in hand is waited for."""
    token = token_of(request._request)
    own = IdempotentResponse.objects.filter(token=token, key=key)
    digest = _digest(request)
    own.filter(at__lt=timezone.now() - KEPT_FOR).delete()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{LONGEST_WAIT}'")
            IdempotentResponse.objects.bulk_create(
                [IdempotentResponse(token=token, key=key, request_digest=digest)], ignore_conflicts=True
            )
            cursor.execute("SET LOCAL lock_timeout = DEFAULT")
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable):
            raise
        raise IdempotencyKeyInUse("The first request with this key is still at work. Try again.") from error
    kept = own.first()
    if kept is None:  # it was forgotten at this very moment
        raise IdempotencyKeyInUse("This key was just forgotten. Try again.")
    if kept.request_digest != digest:
        raise IdempotencyKeyReused(
            "This key came before with another request. Send each request with a key of its own."
        )
    return kept


def _digest(request: Request) -> str:
    """What the request asks for, as one value."""
    asked = [request.method, request.get_full_path(), request.content_type, request.headers.get("If-Match")]
    digest = hashlib.sha256(json.dumps(asked).encode())
    digest.update(request._request.body)
    return digest.hexdigest()


def _store_response(kept: IdempotentResponse, response: Response) -> None:
    kept.status = response.status_code
    kept.headers = {name: response[name] for name in KEPT_HEADERS if name in response}
    kept.body = JSONRenderer().render(response.data).decode()
    kept.save(update_fields=["status", "headers", "body"])


def _replay(kept: IdempotentResponse) -> Response:
    headers = {**kept.headers, "Idempotency-Replayed": "true"}
    return Response(json.loads(kept.body) if kept.body else None, kept.status, headers=headers)


def delete_old_responses() -> int:
    """Remove the answers that nobody can ask for again; how many there were."""
    deleted, _ = IdempotentResponse.objects.filter(at__lt=timezone.now() - KEPT_FOR).delete()
    return deleted
