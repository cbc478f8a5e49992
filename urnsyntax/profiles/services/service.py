"""Services of a namespace: what leads from a name to the resource, or to information about it (RFC 2483)."""

import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .. import schema
from ..conditions import Condition, Conditions, conditions_of, read_conditions
from ..errors import InvalidProfile, InvalidTemplate
from ..schema import DatedSource, key
from .templates import MAX_TEMPLATE, AddressTemplate, parse_template

KINDS = {
    "I2L": "an address of the resource",
    "I2Ls": "addresses of the resource",
    "I2R": "the resource",
    "I2Rs": "copies of the resource",
    "I2C": "a description of the resource",
    "I2CS": "descriptions of the resource",
    "I2N": "a URN of the resource",
    "I2Ns": "URNs of the resource",
}
"""What a service returns (RFC 2483, Section 4)."""

MAX_PRIORITY = 99
MAX_EXAMPLES = 10

# RFC 6838, Section 4.2, in lower case
_MEDIA_TYPE = re.compile("[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
# RFC 5646, Section 2.1, without the irregular tags that were registered before it
_LANGUAGE = re.compile(
    "(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    "(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*)?"
    "(?:(?:^|(?<=[a-z0-9])-)x(?:-[a-z0-9]{1,8})+)?",
    re.ASCII | re.IGNORECASE,  # else other letters than ASCII would match
)
# A name in an r-component: RFC 8141, Section 2.3.1, without the delimiters “&” and “=”
_R_NAME = re.compile(r"[A-Za-z0-9\-._~!$'()*+,;:@/]+")


def _template(value: Any, at: str) -> str:
    text: str = schema.text(MAX_TEMPLATE)(value, at)
    try:
        parse_template(text)
    except InvalidTemplate as error:
        raise InvalidProfile.from_rules(at, error) from None
    return text


@dataclass(frozen=True)
class Service:
    """A service that takes names of a namespace.

    It applies to a name if each variable of its template is a part of the name exactly once, if the name has all
    parts of `requires`, and if the parts that `only` lists are there and have one of its values, without regard to
    letter case; “*” at the end of a value stands for any text. Lower priorities come first. `checked_on` is the date on
    which its addresses were last opened, "" if never.
    """

    title: str = key(schema.text(120))
    kind: str = key(schema.one_of(tuple(KINDS), "a kind of service"))
    template: str = key(_template)
    examples: tuple[str, ...] = key(schema.list_of(schema.urn, least=1, most=MAX_EXAMPLES))
    source: DatedSource = key(schema.object_of(DatedSource))  # noqa: RUF009  # a field, not a default value
    media_type: str = key(schema.matching(_MEDIA_TYPE, 255, "a media type", "Write “text/html”."), "")
    language: str = key(
        schema.matching(_LANGUAGE, 35, "a language tag (BCP 47)", "Write “en” or “pt-BR”."), ""
    )
    priority: int = key(schema.integer(0, MAX_PRIORITY), 0)
    passes_q: bool = key(schema.boolean, False)
    r_components: tuple[str, ...] = key(
        schema.list_of(schema.matching(_R_NAME, 60, "a name in an r-component", "Write “name”."), most=10), ()
    )
    requires: tuple[str, ...] = key(schema.list_of(schema.text(60), most=5), ())
    only: Conditions = key(read_conditions, ())  # noqa: RUF009  # a field, not a default value
    checked_on: str = key(schema.date, "")

    @cached_property
    def address_template(self) -> AddressTemplate:
        """The parsed template."""
        return parse_template(self.template)

    @cached_property
    def is_for_all_names(self) -> bool:
        """Whether the address is the same for all names, such as that of a list."""
        return not self.address_template.variables

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        """The conditions of `only`, by the name of the part."""
        return conditions_of(self.only)

    @cached_property
    def host(self) -> str:
        """The host that the service runs on."""
        return self.address_template.host

    def is_at(self, hosts: Container[str]) -> bool:
        """Whether the service is at one of these hosts. Another port of a host may be the server of others."""
        return self.host in hosts and not self.address_template.has_port
