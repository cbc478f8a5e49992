"""/statistics/: pictures, their tables and CSV."""

import csv
import io
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from django.test import Client

from registry.namespaces.models import Kind, Namespace
from registry.statistics.charts import Chart, Curve, Row
from registry.statistics.queries import CHARTS

pytestmark = pytest.mark.django_db
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _two_namespaces() -> None:
    Namespace.objects.create(nid="example1", kind=Kind.FORMAL, registered_on="2020-05-01")
    Namespace.objects.create(nid="urn-1", kind=Kind.INFORMAL, number=1, registered_on="2020-05-01")


def test_an_anonymous_visitor_sees_every_chart_with_its_table(client: Client) -> None:
    page = client.get("/statistics/").content.decode()
    assert page.count("<section") == len(CHARTS)
    assert '<svg class="bars"' in page
    assert '<th scope="row">2020</th>' in page
    assert 'href="/statistics/registered-namespaces.csv"' in page


def test_a_chart_without_data_shows_a_text(client: Client) -> None:
    assert client.get("/statistics/").content.decode().count("No data yet") == len(CHARTS) - 2


@pytest.mark.parametrize("slug", CHARTS)
def test_a_picture_is_an_svg_document(client: Client, slug: str) -> None:
    response = client.get(f"/statistics/{slug}.svg")
    assert response.headers["Content-Type"] == "image/svg+xml"
    root = ElementTree.fromstring(response.content)
    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}title") is not None


def test_bars_are_labelled_and_series_differ_without_colour(client: Client) -> None:
    root = ElementTree.fromstring(client.get("/statistics/registered-namespaces.svg").content)
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    assert [bar.find(f"{SVG}title").text for bar in bars] == [  # type: ignore[union-attr]
        "2020, formal: 1",
        "2020, informal: 1",
    ]
    assert len({bar.get("fill") for bar in bars}) == 2
    assert [(bar.get("x"), bar.get("width")) for bar in bars] == [
        ("0.000%", "50.000%"),
        ("50.000%", "50.000%"),
    ]


def a_curve(*values: tuple[float, float]) -> Curve:
    rows = [Row(str(2001 + at), each) for at, each in enumerate(values)]
    return Curve("a", "A", "", "Year", ("formal", "informal"), rows)


def test_a_curve_has_a_point_for_each_number_and_lines_between_them() -> None:
    (_, lines, formal), (_, _, informal) = a_curve((0, 10), (50, 10), (100, 20)).curves
    bottom = a_curve((0, 10), (100, 20)).bottom
    assert [(each.x, each.y) for each in formal] == [(0, bottom), (50, bottom - 100), (100, bottom - 200)]
    assert lines == [(0, bottom, 50, bottom - 100), (50, bottom - 100, 100, bottom - 200)]
    assert informal[-1].description == "2003, informal: 20"


@pytest.mark.parametrize(
    ("most", "levels"),
    [
        (1, ["0", "1"]),
        (4, ["0", "1", "2", "3", "4"]),
        (7, ["0", "2", "4", "6"]),
        (99, ["0", "20", "40", "60", "80"]),
        (1234, ["0", "500", "1000"]),
    ],
)
def test_a_curve_has_few_levels_at_round_numbers(most: float, levels: list[str]) -> None:
    assert [text for _, text in a_curve((0, most)).levels] == levels


@pytest.mark.parametrize("years", [1, 5, 40])
def test_a_curve_has_a_few_labels_at_equal_distances_up_to_the_last_year(years: int) -> None:
    labels = [int(text) for _, text in a_curve(*[(1, 1)] * years).ticks]
    assert labels[0] == 2000 + years
    assert len({after - before for before, after in pairwise(labels)}) <= 1
    assert min(years, 4) <= len(labels) <= 6


def test_the_csv_holds_the_same_numbers(client: Client) -> None:
    response = client.get("/statistics/registered-namespaces.csv")
    assert response.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(response.content.decode())))
    assert rows == [["Year", "formal", "informal"], ["2020", "1", "1"]]


def test_a_label_in_the_csv_is_no_formula() -> None:
    chart = Chart("a", "A", "", "=1+1", ("@s",), [Row("-2+3", (-1.0,))])
    assert list(csv.reader(io.StringIO(chart.csv))) == [["'=1+1", "'@s"], ["'-2+3", "-1"]]


@pytest.mark.parametrize("path", ["/statistics/none.svg", "/statistics/none.csv"])
def test_an_unknown_chart_is_404(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_label_is_text_and_never_markup(client: Client) -> None:
    from django.template.loader import render_to_string

    rows = [Row("<script>", (1.0,))]
    hostile = Chart("a", "<b>", "&", "Label", ("s",), rows)
    drawn = render_to_string("statistics/bar_chart.svg", {"chart": hostile})
    assert "<script>" not in drawn
    assert "<b>" not in drawn
    ElementTree.fromstring(drawn)


def test_bars_side_by_side_share_one_scale() -> None:
    chart = Chart("a", "A", "", "Year", ("x", "y"), [Row("1", (5.0, 10.0)), Row("2", (None, 2.5))], "days")
    assert [bar.width for line in chart.lines for bar in line.bars] == [50.0, 100.0, 25.0]
    assert [text for line in chart.lines for _x, _y, text in line.numbers] == ["5", "10", "2.5"]
    assert chart.csv.splitlines()[2] == "2,,2.5"
