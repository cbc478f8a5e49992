import ast
import gc
import subprocess
import sys
from pathlib import Path

import urnsyntax

FOLDER = Path(urnsyntax.__file__).parent


def imported_modules(path):
    gc.disable()  # a finalizer that parses, too, makes CPython 3.11 fail
    try:
        tree = ast.parse(path.read_text("utf-8"))
    finally:
        gc.enable()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


PROFILES = FOLDER / "profiles"


def modules_of(paths):
    return {name.partition(".")[0] for path in paths for name in imported_modules(path)}


def test_the_standard_library_is_all_that_is_imported():
    modules = modules_of(path for path in FOLDER.rglob("*.py") if PROFILES not in path.parents)
    assert modules <= sys.stdlib_module_names
    assert "re" in modules


def test_profiles_need_two_packages():
    assert modules_of(PROFILES.rglob("*.py")) - sys.stdlib_module_names == {"re2", "stdnum"}


WITHOUT_PACKAGES = """
import sys

sys.modules["re2"] = sys.modules["stdnum"] = None  # importing them fails
from urnsyntax.cli.main import main

print(main(["check", "urn:example:a"]))
print(main(["check", "--profiles", ".", "urn:example:a"]))
"""


def test_the_command_line_works_without_these_packages(tmp_path):
    (tmp_path / "urnsyntax").symlink_to(FOLDER)
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_PACKAGES],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    assert run.stdout == "good: urn:example:a\n0\n2\n"
    assert "pip install 'urnsyntax[profiles]'" in run.stderr


def test_the_package_works_alone_and_is_typed(tmp_path):
    (tmp_path / "urnsyntax").symlink_to(FOLDER)
    script = (
        "import sys, urnsyntax.cli.main; print(urnsyntax.is_urn('urn:example:a'), "
        "any(name in sys.modules for name in ('django', 're2', 'stdnum')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    assert run.stdout == "True False\n"
    assert (FOLDER / "py.typed").exists()
