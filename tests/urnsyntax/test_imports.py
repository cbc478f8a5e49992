import ast
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "urnsyntax"


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def test_the_standard_library_is_all_that_is_imported():
    modules = {name.partition(".")[0] for path in FOLDER.rglob("*.py") for name in imported_modules(path)}
    assert modules <= sys.stdlib_module_names
    assert "re" in modules


def test_the_package_works_alone_and_is_typed(tmp_path):
    (tmp_path / "urnsyntax").symlink_to(FOLDER)
    script = "import sys, urnsyntax; print(urnsyntax.is_urn('urn:example:a'), 'django' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout == "True False\n"
    assert (FOLDER / "py.typed").exists()
