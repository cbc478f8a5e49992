"""The providers of sign-in (OpenID Connect), as the file that SIGN_IN_PROVIDERS names declares them."""

import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

NAME = re.compile("[a-z][a-z0-9-]{0,30}")
KEYS = ("name", "issuer", "client_id", "client_secret")


def read_providers(file: str) -> list[dict[str, Any]]:
    """Return the providers as django-allauth expects them; none without a file."""
    if not file:
        return []
    try:
        declared = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"SIGN_IN_PROVIDERS: {file} can't be read as TOML: {error}") from error
    return [_provider(name, values) for name, values in declared.items()]


def _provider(name: str, values: Any) -> dict[str, Any]:
    is_complete = isinstance(values, dict) and sorted(values) == sorted(KEYS)
    if (
        not NAME.fullmatch(name)
        or not is_complete
        or not all(isinstance(each, str) for each in values.values())
    ):
        raise ImproperlyConfigured(
            f"SIGN_IN_PROVIDERS: [{name}] must be a name of small letters, digits and hyphens, with {', '.join(KEYS)}."
        )
    if urlsplit(values["issuer"]).scheme != "https":
        raise ImproperlyConfigured(f"SIGN_IN_PROVIDERS: the issuer of [{name}] must begin with https://.")
    return as_app(name, **values)


def as_app(
    name_in_urls: str, *, name: str, issuer: str, client_id: str, client_secret: str
) -> dict[str, Any]:
    """Return the settings of django-allauth for a provider. What its ID token states is enough."""
    return {
        "provider_id": name_in_urls,
        "name": name,
        "client_id": client_id,
        "secret": client_secret,
        "settings": {"server_url": issuer, "fetch_userinfo": False, "oauth_pkce_enabled": True},
    }
