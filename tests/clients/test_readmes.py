"""The examples in the README of the Python client are executed against a running registry."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.exhaustive
@pytest.mark.processes
def test_the_examples_of_the_python_client(url: str, tmp_path: Path) -> None:
    names = {"url": url, "directory": tmp_path / "cache", "file": tmp_path / "copy.sqlite"}
    text = (ROOT / "clients/python/README.md").read_text("utf-8")
    example = doctest.DocTestParser().get_doctest(text, names, "README.md", None, 0)
    assert len(example.examples) >= 8
    output: list[str] = []
    runner = doctest.DocTestRunner()
    failed = runner.run(example, out=output.append, clear_globs=False).failed
    example.globs["registry"].close()
    assert failed == 0, "".join(output)


@pytest.mark.parametrize("client", ["python", "typescript"])
def test_a_readme_fits_on_a_screen(client: str) -> None:
    assert len((ROOT / "clients" / client / "README.md").read_text("utf-8").splitlines()) <= 70
