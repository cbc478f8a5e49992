"""`.env.example` names each environment variable that is read, and no other."""

import re
from pathlib import Path

from django.conf import settings

READ = re.compile(r"""(?:os\.environ(?:\.get|\.setdefault)?[\[(]|_setting\()\s*"([A-Z][A-Z0-9_]*)\"""")
NAMED = re.compile(r"^([A-Z][A-Z0-9_]*)=", re.MULTILINE)
# Of the C library, not of ours.
OF_OTHERS = {"MALLOC_ARENA_MAX", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"}
# Django's own, which manage.py and the servers set by themselves.
SET_HERE = {"DJANGO_SETTINGS_MODULE"}

ROOT = Path(settings.BASE_DIR)


def test_every_variable_that_is_read_is_explained_and_no_other() -> None:
    files = [*(ROOT / "registry").rglob("*.py"), ROOT / "manage.py", ROOT / "run.py"]
    read = {name for file in files for name in READ.findall(file.read_text(encoding="utf-8"))}
    named = NAMED.findall((ROOT / ".env.example").read_text(encoding="utf-8"))
    assert len(named) == len(set(named))
    assert set(named) - OF_OTHERS == read - SET_HERE
    assert {"DATABASE_URL", "SECRET_KEY", "PORT"} <= read


def test_what_the_example_says_of_a_number_is_what_holds_without_it() -> None:
    """Where settings fall back to a number or a level, the example shows that one."""
    fallback = re.compile(r'environ\.get\("([A-Z_]+)", "([^"]+)"\)')
    code = (ROOT / "registry" / "settings.py").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE))
    differing = {name for name, value in fallback.findall(code) if shown[name] != value}
    # Behind a proxy there is one; without a word nobody is trusted.
    assert differing <= {"TRUSTED_PROXY_COUNT"}
