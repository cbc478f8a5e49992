"""No test waits without a limit: one that hangs fails, and the others go on."""

import ast

import pytest

from tests.contracts.source_code import Source, sources

# Of these without arguments, each waits until something ends, for as long as that takes.
WAITS = {"wait", "communicate", "join", "result", "exception", "acquire"}
RUNS = {"run", "call", "check_call", "check_output"}
# The last part of every name that is judged: the source of the other calls need not be written out.
JUDGED = WAITS | RUNS | {"Thread", "Popen", "get"}


def unbounded_waits(source: Source) -> list[str]:
    """Find calls that wait for a process, a thread or an event without a timeout, and threads that Python waits for."""
    left = {
        id(item.context_expr)
        for node in source.nodes(ast.With)
        if isinstance(node, ast.With)
        for item in node.items
    }
    calls = [node for node in source.nodes(ast.Call) if isinstance(node, ast.Call)]
    return [f"{source.path}:{call.lineno}" for call in calls if _is_unbounded(call, is_left=id(call) in left)]


def _is_unbounded(call: ast.Call, *, is_left: bool) -> bool:
    """Whether a call waits without a timeout; a `Popen` does that when its `with` statement is left.

    At the end of a process, Python waits for all threads that are not daemons.
    """
    if getattr(call.func, "attr", getattr(call.func, "id", "")) not in JUDGED:
        return False
    if ast.unparse(call.func) in {"Thread", "threading.Thread"}:
        return all(keyword.arg != "daemon" for keyword in call.keywords)
    if not isinstance(call.func, ast.Attribute) or isinstance(call.func.value, ast.Constant):
        return False
    owner, name = ast.unparse(call.func.value), call.func.attr
    if (owner, name) == ("subprocess", "Popen"):
        return is_left
    if any(keyword.arg == "timeout" for keyword in call.keywords):
        return False
    if owner == "subprocess":
        return name in RUNS
    return not call.args and (name in WAITS or (name == "get" and "queue" in owner.lower()))


def test_every_wait_of_a_test_is_bounded() -> None:
    assert [wrong for source in sources("tests") for wrong in unbounded_waits(source)] == []


@pytest.mark.parametrize(
    "text",
    [
        "subprocess.run(['true'], check=True)",
        "subprocess.run(['true'], **options)",
        "process.wait()",
        "process.communicate(input=b'')",
        "Thread(target=print)",
        "Thread(target=print, daemon=True).join()",
        "queue.get()",
        "with subprocess.Popen(['true']) as process: pass",
    ],
)
def test_this_test_sees_what_it_forbids(text: str) -> None:
    assert unbounded_waits(Source("tests.sample", "tests/sample.py", ast.parse(text)))


@pytest.mark.parametrize(
    "text", ["process.wait(60)", "subprocess.run(['true'], timeout=60)", "', '.join(names)", "cases.get()"]
)
def test_this_test_allows_what_is_bounded(text: str) -> None:
    assert not unbounded_waits(Source("tests.sample", "tests/sample.py", ast.parse(text)))
