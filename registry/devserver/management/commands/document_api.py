"""`manage.py document_api`: record the examples of the OpenAPI document, and write the document."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections

from registry.api.schema.documentation.recorded import EXAMPLES_FILE, recorded_examples
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
    settings, creation = connection.settings_dict, connection.creation
    original, named = settings["NAME"], settings["TEST"]["NAME"]
    settings["TEST"]["NAME"] = f"{original}_examples"
    try:
        creation.create_test_db(verbosity=0, autoclobber=True)
        yield
    finally:
        connections.close_all()
        creation.destroy_test_db(original, verbosity=0)
        settings["TEST"]["NAME"] = named
