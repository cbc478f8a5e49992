"""The choice of services for a URN: which apply, in which order, and what of the URN reaches the address."""

import pytest

from tests.urnsyntax.profiles.services.samples import addresses, service, trees
from urnsyntax import URN, InvalidURN
from urnsyntax.profiles import OtherNamespace
from urnsyntax.profiles.examples import failures_of
from urnsyntax.profiles.services.choice import Resolution

A, B, C = (f"https://{name}.example" for name in "abc")


def at(template, **changes):
    return service(template=template, **changes)


def test_a_service_applies_if_its_variables_are_parts_of_the_name():
    known = trees(at(A + "/{garden}"), at(B + "/{+leaf}"), at(C + "/{nss}"))
    assert addresses(known, "urn:trees:12:34") == [A + "/12", C + "/12%3A34"]
    assert addresses(known, "urn:trees:12:34/a/b") == [A + "/12", B + "/a/b", C + "/12%3A34%2Fa%2Fb"]
    assert addresses(known, "urn:trees:list:x") == [C + "/list%3Ax"]


def test_a_part_that_occurs_twice_has_no_one_value():
    known = trees(at(A + "/{leaf}"))
    assert addresses(known, "urn:trees:12:34/a") == [A + "/a"]
    assert addresses(known, "urn:trees:12:34/a;b") == []


def test_a_service_can_require_parts():
    known = trees(at(A + "/{garden}", requires=["leaf"]), at(B + "/", requires=["letter"]))
    assert addresses(known, "urn:trees:12:34") == []
    assert addresses(known, "urn:trees:12:34/a") == [A + "/12"]
    assert addresses(known, "urn:trees:12:34/a;b") == [A + "/12"]
    assert addresses(known, "urn:trees:list:x") == [B + "/"]


def test_a_service_can_be_for_some_values_only():
    known = trees(at(A + "/", only={"garden": ["12", "13"]}), at(B + "/", only={"leaf": ["a", "b"]}))
    assert addresses(known, "urn:trees:12:34") == [A + "/"]
    assert addresses(known, "urn:trees:14:34") == []
    assert addresses(known, "urn:trees:14:34/A;b") == [B + "/"]
    assert addresses(known, "urn:trees:14:34/a;c") == []
    assert addresses(known, "urn:trees:list:a") == []


def test_a_value_can_leave_its_end_open():
    known = trees(at(A + "/", only={"leaf": ["ab*", "c"]}), at(B + "/", only={"nss": ["LIST:*", "1:2*"]}))
    assert addresses(known, "urn:trees:14:34/ABC") == [A + "/"]
    assert addresses(known, "urn:trees:14:34/cd") == []
    assert addresses(known, "urn:trees:1:23/a") == [B + "/"]
    assert addresses(known, "urn:trees:list:x") == [B + "/"]


def test_low_priorities_come_first_and_equal_ones_in_their_order():
    known = trees(at(A + "/", priority=2), at(B + "/", priority=1), at(C + "/", priority=1))
    assert addresses(known, "urn:trees:12:34") == [B + "/", C + "/", A + "/"]


def test_the_name_is_normalized_as_in_section_3_1():
    assert addresses(trees(at(A + "/{leaf}")), "URN:TREES:12:34/a%2fB") == [A + "/a%2FB"]


def test_the_f_component_is_a_fragment_and_the_r_component_reaches_no_address():
    known = trees(at(A + "/{number}"), at(B + "/{number}?{q}", passes_q=True))
    expected = [A + "/34#part", B + "/34?lang=en#part"]
    assert addresses(known, "urn:trees:12:34?+secret=1?=lang=en#part") == expected
    assert addresses(known, "urn:trees:12:34?+secret=1#part") == [A + "/34#part", B + "/34#part"]
    assert addresses(known, "urn:trees:12:34#a/b?c") == [A + "/34#a/b?c", B + "/34#a/b?c"]
    assert addresses(known, "urn:trees:12:34#") == [A + "/34#", B + "/34#"]


def test_a_service_without_the_q_component_says_that_it_ignores_it():
    known = trees(at(A + "/{number}"), at(B + "/{number}?{q}", passes_q=True))
    assert [each.ignores_q for each in known.services_for("urn:trees:12:34?=lang=en")] == [True, False]
    assert [each.ignores_q for each in known.services_for("urn:trees:12:34?+r#f")] == [False, False]


def test_an_address_of_one_kind_is_listed_once():
    known = trees(at(A + "/{number}"), at(A + "/{number}", priority=9), at(A + "/{number}", kind="I2L"))
    found = known.services_for("urn:trees:12:34")
    assert sorted((each.service.kind, each.address) for each in found) == sorted(
        {(each.kind, A + "/34") for each in known.services}
    )


def test_ignored_names_of_the_r_component_are_reported():
    [found] = trees(at(A + "/", r_components=["format"])).services_for("urn:trees:12:34?+format=a&x=1&y&x=2")
    assert found.ignored == ("x", "y")
    [found] = trees(at(A + "/")).services_for("urn:trees:12:34?+resolve?=q")
    assert found.ignored == ("resolve",)
    [found] = trees(at(A + "/")).services_for("urn:trees:12:34?=q")
    assert found.ignored == ()


def test_a_service_that_understands_the_r_component_comes_first():
    known = trees(at(A + "/"), at(B + "/", r_components=["scan"], priority=9))
    assert addresses(known, "urn:trees:12:34") == [A + "/", B + "/"]
    assert addresses(known, "urn:trees:12:34?+scan") == [B + "/", A + "/"]
    assert addresses(known, "urn:trees:12:34?+other=scan") == [A + "/", B + "/"]


