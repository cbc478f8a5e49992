import pytest

from urnsyntax import URN
from urnsyntax.resolution.parameters import Parameters


@pytest.mark.parametrize(
    ("component", "pairs"),
    [
        (None, []),
        ("", []),
        ("a", [("a", "")]),
        ("a=", [("a", "")]),
        ("=a", [("", "a")]),
        ("a=b=c", [("a", "b=c")]),
        ("a=1&b=2&a=3", [("a", "1"), ("b", "2"), ("a", "3")]),
        ("&a=1&&b=2&", [("a", "1"), ("b", "2")]),
        ("a%26b=c%3Dd", [("a&b", "c=d")]),
        ("a=b+c%2B%20", [("a", "b+c+ ")]),
        ("a=%C3%A9%FF", [("a", "é\udcff")]),
        ("a;b=c,d", [("a;b", "c,d")]),
    ],
)
def test_a_component_is_read_as_pairs(component, pairs):
    parameters = Parameters(component)
    assert list(parameters.pairs) == pairs
    assert {name: list(values) for name, values in parameters.items()} == {
        name: [value for other, value in pairs if other == name] for name, _ in pairs
    }


def test_parameters_are_read_only_and_compared_by_their_pairs():
    urn = URN.parse("urn:ab:c?+r=1?=q=1&q=2")
    assert (urn.r_parameters, urn.q_parameters) == (Parameters("r=1"), Parameters("q=1&q=2"))
    assert urn.q_parameters != Parameters("q=2&q=1")
    assert len({Parameters("a=1"), Parameters("a=1"), Parameters("a=2")}) == 2
    assert URN.parse("urn:ab:c").q_parameters == Parameters(None)
    assert (urn.q_parameters.first("q"), urn.q_parameters.first("z"), "q" in urn.q_parameters) == (
        "1",
        None,
        True,
    )
    with pytest.raises(TypeError):
        urn.q_parameters["q"] = ("3",)
    with pytest.raises(AttributeError):
        urn.q_parameters.pairs = ()
    with pytest.raises(KeyError):
        urn.q_parameters["z"]


def test_many_values_of_one_parameter_take_linear_time():
    """Copying the values for each would take minutes here."""
    assert Parameters("a&" * 200_000)["a"] == ("",) * 200_000
