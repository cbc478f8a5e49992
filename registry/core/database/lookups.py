"""Lookups of texts for Django's queries."""

from collections.abc import Iterable
from typing import Any

from django.db.models import CharField, Lookup


@CharField.register_lookup
class EqualsAny(Lookup):
    """`column__any=texts`: equal to one of these texts, as `column__in`, with one array as the parameter.

    With a parameter for each of a thousand texts, Django writes the statement for longer than PostgreSQL runs it. So does
    psycopg with a list, text by text; here the literal of the array is written at once.
    """

    lookup_name = "any"
    prepare_rhs = False

    def __init__(self, lhs: Any, rhs: Iterable[str]) -> None:
        super().__init__(lhs, [*rhs])

    def get_db_prep_lookup(self, value: Any, connection: Any) -> tuple[str, Any]:
        joined = "\0".join(value)  # no text of PostgreSQL contains NUL
        if joined.count("\0") >= max(len(value), 1):
            raise ValueError("A text for PostgreSQL can't contain NUL.")
        quoted = joined.replace("\\", r"\\").replace('"', r"\"").replace("\0", '","')
        return "%s", (f'{{"{quoted}"}}' if value else "{}",)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        lhs, lhs_parameters = self.process_lhs(compiler, connection)
        rhs, rhs_parameters = self.process_rhs(compiler, connection)
        return f"{lhs} = ANY ({rhs}::text[])", (*lhs_parameters, *rhs_parameters)
