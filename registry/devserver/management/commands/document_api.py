"""`manage.py document_api`: record the examples of the OpenAPI document, and write the document."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections

from registry.api.schema.examples import EXAMPLES_FILE, recorded_examples
from registry.api.schema.views import OPENAPI_FILE
from registry.core.management.base import RegistryCommand

EPILOG = """\
examples:
  manage.py document_api   write registry/api/schema/examples.json and registry/api/schema/openapi.yaml

The command makes requests in a database of its own, which it creates and drops.

exit status: 0 written; 1 a request of the examples failed; 2 rejected.
"""


class Command(RegistryCommand):
    help = "Record the examples of the OpenAPI document, and write the document."
    epilog = EPILOG

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.IS_DEMONSTRATION:
            raise CommandError(
                "The command creates and drops a database, and DATABASE_URL is set. Nothing was changed. Unset it, to use the "
                "embedded server.",
                returncode=2,
            )
        if not find_spec("time_machine"):
            raise CommandError(
                "The examples need packages that a deployment does not. Nothing was changed. Install "
                "requirements-development.txt first.",
                returncode=2,
            )
        from registry.devserver.api_examples.scenario import record

        with an_empty_database():
            recording = record()
        EXAMPLES_FILE.write_text(json.dumps(recording, ensure_ascii=False, indent=1) + "\n", "utf-8")
        recorded_examples.cache_clear()
        call_command("spectacular", validate=True, file=str(OPENAPI_FILE))
        self.stdout.write(f"Wrote {EXAMPLES_FILE.name} and {OPENAPI_FILE.name}.")


@contextmanager
def an_empty_database() -> Iterator[None]:
    """Point Django at a new database, which is dropped afterwards. It is not that of tests, which may be running."""
    configuration, creation = connection.settings_dict, connection.creation
    original, named = configuration["NAME"], configuration["TEST"]["NAME"]
    configuration["TEST"]["NAME"] = f"{original}_examples"
    try:
        creation.create_test_db(verbosity=0, autoclobber=True)
        yield
    finally:
        connections.close_all()
        if configuration["NAME"] != original:  # the new one was created, and only that is dropped
            creation.destroy_test_db(original, verbosity=0)
        configuration["TEST"]["NAME"] = named
