"""A passkey as a browser registers it, without its private key."""

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal.auth import WebAuthn
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from registry.accounts.models import User

FLAGS = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV | AuthenticatorData.FLAG.AT


def a_passkey(person: User, name: str = "Example device") -> Authenticator:
    key = ES256.from_cryptography_key(ec.generate_private_key(ec.SECP256R1()).public_key())
    number = b"example credential"
    data = AttestedCredentialData.create(bytes(16), number, key)
    attestation = AttestationObject.create("none", AuthenticatorData.create(bytes(32), FLAGS, 0, data), {})
    client_data = CollectedClientData.create("webauthn.create", b"challenge", "http://localhost:8000")
    credential = {
        "id": websafe_encode(number),
        "rawId": websafe_encode(number),
        "type": "public-key",
        "response": {
            "clientDataJSON": websafe_encode(client_data),
            "attestationObject": websafe_encode(attestation),
        },
        "clientExtensionResults": {"credProps": {"rk": True}},
    }
    added: Authenticator = WebAuthn.add(person, name, credential).instance
    return added
