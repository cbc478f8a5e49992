"""The WSGI application: `granian --interface wsgi registry.wsgi:application`.

A request passes through `AccessLog`, which validates, counts and logs it, `FastPaths`, which answers frequent plain
requests, `BoundedApplication`, which limits the number of concurrent requests, and Django.
"""

import gc
import multiprocessing
import os
import signal
from functools import partial

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from registry.observability.tracing import start_tracing

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
os.environ.setdefault("PGAPPNAME", "urn-registry web")
start_tracing()  # it adds middleware
django_application = get_wsgi_application()

from registry.api.namespaces.fast_paths import (  # noqa: E402
    SUBNAMESPACE,
    all_namespaces,
    one_namespace,
    one_subnamespace,
)
from registry.audit_log.signing_keys import trusted_keys  # noqa: E402
from registry.core.database.connections import is_pooled, limit_statements, use_pooler  # noqa: E402
from registry.core.deployment_checks import require_client_address  # noqa: E402
from registry.core.http.capacity import BoundedApplication  # noqa: E402
from registry.core.http.fast_path import FastPaths  # noqa: E402
from registry.core.processes.parent import end_with_parent  # noqa: E402
from registry.core.staticfiles import served_paths  # noqa: E402
from registry.namespaces.lookup import LookupReader, release_tag  # noqa: E402
from registry.observability.access_log import AccessLog  # noqa: E402 - they need Django to be set up
from registry.resolution.fast_path import redirect  # noqa: E402
from registry.resolution.namespace_data import OF_ONE_NID, OF_PREFIXES  # noqa: E402

if parent := multiprocessing.parent_process():
    # Granian, whose workers would share the port with the next server. At SIGTERM, they would wait for it.
    end_with_parent(parent.pid or 0, by=signal.SIGKILL)
require_client_address()
limit_statements()
if is_pooled():
    use_pooler()  # it rejects these limits; those of its role apply
trusted_keys()  # a key that can't be read stops the process here, not a registration
reader = LookupReader(
    release_tag(), OF_ONE_NID, OF_PREFIXES, SUBNAMESPACE
)  # the fast paths share its connections
paths = {
    "api:namespace": partial(one_namespace, reader),
    "api:namespaces": partial(all_namespaces, reader),
    "api:subnamespace": partial(one_subnamespace, reader),
    "resolution:resolve": partial(redirect, reader),
}
application = AccessLog(FastPaths(BoundedApplication(django_application, served_paths()), paths))

# All URLs and views are loaded here, and excluded from the garbage collection that follows each large body (`capacity`).
_ = get_resolver().url_patterns
gc.collect()
gc.freeze()
