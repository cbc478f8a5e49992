"""The deployment check of the signing key: `manage.py check --deploy`."""

from typing import Any

from django.core import checks
from django.core.exceptions import ImproperlyConfigured

from registry.audit_log.signing.keys import signing_key, trusted_keys


@checks.register(checks.Tags.security, deploy=True)
def check_signing_key(**kwargs: Any) -> list[checks.CheckMessage]:
    try:
        trusted_keys()
    except ImproperlyConfigured as fault:
        return [checks.Error(str(fault), id="audit_log.E001")]
    if signing_key() is None:
        return [
            checks.Warning(
                "LOG_SIGNING_KEY is not set: the heads of the audit log and escrows are not signed.",
                hint="Run `manage.py make_signing_key FILE`, and set LOG_SIGNING_KEY to the file.",
                id="audit_log.W001",
            )
        ]
    return []
