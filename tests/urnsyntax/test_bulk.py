import io
import itertools
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urnsyntax import InvalidURN, is_urn
from urnsyntax.bulk import check_lines

CONTENT = "urn:ab:c\nurn:ab:\n\nurn:ab:d\r\nurn:ab:e\r\rurn:ab:f\n urn:ab:g\nurn:ab:\x00\nurn:ab:é\nurn:ab:h"
BAD = [(2, 7), (3, 0), (5, 8), (6, 0), (7, 7), (8, 7)]


def checked(source):
    lines = check_lines(source)
    return [(bad.number, bad.position) for bad in lines], lines.good, lines.bad, lines.lines


def test_bad_lines_have_number_position_rule_section_and_text():
    assert checked(CONTENT) == (BAD, 3, 6, 9)
    bad = next(iter(check_lines(CONTENT)))
    assert (bad.number, bad.text, bad.position, bad.rule, bad.section) == (2, "urn:ab:", 7, "NSS", "2.2")
    assert isinstance(bad.error, InvalidURN)


@pytest.mark.parametrize(
    ("content", "good", "bad"),
    [
        ("", 0, []),
        ("\n", 0, [(1, 0)]),
        ("\n\n", 0, [(1, 0), (2, 0)]),
        ("urn:ab:c", 1, []),
        ("urn:ab:c\n", 1, []),
        ("urn:ab:c\r\n", 1, []),
        ("urn:ab:c\r", 1, []),
        ("urn:ab:c\r\r\n", 0, [(1, 8)]),
        ("urn:ab:c\n\n", 1, [(2, 0)]),
        ("\nurn:ab:c", 1, [(1, 0)]),
        ("urn:ab:c\x0burn:ab:c\n", 0, [(1, 8)]),
        ("urn:ab:c\u2028urn:ab:c\n", 0, [(1, 8)]),
        ("urn:ab:٣\n", 0, [(1, 7)]),
        ("\ufeffurn:ab:c\n", 0, [(1, 0)]),
    ],
    ids=ascii,
)
def test_line_endings_are_removed_and_an_empty_line_is_invalid(content, good, bad):
    assert checked(content)[:2] == (bad, good)
    assert checked(content.encode())[:2] == (bad, good)


@given(st.lists(st.integers(0, len(CONTENT.encode())), max_size=8))
def test_blocks_may_be_cut_anywhere(cuts):
    octets = CONTENT.encode()
    edges = [0, *sorted(cuts), len(octets)]
    blocks = [octets[a:b] for a, b in itertools.pairwise(edges)]
    assert checked(blocks) == checked(octets) == checked(CONTENT)


def test_open_files_can_be_checked():
    assert checked(io.StringIO(CONTENT, newline="\n")) == checked(CONTENT)
    assert checked(io.BytesIO(CONTENT.encode())) == checked(CONTENT)


def test_invalid_utf8_makes_a_line_invalid():
    [bad] = check_lines(b"urn:ab:\xff\xfe\nurn:ab:c\n")
    assert (bad.number, bad.position, bad.text) == (1, 7, "urn:ab:\udcff\udcfe")


def test_line_numbers_can_be_read_in_any_order_and_later():
    bad = list(check_lines(CONTENT))
    assert [line.number for line in reversed(bad)] == [number for number, _ in reversed(BAD)]
    assert [line.number for line in bad] == [number for number, _ in BAD]


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("is_bytes", [False, True])
def test_reading_a_number_takes_the_same_time_in_any_order(is_bytes):
    """Counting from the start, or from the number read before, would take many minutes here."""
    content = "urn:ab:c\nx\n" * 100_000
    bad = list(check_lines(content.encode() if is_bytes else content))
    shuffled = list(range(100_000))
    random.Random("numbers").shuffle(shuffled)
    assert all(bad[index].number == 2 * index + 2 for index in shuffled)


def test_threads_read_the_same_numbers():
    class SlowText(str):
        __slots__ = ()

        def count(self, *arguments):
            time.sleep(0.001)  # lets another thread go on
            return super().count(*arguments)

    bad = list(check_lines(SlowText("urn:ab:c\nx\n" * 1000)))
    with ThreadPoolExecutor(4) as threads:
        numbers = threads.map(lambda line: line.number, bad[::-10])
    assert list(numbers) == list(range(2000, 0, -20))


def test_count_reads_to_the_end():
    lines = check_lines("urn:ab:c\nx\n" * 1000)
    assert lines.count() == 1000
    assert (lines.bad, lines.lines) == (1000, 2000)


@given(st.text(alphabet="urn:ab-%2?=#\r\n é", max_size=60))
def test_every_line_gets_the_verdict_of_is_urn(content):
    lines = content.split("\n")
    if lines[-1] == "":
        lines.pop()
    expected = [number for number, line in enumerate(lines, 1) if not is_urn(line.removesuffix("\r"))]
    assert [bad.number for bad in check_lines(content)] == expected
    assert [bad.number for bad in check_lines(content.encode())] == expected
    assert check_lines(content).count() == len(lines) - len(expected)


def test_a_long_good_file_is_one_run():
    assert check_lines("urn:example:abc%2F?=q#f\n" * 200_000).count() == 200_000
