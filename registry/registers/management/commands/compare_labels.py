"""`manage.py compare_labels`: compare the labels of all registers again by what is known of characters that look alike."""

from typing import Any

from django.db import transaction

from registry.core.management.base import RegistryCommand
from registry.registers.entries import compare_again
from registry.registers.models import Register
from registry.registers.subjects import lock_register

EPILOG = """\
examples:
  manage.py compare_labels          after an update of the registry or of Python

The registry stores a digest of what each label looks like. It is made from the table of confusable characters and from the
Unicode data of Python, so that an update of them changes some. The command makes them again, one register after the other;
requests for a register wait until its labels are compared. Running it a second time does no harm.

exit status: 0 all labels are compared; 2 usage error.
"""


class Command(RegistryCommand):
    help = "Compare the labels of all registers again."
    epilog = EPILOG

    def handle(self, *args: Any, **options: Any) -> None:
        registers = list(Register.objects.select_related("namespace"))
        for each in registers:
            with transaction.atomic():
                compare_again(lock_register(each, None))
        number = len(registers)
        self.stdout.write(
            f"The labels of {number:,} {'register' if number == 1 else 'registers'} were compared."
        )
