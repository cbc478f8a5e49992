"""Benchmark: URN parsing, compared with the literal ABNF and other libraries."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from urnsyntax import URN, is_urn
from urnsyntax.bulk import check_lines

from .bounds import Bound, print_bounds
from .timing import TimedFunction, measure
from .urn_corpus import corpus
from .urn_libraries import BASELINE, LIBRARIES, Reader

SUMMARY = "URN parsing, compared with the literal ABNF and other libraries"

_TEXTS = 10_000
_PASSES = 5  # over the texts in each round


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=9, help="rounds (default: 9)")
    parser.add_argument(
        "--lines", type=int, default=1_000_000, help="number of lines for the bulk check (default: 1,000,000)"
    )


def run(options: Namespace) -> bool:
    """Measure, print the tables, and return whether every bound is met."""
    texts = corpus(_TEXTS)
    _print_corpus(texts)
    one_by_one, missing = _candidates(texts)
    measure(list(one_by_one.values()), options.rounds, "one by one")
    _print_table(one_by_one, _TEXTS * _PASSES, "text")

    lines = _bulk_candidates(texts, options.lines)
    measure(list(lines.values()), max(options.rounds // 2, 3), "in bulk")
    _print_table(lines, options.lines, "line")

    are_met = print_bounds([*_bounds_one_by_one(one_by_one), _bound_in_bulk(lines)])
    for name in missing:
        print(f"not measured: {name} is not installed (dependency group `benchmarks`)")
    return are_met and not missing


def _candidates(texts: list[str]) -> tuple[dict[str, TimedFunction], list[str]]:
    def yes_or_no(check: Callable[[str], object]) -> Callable[[], None]:
        def run_all() -> None:
            for _ in range(_PASSES):
                for text in texts:
                    check(text)

        return run_all

    literal = BASELINE.fullmatch
    candidates = [
        TimedFunction("baseline", yes_or_no(literal), remark="the ABNF as one `re`, fullmatch"),
        TimedFunction("urnsyntax.is_urn", yes_or_no(is_urn), remark="yes or no"),
        TimedFunction("urnsyntax.URN.parse", _reading(texts, URN.parse), remark="an object"),
        TimedFunction(
            "URN.parse, all parts", _reading(texts, _parse_and_read), remark="an object, five parts read"
        ),
    ]
    missing = []
    for name, (remark, load) in LIBRARIES.items():
        try:
            reader = load()
        except ImportError:
            missing.append(name)
            continue
        remark = f"{remark}; {_verdicts_right(reader, texts):.0%} of verdicts right"
        candidates.append(TimedFunction(name, _reading(texts, reader), remark=remark))
    return {candidate.name: candidate for candidate in candidates}, missing


def _reading(texts: list[str], reader: Reader) -> Callable[[], None]:
    def run_all() -> None:
        for _ in range(_PASSES):
            for text in texts:
                try:  # noqa: SIM105 - `suppress` would cost more than what is measured
                    reader(text)
                except Exception:  # each library has its own way to refuse a text
                    pass

    return run_all


def _parse_and_read(text: str) -> object:
    urn = URN.parse(text)
    return urn.nid, urn.nss, urn.r_component, urn.q_component, urn.f_component


def _verdicts_right(reader: Reader, texts: list[str]) -> float:
    right = 0
    for text in texts:
        try:
            reader(text)
        except Exception:
            accepted = False
        else:
            accepted = True
        right += accepted == is_urn(text)
    return right / len(texts)


def _bulk_candidates(texts: list[str], count: int) -> dict[str, TimedFunction]:
    content = "".join(f"{texts[index % len(texts)]}\n" for index in range(count))
    octets = content.encode()
    print(f"\nIn bulk: {count:,} lines, {len(octets) / 1e6:.1f} MB")

    def loop() -> None:
        for line in octets.decode().splitlines():
            is_urn(line)

    def bulk(source: str | bytes) -> Callable[[], object]:
        def check() -> int:
            checked = check_lines(source)
            for _ in checked:
                pass
            return checked.good

        return check

    candidates = (
        TimedFunction("loop", loop, remark="for line in octets.decode().splitlines(): is_urn(line)"),
        TimedFunction(
            "check_lines, bytes", bulk(octets), remark="yields the bad lines, counts the good ones"
        ),
        TimedFunction("check_lines, text", bulk(content), remark="the same, decoded beforehand"),
    )
    return {candidate.name: candidate for candidate in candidates}


def _bounds_one_by_one(found: dict[str, TimedFunction]) -> list[Bound]:
    baseline, parse, check = found["baseline"], found["urnsyntax.URN.parse"], found["urnsyntax.is_urn"]
    bounds = [
        Bound("URN.parse to the baseline", parse.ratio_to(baseline), at_most=0.40),
        Bound("is_urn to the baseline", check.ratio_to(baseline), at_most=0.20),
    ]
    for name, times in (("urnparse", 12), ("rfc3986", 20)):
        if name in found:
            bounds.append(
                Bound(
                    f"URN.parse to {name} ({times} times faster)",
                    parse.ratio_to(found[name]),
                    at_most=1 / times,
                )
            )
    return bounds


def _bound_in_bulk(found: dict[str, TimedFunction]) -> Bound:
    ratio = found["check_lines, bytes"].ratio_to(found["loop"])
    return Bound("lines in bulk to a loop of is_urn over them", ratio, at_most=0.5)


def _print_corpus(texts: list[str]) -> None:
    mean = sum(map(len, texts)) / len(texts)
    encoded = sum("%" in text for text in texts) / len(texts)
    invalid = sum(not is_urn(text) for text in texts) / len(texts)
    print(
        f"One by one: {len(texts):,} texts, {mean:.1f} characters on average, "
        f"{encoded:.0%} with percent-encodings, {invalid:.0%} no URNs"
    )


def _print_table(found: dict[str, TimedFunction], count: int, unit: str) -> None:
    first = next(iter(found.values()))
    print(f"{'':<22}{'ns a ' + unit:>12}{'ratio':>9}")
    for candidate in found.values():
        nanoseconds = candidate.median / count * 1e9
        ratio = candidate.ratio_to(first)
        print(f"{candidate.name:<22}{nanoseconds:>12,.0f}{ratio:>9.3f}  {candidate.remark}")
    print()
