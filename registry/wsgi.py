"""The WSGI application: `granian --interface wsgi registry.wsgi:application`.

A request meets `Access`, which makes it sound, counts and logs it, then the fast lookup, then Django.
"""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django_application = get_wsgi_application()

from registry.access import Access  # noqa: E402 - they need Django set up
from registry.api.front import Front  # noqa: E402

application = Access(Front(django_application))
