"""The deployment check of the signing key: `manage.py check --deploy`."""

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured

from registry.audit_log.signing.keys import default_name, is_name_here, signing_key, trusted_keys


@checks.register(checks.Tags.security, deploy=True)
def check_signing_key(**kwargs: Any) -> list[checks.CheckMessage]:
    """Heads are signed, by a key that is named after this registry: they are public, and the log keeps its name."""
    try:
        trusted_keys()
    except ImproperlyConfigured as fault:
        return [checks.Error(str(fault), id="audit_log.E001")]
    key = signing_key()
    if key is None:
        return [
            checks.Warning(
                "LOG_SIGNING_KEY is not set: the heads of the audit log and escrows are not signed.",
                hint="Run `manage.py make_signing_key FILE`, and set LOG_SIGNING_KEY to the file.",
                id="audit_log.W001",
            )
        ]
    if not is_name_here(key.name):
        return [
            checks.Warning(
                f"The key of LOG_SIGNING_KEY is named “{key.name}”, but PUBLIC_ORIGIN is {settings.PUBLIC_ORIGIN}: others would "
                "know the audit log by the name of another host.",
                hint=f"Make a key named “{default_name()}” with `manage.py make_signing_key FILE`, and set LOG_SIGNING_KEY to the "
                "new file. If heads were published under the old name, announce the new one, and add the old verifier key to "
                "LOG_VERIFIER_KEYS. If the registry has moved and keeps the name, add its former host to ALLOWED_HOSTS.",
                id="audit_log.W004",
            )
        ]
    return []
