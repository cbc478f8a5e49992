"""The secrets of webhooks, and signatures by Standard Webhooks.

A secret is an HMAC of a random salt under SECRET_KEY, so it is stored nowhere (docs/decisions/0021-webhooks.md).
"""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

from django.utils.crypto import salted_hmac
from standardwebhooks import Webhook as Signer

from registry.webhooks.models import Webhook

PREFIX = "whsec_"
KEY_SALT = "registry.webhooks"


def new_salt() -> str:
    return secrets.token_hex(16)


def secret_from(salt: str) -> str:
    """The secret of 32 bytes that belongs to a salt, as `whsec_` and base64."""
    key = salted_hmac(KEY_SALT, salt, algorithm="sha256").digest()
    return PREFIX + base64.b64encode(key).decode()


def digest_of(secret: str) -> str:
    """What is stored of a secret, to notice that SECRET_KEY was replaced."""
    return hashlib.sha256(secret.encode()).hexdigest()


def has_valid_secret(webhook: Webhook) -> bool:
    return hmac.compare_digest(webhook.digest, digest_of(secret_from(webhook.salt)))


def signature_headers(webhook: Webhook, message_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """The three headers of a message. For a day after a rotation, the signature of the previous secret comes second."""
    salts = [webhook.salt]
    if webhook.previous_until and at < webhook.previous_until:
        salts.append(webhook.previous_salt)
    signatures = (Signer(secret_from(salt)).sign(message_id, at, body.decode()) for salt in salts)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
