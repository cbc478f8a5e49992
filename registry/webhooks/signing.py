"""The secrets of webhooks, and signatures by Standard Webhooks.

A secret is an HMAC of a random salt under SECRET_KEY, so it is stored nowhere (docs/decisions/0021-webhooks.md). Those that
were made with a key of SECRET_KEY_FALLBACKS stay valid.
"""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

from django.utils.crypto import salted_hmac
from standardwebhooks import Webhook as Signer

from registry.core.digests import secret_keys
from registry.webhooks.models import Webhook

PREFIX = "whsec_"
KEY_SALT = "registry.webhooks"


def new_salt() -> str:
    return secrets.token_hex(16)


def secret_from(salt: str, key: str | None = None) -> str:
    """The secret of 32 bytes that belongs to a salt and a key, by default SECRET_KEY, as `whsec_` and base64."""
    secret = salted_hmac(KEY_SALT, salt, secret=key, algorithm="sha256").digest()
    return PREFIX + base64.b64encode(secret).decode()


def digest_of(secret: str) -> str:
    """What is stored of a secret, to tell with which key it was made."""
    return hashlib.sha256(secret.encode()).hexdigest()


def has_valid_secret(webhook: Webhook) -> bool:
    return bool(_secrets_of(webhook))


def _secrets_of(webhook: Webhook) -> list[str]:
    """The secret of a webhook; none if it was made with a key that is no longer known."""
    return [
        each for each in _candidates(webhook.salt) if hmac.compare_digest(webhook.digest, digest_of(each))
    ]


def _candidates(salt: str) -> list[str]:
    return [secret_from(salt, key) for key in secret_keys()]


def signature_headers(webhook: Webhook, message_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """The three headers of a message. For a day after a rotation, the signature of the previous secret comes second.

    Of that secret no digest is stored: there is one signature for each key with which it may have been made.
    """
    signers = _secrets_of(webhook)
    if webhook.previous_until and at < webhook.previous_until:
        signers += _candidates(webhook.previous_salt)
    signatures = (Signer(secret).sign(message_id, at, body.decode()) for secret in signers)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
