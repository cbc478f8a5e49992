"""ID tokens: the checks of OpenID Connect Core, Section 3.1.3.7, and of the configuration of a provider.

The signature is verified also of a token that came over TLS, for which Core leaves that open.
"""

import hmac
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import jwt

from registry.accounts.provider_requests import ProviderNotUsable

# Signatures with a key that only the provider has. The client secret is known to both sides.
ALGORITHMS = [
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
]
SECONDS_OF_LEEWAY = 60
MAX_SUBJECT = 255  # characters (OpenID Connect Core, Section 2)
REQUIRED = ["iss", "sub", "aud", "exp", "iat", "nonce"]
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


def check_configuration(configuration: Mapping[str, Any], issuer: str) -> None:
    """Raise ProviderNotUsable for the configuration of another issuer (OpenID Connect Discovery, Section 4.3), and for
    endpoints without TLS.
    """
    if configuration.get("issuer") != issuer:
        raise ProviderNotUsable(f"The configuration of {issuer} names another issuer.")
    for name in ENDPOINTS:
        endpoint = configuration.get(name)
        if not isinstance(endpoint, str) or not _is_https(endpoint):
            raise ProviderNotUsable(f"The {name} of {issuer} is not an https URL.")


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" and bool(parts.hostname)


def check_issuer_of_answer(configuration: Mapping[str, Any], issuer: str, stated: str | None) -> None:
    """Raise ProviderNotUsable if the answer of the authorization endpoint is that of another issuer (RFC 9207)."""
    is_always_stated = bool(configuration.get("authorization_response_iss_parameter_supported"))
    if stated != issuer and (stated is not None or is_always_stated):
        raise ProviderNotUsable(f"The answer does not come from {issuer}.")


def claims_of(
    id_token: object, keys: Mapping[str, Any], *, issuer: str, client_id: str, nonce: str
) -> dict[str, Any]:
    """The claims of an ID token for this registry and this sign-in. Raises ProviderNotUsable.

    `keys` is the JSON Web Key Set of the provider.
    """
    try:
        if not isinstance(id_token, str):
            raise ProviderNotUsable(f"{issuer} sent no ID token.")
        claims: dict[str, Any] = jwt.decode(
            id_token,
            _key_of(id_token, keys),
            ALGORITHMS,
            {"require": REQUIRED},
            audience=client_id,
            issuer=issuer,
            leeway=SECONDS_OF_LEEWAY,
        )
    except (
        jwt.PyJWTError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as fault:
        raise ProviderNotUsable(f"The ID token of {issuer} is not valid: {fault}") from fault
    if not _is_meant(claims, client_id=client_id, nonce=nonce):
        raise ProviderNotUsable(f"The ID token of {issuer} is not for this sign-in.")
    return claims


def _key_of(id_token: str, keys: Mapping[str, Any]) -> Any:
    """The only key of the set that the token may be signed with. Raises ProviderNotUsable or PyJWTError."""
    number = jwt.get_unverified_header(id_token).get("kid")
    usable = [
        each for each in jwt.PyJWKSet.from_dict(dict(keys)).keys if each.public_key_use in {None, "sig"}
    ]
    found = [each for each in usable if number is None or each.key_id == number]
    if len(found) != 1:
        raise ProviderNotUsable("The key set of the provider has no such key.")
    return found[0].key


def _is_meant(claims: Mapping[str, Any], *, client_id: str, nonce: str) -> bool:
    audience, subject = claims["aud"], claims["sub"]
    has_others = isinstance(audience, list) and len(audience) > 1
    is_ours = claims.get("azp") == client_id or ("azp" not in claims and not has_others)
    is_subject = isinstance(subject, str) and 0 < len(subject) <= MAX_SUBJECT and subject.isascii()
    is_answer = hmac.compare_digest(str(claims["nonce"]).encode(), nonce.encode())
    return is_ours and is_subject and subject.isprintable() and is_answer