def test_an_unsafe_address_is_refused_with_its_reason():
    known = trees(at(A + "/x/{+leaf}"), at(B + "/x/{garden}"))
    found = known.resolve("urn:trees:12:34/a/../b")
    assert [each.address for each in found.services] == [B + "/x/12"]
    [refused] = found.refused
    assert refused.service is known.services[0]
    assert refused.reason.startswith("The address would have the segment “.” or “..”")
    assert known.resolve("urn:trees:12:34/a%0D%0Ab").refused[0].reason == (
        "The address would contain the control character %0D."
    )


def test_a_name_that_breaks_the_rules_has_no_service():
    known = trees(at(A + "/{nss}"))
    assert known.resolve("urn:trees:oak") == Resolution()
    checked = trees(at(A + "/{nss}"), checks=[{"algorithm": "luhn", "part": "number"}])
    assert addresses(checked, "urn:trees:12:79927398713") == [A + "/12%3A79927398713"]
    assert addresses(checked, "urn:trees:12:79927398710") == []


def test_a_name_that_is_too_long_to_be_judged_has_no_parts():
    known = trees(at(A + "/"), at(B + "/{nss}"), at(C + "/{garden}"))
    found = known.resolve("urn:trees:12:" + "1" * 10_000)
    assert [each.address for each in found.services] == [A + "/"]
    assert [each.reason for each in found.refused] == [
        "The address would have 10,023 characters; the limit is 8,192."
    ]


def test_a_profile_has_services_for_its_own_namespace_alone():
    known = trees(at(A + "/"))
    assert addresses(known, URN.parse("urn:Trees:12:34")) == [A + "/"]
    with pytest.raises(OtherNamespace):
        known.services_for("urn:gardens:12:34")
    with pytest.raises(InvalidURN):
        known.services_for("urn:trees:")


def test_a_profile_without_services_has_none():
    whole = trees(at(A + "/")).to_dict()
    del whole["services"]
    whole["sources"][0]["facts"].remove("services")
    assert type(trees(at(A + "/"))).from_dict(whole).resolve("urn:trees:12:34") == Resolution()


FORMS = [
    ("{leaf:lower}", "urn:trees:1:2/A%2FB", "a%2Fb"),
    ("{leaf:upper}", "urn:trees:1:2/a%2fb", "A%2FB"),
    ("{number:no-hyphens}", "urn:trees:1:2-3-4", "234"),
    ("{number:no-hyphens:no-check-digit}", "urn:trees:1:0-0", "0"),
    ("{number:no-check-digit}", "urn:trees:1:0-0", "0"),
    ("{+leaf:path}", "urn:trees:1:2/a:b::c", "a/b/0/c"),
    ("{leaf:path}", "urn:trees:1:2/a:b", "a%2Fb"),
    ("{nss:tail}", "urn:trees:1:2", "2"),
    ("{+leaf:tail:path}", "urn:trees:1:2/a:b:c", "b/c"),
    ("{leaf:tail}", "urn:trees:1:2/a", None),
    ("{leaf:digits}", "urn:trees:1:2/2016a01.%2222", "20160122"),
    ("{number:isbn-13}", "urn:trees:1:0-451-45052-3", "9780451450524"),
    ("{number:isbn-13}", "urn:trees:1:978-0-451-45052-4", "9780451450524"),
    ("{number:isbn-13}", "urn:trees:1:0-451-45052-0", None),
    ("{number:issn}", "urn:trees:1:00280836", "0028-0836"),
    ("{number:issn}", "urn:trees:1:0028-0836", "0028-0836"),
    ("{number:issn}", "urn:trees:1:18", None),
    ("{leaf:digits}", "urn:trees:1:2/a", None),
]  # fmt: skip


@pytest.mark.parametrize(("variable", "urn", "expected"), FORMS)
def test_a_form_of_a_part_stands_in_the_address(variable, urn, expected):
    checks = [{"algorithm": "luhn", "part": "number"}] if "check" in variable else []
    known = trees(at(f"{A}/x/{variable}"), **({"checks": checks} if checks else {}))
    assert addresses(known, urn) == ([f"{A}/x/{expected}"] if expected else [])


LONG = f"urn:trees:12:34/{'a' * 200}"


@pytest.mark.parametrize(
    ("example", "changes", "failure"),
    [
        ("urn:trees:12:34", {}, None),
        (
            "urn:trees:12",
            {},
            "urn:trees:12 is an example of “A page of the tree”, but: “:” and the number are missing at the end.",
        ),
        ("urn:trees:12:34", {"requires": ["leaf"]}, "but: The name lacks a part that the service needs"),
        (
            LONG,
            {"only": {"garden": ["13"]}},
            f"{LONG[:100]}… is an example of “A page of the tree”, but: The name",
        ),
        (
            "urn:trees:12:34/..",
            {"template": "https://gardens.example/{garden}/{number}/{+leaf}"},
            "urn:trees:12:34/.. is an example of “A page of the tree”, but: The address would",
        ),
    ],
)
def test_an_example_without_an_address_is_a_failure(example, changes, failure):
    checked = trees(service(examples=[example], **changes), parts={"number": "number"})
    found = [each for each in failures_of(checked) if "is an example of" in each]
    assert len(found) == (failure is not None)
    assert failure is None or failure in found[0]
