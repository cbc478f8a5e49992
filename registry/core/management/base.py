"""The base class of management commands."""

from argparse import RawDescriptionHelpFormatter
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from registry.core.exceptions import RegistryError


class RegistryCommand(BaseCommand):
    """A command whose help ends with `epilog`, and which reports a broken rule with exit status 1."""

    epilog: ClassVar[str] = ""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        help_text = {"epilog": self.epilog, "formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **help_text, **kwargs)

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            return super().execute(*args, **options)
        except RegistryError as refusal:
            raise CommandError(f"{refusal.title}. {refusal}") from refusal
