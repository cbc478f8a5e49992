"""`ServicesOfName.best` is the beginning of its resolution."""

import pytest

from tests.urnsyntax.profiles.samples import PROFILES
from urnsyntax import URN
from urnsyntax.profiles import Profile

WITH_SERVICES = [each for each in PROFILES if each.services]


@pytest.mark.parametrize("profile", WITH_SERVICES, ids=lambda each: each.nid)
def test_the_best_are_the_first_that_are_wanted(profile: Profile) -> None:
    finder = profile.service_finder
    for example in [urn for service in profile.services for urn in service.examples]:
        for urn in (URN.parse(example), URN.parse(f"{example}?+x=1"), URN.parse(f"{example}%20")):
            for unwanted in [None, *profile.services]:
                wanted = {id(each) for each in profile.services if each is not unwanted}
                found = finder.services_of(urn)
                left = [each for each in found.resolution.services if each.service is not unwanted]
                first = left[0] if left else None
                assert found.best(wanted) == tuple(
                    each
                    for each in left
                    if first
                    and (each.service.priority, each.is_selected)
                    == (first.service.priority, first.is_selected)
                )
