"""Passkeys: what a browser sends for one, and a device that can be made to send anything."""

import json
from dataclasses import dataclass, field
from typing import Any

from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal.auth import WebAuthn
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from fido2.cose import ES256
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from registry.accounts.models import User

FLAG = AuthenticatorData.FLAG
ORIGIN, HOST = "http://localhost:8000", "localhost"
STATE = "mfa.webauthn.state"


def challenge_of(client: Client) -> str:
    """The challenge that waits in the session."""
    challenge: str = client.session[STATE]["challenge"]
    return challenge


def an_ec_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@dataclass
class Device:
    """An authenticator with one passkey, and the browser around it; each of them says what the test wants."""

    number: bytes = b"example credential"
    origin: str = ORIGIN
    host: str = HOST
    flags: int = FLAG.UP | FLAG.UV
    counter: int = 0
    key: ec.EllipticCurvePrivateKey = field(default_factory=an_ec_key)

    @property
    def cose_key(self) -> ES256:
        public: ES256 = ES256.from_cryptography_key(self.key.public_key())
        return public

    def registration(self, challenge: str, **said: Any) -> dict[str, Any]:
        """The answer to `navigator.credentials.create()`."""
        data = AttestedCredentialData.create(bytes(16), self.number, said.get("cose_key", self.cose_key))
        attested = AuthenticatorData.create(
            sha256(self.host.encode()), FLAG(self.flags | FLAG.AT), self.counter, data
        )
        attestation = AttestationObject.create(
            said.get("format", "none"), attested, said.get("statement", {})
        )
        response = {
            "clientDataJSON": self._client_data("webauthn.create", challenge, **said),
            "attestationObject": websafe_encode(said.get("attestation", attestation)),
        }
        return self._credential(response) | {"clientExtensionResults": {"credProps": {"rk": True}}}

    def assertion(self, challenge: str, person: User | None = None, **said: Any) -> dict[str, Any]:
        """The answer to `navigator.credentials.get()`; `person` is whose passkey the device says it is."""
        data = AuthenticatorData.create(sha256(self.host.encode()), FLAG(self.flags), self.counter)
        client_data = self._client_data("webauthn.get", challenge, **said)
        signed = bytes(data) + sha256(CollectedClientData(websafe_decode(client_data)))
        response = {
            "clientDataJSON": client_data,
            "authenticatorData": websafe_encode(data),
            "signature": websafe_encode(self.key.sign(signed, ec.ECDSA(hashes.SHA256()))),
        }
        if person:
            response["userHandle"] = websafe_encode(user_pk_to_url_str(person).encode())
        return self._credential(response) | {"clientExtensionResults": {}}

    def _client_data(self, kind: str, challenge: str, **said: Any) -> str:
        stated = {
            "type": said.get("type", kind),
            "challenge": challenge,
            "origin": self.origin,
            "crossOrigin": said.get("cross_origin", False),
        }
        return websafe_encode(json.dumps(stated).encode())

    def _credential(self, response: dict[str, str]) -> dict[str, Any]:
        number = websafe_encode(self.number)
        return {"id": number, "rawId": number, "type": "public-key", "response": response}


def a_passkey(
    person: User, name: str = "Example device", device: Device | None = None, **said: Any
) -> Authenticator:
    """A passkey of the person, as its registration stores it."""
    credential = (device or Device()).registration(websafe_encode(b"challenge"), **said)
    added: Authenticator = WebAuthn.add(person, name, credential).instance
    return added
