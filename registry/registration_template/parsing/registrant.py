"""The parser for the Registrant section.

The text after a known label becomes a field. Text without a label is kept unchanged in `Registrant.other`.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from registry.registration_template.normal_form import dedent
from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.sections import Registrant

_LABEL = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?(?P<label>[A-Za-z][A-Za-z ()/'\u2019-]{0,40}?\.?)[ \t]*(?P<colon>:[ \t]*(?P<value>.*))?"
)
_GROUPS = {
    **dict.fromkeys(
        ("registering organization", "registering organisation", "registering entity", "registrant"),
        "organization",
    ),
    **dict.fromkeys(
        (
            "contact",
            "contacts",
            "contact person",
            "contact name",
            "designated contact",
            "designated contacts",
            "designated contact(s)",
            "designated contact person",
            "declared contact",
            "registrant contact",
            "contact details",
            "contact information",
            "point of contact",
            "primary contact",
        ),
        "contact_person",
    ),
}
_FIELDS = {
    **dict.fromkeys(
        ("organization", "organisation", "standards organization", "affiliation", "company"), "organization"
    ),
    **dict.fromkeys(("email", "e-mail", "mail", "email address", "e-mail address"), "email"),
    **dict.fromkeys(
        ("phone", "telephone", "tel", "ph", "work phone", "phone number", "telephone number", "mobile"),
        "phone",
    ),
    **dict.fromkeys(("postal", "postal address", "mailing address"), "postal_address"),
    "required": "required",
    "recommended": "recommended",
    "address": "address",
    "name": "name",
    "fast track": "fast_track",
    "further information": "other",
}
_OF_ORGANIZATION = (("organization", "organization"), ("organisation", "organization"))
_FIELDS_OF_GROUPS = {"name", "address", "email", "phone", "postal_address"}
# “Phone (office)” is “Phone”.
_REMARK = re.compile(r"[ \t]*\([^()]*\)$")
MULTILINE_FIELDS = {"address", "postal_address", "other"}
PERSON_LABELS = {
    "title",
    "role",
    *(label for label, key in _FIELDS.items() if key in ("email", "phone")),
}


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a line: the name of a field or a group, or of a field of a group, and the text after it."""

    word: str
    group: str
    field: str
    value: str


def label_of(line: Line) -> Label | None:
    match = _LABEL.fullmatch(line.text)
    if match is None:
        return None
    word = " ".join(match["label"].lower().rstrip(".").split())
    group, field = _find(word)
    if match["colon"] is None and (not group or field):
        return None
    return Label(word, group, field, match["value"] or "")


def _find(word: str) -> tuple[str, str]:
    """The group and the field with this label. “Contact email” is the e-mail address of the contact."""
    if word in _GROUPS or word in _FIELDS:
        return _GROUPS.get(word, ""), _FIELDS.get(word, "")
    if short := _REMARK.sub("", word):
        word = short
    for words, key in (*_GROUPS.items(), *_OF_ORGANIZATION):
        rest = word.removeprefix(words).replace("\u2019", "'").removeprefix("'s").strip()
        if rest != word and _FIELDS.get(rest) in _FIELDS_OF_GROUPS:
            return key, _FIELDS[rest]
    return _GROUPS.get(word, ""), _FIELDS.get(word, "")


# Some registrations write “&” for “@”.
EMAIL_ADDRESS = r"[^\s@&,;<>()]{1,64}[@&][^\s@&,;<>()]{1,255}\.[A-Za-z]{2,}"

_EMAIL = re.compile(rf"(?:mailto:)?({EMAIL_ADDRESS})")
_ROLE = (
    r"(?:director|manager|chair(?:man|person|woman)?|co-chair|secretary(?:[ -]general)?|president|registrar|officer"
    r"|CEO|CTO|CIO|head|lead(?:er)?|editor|engineer|professor|architect|coordinator|administrator|consultant"
    r"|scientist|librarian|developer|founder|member|representative|analyst|advis[eo]r|researcher|convenor|convener)"
)
_ROLE_WORD = re.compile(rf"\b{_ROLE}\b", re.IGNORECASE)
_ROLE_OF = re.compile(rf"((?:[\w-]+ ){{0,3}}{_ROLE}),? (?:at|of|with) (?:the )?(\S.*)", re.IGNORECASE)
_ROLE_IN_BRACKETS = re.compile(r"([^()]*[^() ]) *\(([^()]*)\)")
_ORGANIZATION = re.compile(
    r"\b(?:society|institut\w*|universit\w*|association|organi[sz]ation|inc|ltd|gmbh|foundation|group|forum|council"
    r"|committee|library|agency|company|corporation|consortium|alliance|office|board|union|authority|registry"
    r"|bureau|cent(?:re|er)|federation)\b",
    re.IGNORECASE,
)


