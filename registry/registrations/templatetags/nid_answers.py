"""What a NID is, said on pages of other rooms: a namespace that is not there, say."""

from typing import Any

from django import template

from registry.registrations.nid_answers import answer_on

register = template.Library()


@register.inclusion_tag("nids/_answer.html")
def nid_answer(nid: str) -> dict[str, Any]:
    """The answer of the NID check."""
    return {"nid": nid, "answer": answer_on(nid)}
