"""The WSGI application: `granian --interface wsgi registry.wsgi:application`.

A request meets `AccessLog`, which makes it sound, counts and logs it, then the fast lookup, then Django.
"""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django_application = get_wsgi_application()

from registry.api.namespaces.lookup_wsgi import LookupApplication  # noqa: E402
from registry.observability.access_log import AccessLog  # noqa: E402 - they need Django set up

application = AccessLog(LookupApplication(django_application))