def split_email(text: str) -> tuple[str, str]:
    """The text without its e-mail address, and the address: “Name <address>”, “Name (address)”, “Name, address”."""
    match = _EMAIL.search(text)
    if match is None:
        return text, ""
    before, after = text[: match.start()].rstrip(" ,;:<([-"), text[match.end() :].lstrip(" ,;>)]")
    return ", ".join(each for each in (before, after) if each), match[1].removeprefix("mailto:")


def split_role(text: str) -> tuple[str, str]:
    """The role and the organisation in an affiliation. The role is empty if the text names only an organisation."""
    if (match := _ROLE_IN_BRACKETS.fullmatch(text)) and _is_role(match[2]):
        return match[2], match[1]
    first, comma, rest = text.partition(", ")
    if comma and _is_role(first):
        return first, rest
    others, comma, last = text.rpartition(", ")
    if comma and _is_role(last):
        return last, others
    if match := _ROLE_OF.fullmatch(text):
        return match[1], match[2]
    return "", text


def _is_role(text: str) -> bool:
    return _ROLE_WORD.search(text) is not None and _ORGANIZATION.search(text) is None


_BARE_EMAIL = re.compile(rf"<?({EMAIL_ADDRESS})>?")
# A number without “+” is a phone number only if it is longer than a postal code.
_BARE_PHONE = re.compile(
    r"(?:\+[0-9][0-9 ().-]{6,24}[0-9]|\+[0-9](?:[0-9 .-]|\([0-9A-Za-z .-]{1,20}\)){6,24}[0-9]"
    r"|\(?[0-9](?:[ ().-]{0,2}[0-9]){9,14})(?: ?\([A-Za-z][0-9A-Za-z .,-]{0,30}\))?"
)
_UNMARKED_LABEL = re.compile(r"(?:e-?mail|phone|telephone|tel|ph)\b\.?[ \t]+(?=\S)", re.IGNORECASE)
_OLDER_LABELS = ("required", "recommended")
_FAST_TRACK = re.compile(r"\bfast[- ]track", re.IGNORECASE)
_NOT_FAST_TRACK = re.compile(r"(?:\bnot\b|\bwithout\b|n't\b)[^.]{0,60}\bfast[- ]track", re.IGNORECASE)
# The value of “Fast track:”, and other words for “not requested”.
_REQUEST = re.compile(r"(?:not )?requested(?: \(RFC 8141, Section 6\.3\))?\.?", re.IGNORECASE)
_REFUSAL = re.compile(r"(?:not?|none|n/?a|false)\b", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"[a-z]{3}\.[ \t]+[A-Z]")


def parse_registrant(inline: str, lines: list[Line]) -> Registrant:
    """Parse the section. `inline` is the text after the heading, on the same line.

    It is the organisation, unless it is prose that continues below.
    """
    below = lines[0].text.strip(" \t") if lines else ""
    if inline and (_SENTENCE_ENDS.search(inline) or below[:1].islower()):
        reader = _Reader([Line(lines[0].number - 1 if lines else 0, inline), *lines])
    else:
        reader = _Reader(lines)
        reader.values.update({"organization": inline} if inline else {})
    reader.read()
    full_text = " ".join([inline, *(line.text.strip() for line in lines)])
    return reader.registrant(full_text)


def _requests_fast_track(text: str) -> bool:
    return _FAST_TRACK.search(text) is not None and _NOT_FAST_TRACK.search(text) is None


