"""The base class of commands, and their progress."""

import sys
import time
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from registry.core.exceptions import RegistryError
from registry.core.terminal import for_terminal
from registry.environment import is_set

# Called with the number done and the total.
ProgressCallback = Callable[[int, int], None]
INTERVAL = 0.2  # seconds between two lines


def check_public_origin(otherwise: str, instead: str = "") -> None:
    """Raise CommandError unless PUBLIC_ORIGIN is set: what others keep must not have the address of the demonstration.

    `otherwise` says what they would read, and `instead` what else to do.
    """
    if not is_set("PUBLIC_ORIGIN"):
        raise CommandError(
            f"PUBLIC_ORIGIN is not set, so {otherwise}. Set the environment of the web processes (docs/deployment.md, "
            f"“Environment”){instead}.",
            returncode=2,
        )


def terminal_progress(verb: str, what: str) -> ProgressCallback | None:
    """Return a callback that reports progress on standard error, None if that is not a terminal."""
    if not sys.stderr.isatty():
        return None
    shown = 0.0

    def show(done: int, total: int) -> None:
        nonlocal shown
        if done < total and time.monotonic() < shown + INTERVAL:
            return
        shown = time.monotonic()
        sys.stderr.write(f"\r{verb} {done:,} of {total:,} {what}" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return show


class TerminalOutput(OutputWrapper):
    """Output of a command. On a terminal, what files and other servers say is text and nothing else."""

    def write(self, msg: str = "", style_func: Any = None, ending: str | None = None) -> None:  # type: ignore[override]  # of Django, too
        super().write(for_terminal(msg) if self.isatty() else msg, style_func, ending)


class RegistryCommand(BaseCommand):
    """A command whose help ends with `epilog`, and which reports a broken rule with exit status 1."""

    epilog: ClassVar[str] = ""

    def __init__(self, stdout: Any = None, stderr: Any = None, **options: Any) -> None:
        super().__init__(stdout, stderr, **options)
        self.stdout = TerminalOutput(stdout or sys.stdout)
        is_styled, self.stderr = self.stderr.style_func, TerminalOutput(stderr or sys.stderr)
        self.stderr.style_func = is_styled

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        help_text = {"epilog": self.epilog, "formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **help_text, **kwargs)

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            return super().execute(*args, **options)
        except RegistryError as refusal:
            raise CommandError(f"{refusal.title}. {refusal}") from refusal
