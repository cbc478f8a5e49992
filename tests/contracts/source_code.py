"""The project's source files as syntax trees, for the contract tests."""

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("registry", "urnsyntax")


@dataclass(frozen=True)
class Source:
    """One file: `module` is its import name, `path` is relative to the project."""

    module: str
    path: str
    tree: ast.Module

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        return (node for node in self._all_nodes if isinstance(node, kinds))

    @cached_property
    def _all_nodes(self) -> list[ast.AST]:
        """Found once: to walk through all trees takes a second, and forty tests look at them."""
        return list(ast.walk(self.tree))


def sources(*packages: str) -> list[Source]:
    """Return every Python file of the packages, without migrations."""
    files = sorted(file for package in packages or PACKAGES for file in (ROOT / package).rglob("*.py"))
    return [_read(file) for file in files if "migrations" not in file.parts]


@cache
def _read(file: Path) -> Source:
    relative = file.relative_to(ROOT)
    module = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
    return Source(module, relative.as_posix(), syntax_tree(file))


def syntax_tree(file: Path) -> ast.Module:
    """Parse a file without the garbage collector: a finalizer that formats a traceback parses a line of it, and CPython 3.11
    counts the depth of both together, so that this one fails.
    """
    gc.disable()
    try:
        return ast.parse(file.read_text(encoding="utf-8"), str(file))
    finally:
        gc.enable()


def imports_of(source: Source) -> Iterator[tuple[int, str]]:
    """Yield each module that a file imports anywhere, with the line."""
    package = source.module if source.path.endswith("__init__.py") else source.module.rpartition(".")[0]
    for node in source.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            home = ".".join([*above, *([node.module] if node.module else [])])
            # `from registry import mail` imports registry.mail; `from registry.mail import post` names it.
            yield from ((node.lineno, f"{home}.{alias.name}") for alias in node.names)