class _Reader:
    """Reads the lines of the section from top to bottom."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.at = 0
        self.group = ""
        self.group_indent = 0
        self.is_group_indented = False
        self.values: dict[str, str] = {}
        self.sources: dict[str, tuple[str, list[Line]]] = {}
        self.name: tuple[str, list[Line]] | None = None
        self.is_name_of_person = False
        self.role: tuple[str, list[Line]] | None = None
        self.is_address_open = False
        self.kept: list[Line] = []

    def read(self) -> None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if not line.is_blank:
                self._close_group(line)
                self._read_line(line, label_of(line))
        if self.is_address_open:
            self.values["address"] = "\n".join(line.text.strip(" \t") for line in self.sources["address"][1])
        if self.name is not None:
            is_person = self.is_name_of_person or "organization" in self.values
            key = "contact_person" if is_person and "contact_person" not in self.values else "organization"
            self._assign(key, *self.name)
        if self.role is not None:
            self._assign("contact_person", *self.role)

    def _close_group(self, line: Line) -> None:
        if line.indent > self.group_indent:
            self.is_group_indented = True
        elif self.is_group_indented:
            self.group = ""

    def _read_line(self, line: Line, label: Label | None) -> None:
        if (
            label is not None
            and label.word == "role"
            and self.group == "contact_person"
            and self.role is None
        ):
            self.role = self._take_value(line, label.value)  # the contact person if no name is given
        elif label is None or not (label.group or label.field):
            self._read_unlabelled(line)
        elif label.group and label.field:
            group, self.group = self.group, label.group
            self._read_field(line, label)
            self.group = group
        elif label.group:
            self.group, self.group_indent, self.is_group_indented = label.group, line.indent, False
            if label.value:
                value, used = self._take_value(line, label.value)
                self._assign(label.group, value, used)
        else:
            self._read_field(line, label)

    def _read_field(self, line: Line, label: Label) -> None:
        if label.field in MULTILINE_FIELDS:
            self._assign(self._address_key(label.field), *self._take_block(line, label.value))
        elif label.field == "name":
            self._read_name(*self._take_value(line, label.value))
        elif label.field in _OLDER_LABELS:
            self._read_older_label(line, label)
        elif label.word == "affiliation":
            self._read_affiliation(*self._take_value(line, label.value))
        else:
            self._assign(label.field, *self._take_value(line, label.value))

    def _read_older_label(self, line: Line, label: Label) -> None:
        """Read the labels of RFC 2611: required name and address, recommended affiliation and address."""
        inner = label_of(Line(line.number, label.value)) if label.value else None
        if inner is not None and (inner.field or inner.group) and inner.field not in _OLDER_LABELS:
            self._read_line(Line(line.number, " " * line.indent + label.value), inner)
        elif not label.value and self._has_labels_below():
            return
        elif label.field == "required":
            value, used = self._take_value(line, label.value)
            name, email = split_email(value)
            self._assign("contact_person", name, used)
            self._assign("email", email, used)
        else:
            value, used = self._take_value(line, label.value)
            organization, _, address = value.partition(", ")
            self._assign("organization", organization, used)
            self._assign("address", address, used)

    def _has_labels_below(self) -> bool:
        following = self._next_filled()
        return following is None or label_of(following) is not None

    def _next_filled(self) -> Line | None:
        rest = (self.lines[at] for at in range(self.at, len(self.lines)))
        return next((line for line in rest if not line.is_blank), None)

    def _read_affiliation(self, value: str, used: list[Line]) -> None:
        role, organization = split_role(value)
        if role and self._is_open("organization"):
            self._assign("organization", organization, used)
            self.kept.append(Line(used[0].number, f"Role: {role}"))
        else:
            self._assign("organization", value, used)

    def _address_key(self, key: str) -> str:
        is_of_contact = self.group == "contact_person" or "address" in self.values
        return "postal_address" if key == "address" and is_of_contact else key

    def _read_name(self, value: str, used: list[Line]) -> None:
        if self.group and self.group not in self.values:
            self._assign(self.group, value, used)
        elif self.group or self.name is not None:
            self._assign("contact_person", value, used)
        else:
            self.name = value, used
            following = self._next_filled()
            label = label_of(following) if following else None
            self.is_name_of_person = label is not None and label.word in PERSON_LABELS

    def _read_unlabelled(self, line: Line) -> None:
        text = _UNMARKED_LABEL.sub("", line.text.strip(" \t"), count=1)
        if (mail := _BARE_EMAIL.fullmatch(text)) and self._is_open("email"):
            self._assign("email", mail[1], [line])
        elif _BARE_PHONE.fullmatch(text) and self._is_open("phone"):
            self._assign("phone", text, [line])
        elif self.group and self.group not in self.values and ":" not in text:
            self._assign(self.group, line.text.strip(" \t"), [line])
        elif self.group == "organization" and ":" not in text and self._is_address_open():
            self._extend_address(line)
        else:
            self.kept.append(line)

    def _is_address_open(self) -> bool:
        return "address" not in self.values or self.is_address_open

    def _extend_address(self, line: Line) -> None:
        """Unlabelled lines after the name of the registering organisation are its address."""
        if not self.is_address_open:
            self.is_address_open = True
            self._assign("address", line.text.strip(" \t"), [])
        self.sources["address"][1].append(line)

    def _is_open(self, key: str) -> bool:
        """Whether a value can still be assigned. The contact's e-mail address and phone number take precedence."""
        if key not in self.values:
            return True
        is_of_contact = self.group == "contact_person" and key in ("email", "phone")
        return is_of_contact and self.sources[key][0] != self.group

    def _take_value(self, line: Line, value: str) -> tuple[str, list[Line]]:
        """A one-line value with its continuation lines."""
        used = [line]
        if not value:
            value, used = self._take_block(line, "")
            return " ".join(value.split()), used
        while self.at < len(self.lines) and self._continues(line, is_deeper=True):
            used.append(self.lines[self.at])
            self.at += 1
        return " ".join(" ".join([value, *(each.text for each in used[1:])]).split()), used

    def _take_block(self, line: Line, value: str) -> tuple[str, list[Line]]:
        """A value of several lines: those indented below the label, or those that follow it without a gap."""
        below: list[Line] = []
        if not value:
            below = self._indented_below(line)
            self.at += len(below)
        if not below:
            while self.at < len(self.lines):
                if not self._continues(line, is_deeper=False) and not self._continues_after_gap(line):
                    break
                below.append(self.lines[self.at])
                self.at += 1
            below = [each for each in below if not each.is_blank]
        texts = dedent([each.text for each in below])
        return "\n".join([value, *texts] if value else texts), [line, *below]

    def _indented_below(self, line: Line) -> list[Line]:
        end = self.at
        for at in range(self.at, len(self.lines)):
            if self.lines[at].is_blank:
                continue
            if self.lines[at].indent <= line.indent:
                break
            end = at + 1
        return self.lines[self.at : end]

    def _continues(self, line: Line, *, is_deeper: bool) -> bool:
        following = self.lines[self.at]
        is_below = following.indent > line.indent if is_deeper else following.indent >= line.indent
        return not following.is_blank and is_below and label_of(following) is None

    def _continues_after_gap(self, line: Line) -> bool:
        """Whether the value continues after a blank line: the next line is indented and has no label."""
        rest = self.lines[self.at : self.at + 2]
        is_gap = len(rest) > 1 and rest[0].is_blank and not rest[1].is_blank
        return is_gap and rest[1].indent > line.indent and label_of(rest[1]) is None

    def _assign(self, key: str, value: str, used: list[Line]) -> None:
        if not value:
            return
        if key in self.values:
            if not self._is_open(key):
                self.kept += used
                return
            self.kept += self.sources[key][1]
        self.values[key] = value
        self.sources[key] = self.group, used

    def registrant(self, full_text: str) -> Registrant:
        fast_track = self.values.pop("fast_track", "")
        is_fast = not _REFUSAL.match(fast_track) if fast_track else _requests_fast_track(full_text)
        if fast_track and not _REQUEST.fullmatch(fast_track):
            self.kept += self.sources["fast_track"][1]
        others = [self.values.pop("other", ""), self._kept_text()]
        return Registrant(
            **self.values,
            other="\n\n".join(text for text in others if text),
            fast_track=is_fast,
        )

    def _kept_text(self) -> str:
        numbers = {line.number for line in self.lines if line.is_blank}
        filled = dict.fromkeys(line for line in self.kept if not line.is_blank)
        kept = sorted(filled, key=lambda line: line.number)
        texts = [line.text for line in kept[:1]]
        for before, line in pairwise(kept):
            if any(number in numbers for number in range(before.number + 1, line.number)):
                texts.append("")
            texts.append(line.text)
        return "\n".join(dedent(texts))
