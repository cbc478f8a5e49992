"""OpenID providers on this machine, over HTTPS: an honest one, and one that says whatever a test wants."""

import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from oidc_provider_mock import User as Identity
from oidc_provider_mock import app as provider_app
from werkzeug.serving import make_server

from registry.accounts.sign_in_providers import as_app
from tests.support.https_servers import Authority, Exchange, Server, https_server

CLIENT_ID, CLIENT_SECRET = "registry", "secret"
CONFIGURATION, TOKEN, KEYS = "/.well-known/openid-configuration", "/token", "/keys"


def declare(settings: Any, **issuers: str) -> None:
    """Let the registry know these providers, by the names in its addresses."""
    apps = [
        as_app(name, name=name.title(), issuer=issuer, client_id=CLIENT_ID, client_secret=CLIENT_SECRET)
        for name, issuer in issuers.items()
    ]
    kind = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"] | {"APPS": apps}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": kind}


@contextmanager
def trusted_authority(folder: Path) -> Iterator[Authority]:
    """An authority that the registry trusts during the block."""
    with pytest.MonkeyPatch.context() as patch:
        authority = Authority(folder)
        patch.setenv("SSL_CERT_FILE", str(authority.ca))
        yield authority


@contextmanager
def honest_provider(folder: Path, people: list[Identity]) -> Iterator[str]:
    """Run a provider at which these people sign in, and return its issuer."""
    with trusted_authority(folder) as authority:
        yield from _served(str(authority.certificate("localhost")), people)


def _served(certificate: str, people: list[Identity]) -> Iterator[str]:
    app = provider_app(require_nonce=True, user_claims=people)
    server = make_server("127.0.0.1", 0, app, threaded=True, ssl_context=(certificate, certificate))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"https://localhost:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)


def a_signing_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@dataclass
class HostileProvider:
    """A provider that answers honestly, but for what a test sets."""

    server: Server
    key: Any = field(default_factory=a_signing_key)
    # Members that replace the honest ones; None leaves one out.
    configuration: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, Any] = field(default_factory=dict)
    # The key and the algorithm with which the ID token is signed; by path, what is sent instead.
    signed_with: tuple[Any, str] | None = None
    instead: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, Any] | None = None
    challenge: str = ""
    asked: dict[str, str] = field(default_factory=dict)

    @property
    def issuer(self) -> str:
        return f"https://localhost:{self.server.port}"

    def authorize(self, onward: str, **said: str | None) -> str:
        """Sign in there; the address, at the registry, to which the browser is led back."""
        self.asked = dict(parse_qsl(urlsplit(onward).query))
        said = {"code": "code", "state": self.asked["state"]} | said
        query = urlencode({name: value for name, value in said.items() if value is not None})
        return f"{urlsplit(self.asked['redirect_uri']).path}?{query}"

    def id_token(self) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": "person",
            "aud": CLIENT_ID,
            "exp": now + 300,
            "iat": now,
            "nonce": self.asked.get("nonce"),
            "email": "newcomer@example.org",
            "email_verified": True,
        }
        key, algorithm = self.signed_with or (self.key, "ES256")
        stated = _changed(claims, self.claims)
        return jwt.encode(stated, key, algorithm=algorithm, headers={"kid": "1"} | self.header)

    def respond(self, exchange: Exchange) -> None:
        path = urlsplit(exchange.path).path
        if path in self.instead:
            sent = self.instead[path]
            sent(exchange) if callable(sent) else exchange.reply(body=sent, Content_Type="application/json")
            return
        content = {CONFIGURATION: self._configured, TOKEN: self._token, KEYS: self._keys}[path](exchange)
        exchange.reply(body=json.dumps(content).encode(), Content_Type="application/json")

    def _configured(self, _: Exchange) -> dict[str, Any]:
        honest = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}{TOKEN}",
            "jwks_uri": f"{self.issuer}{KEYS}",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }
        return _changed(honest, self.configuration)

    def _token(self, exchange: Exchange) -> dict[str, Any]:
        [verifier] = parse_qs(exchange.body.decode()).get("code_verifier", [""])
        digest = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        if digest != self.asked.get("code_challenge"):
            return {"error": "invalid_grant"}
        honest = {"access_token": "token", "token_type": "Bearer", "id_token": self.id_token()}
        return _changed(honest, self.answer)

    def _keys(self, _: Exchange) -> dict[str, Any]:
        return self.keys or key_set(self.key)


def key_set(*keys: Any, **members: str) -> dict[str, Any]:
    """The JSON Web Key Set of the public parts, numbered from 1."""
    listed = [
        json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key())) | {"kid": str(number), **members}
        for number, key in enumerate(keys, 1)
    ]
    return {"keys": listed}


def _changed(honest: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (honest | changes).items() if value is not None}


@contextmanager
def hostile_provider(certificate: Path) -> Iterator[HostileProvider]:
    def respond(exchange: Exchange) -> None:
        provider.respond(exchange)

    with https_server(certificate, respond) as server:
        provider = HostileProvider(server)
        yield provider
