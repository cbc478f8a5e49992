"""`manage.py store_list_items`: render the entries of the list of namespaces before the first request for them."""

from typing import Any

from registry.api.namespaces.stored_items import store_all_items
from registry.core.management.base import RegistryCommand, terminal_progress

EPILOG = """\
examples:
  manage.py store_list_items        after an update of the registry, before it takes requests

An update changes how entries are rendered, so that the first request for each page has to render it. The command does
that in advance: a million entries take some minutes. Running it a second time, or beside the registry, does no harm.

exit status: 0 all entries are stored; 2 usage error.
"""


class Command(RegistryCommand):
    help = "Render the entries of the API's list of namespaces in advance."
    epilog = EPILOG

    def handle(self, *args: Any, **options: Any) -> None:
        number = store_all_items(terminal_progress("Stored", "entries"))
        self.stdout.write(f"{number:,} {'entry was' if number == 1 else 'entries were'} stored.")
