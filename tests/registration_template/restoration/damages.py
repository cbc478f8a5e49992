"""A whole template of our own, and functions that damage it as mail, word processors, web pages and documents do."""

import re
from base64 import b64encode
from collections.abc import Callable
from html import escape
from quopri import encodestring

from registry.registration_template.parsing.headings import find_heading
from registry.registration_template.parsing.line_folding import Line

WHOLE = """\
Namespace Identifier: wxn
Version: 1
Date: 2026-01-31
Registrant:
Organization: Example Weather Network
Address: 1 Example Street, Exampleton
Contact person: Registrar of the network
E-mail: registrar@example.org
Purpose:
Names of measuring stations, and of the series that they record. They are
used by archives and by forecasting software.
Syntax:
name = station "/" series
station = 5DIGIT
Assignment:
The network assigns each name once. A name is never reused.
Security and Privacy:
The names contain no personal data.
Interoperability:
No issues are known.
Resolution:
No resolution is planned.
Documentation:
https://example.org/names
Additional Information:
Members print “numbers” without zeros.
Revision Information:
This is the first version.
"""


def parts_of(text: str) -> list[tuple[str, str, str]]:
    """The lines of a text: the name of a heading or "", the text on its line, and the whole line."""
    lines = text.rstrip("\n").split("\n")
    parts = []
    for number, (line, following) in enumerate(zip(lines, [*lines[1:], ""], strict=True), start=1):
        heading = find_heading(Line(number, line), Line(number + 1, following))
        is_section = heading is not None and heading.role.name == "SECTION"
        name, _, rest = line.partition(":")
        parts.append((name.strip(), rest.strip(), line) if is_section else ("", "", line))
    return parts


Damage = Callable[[str], str]


def _labels(text: str, form: str, *, alone: str = "") -> str:
    """The text with each label in another form, with {label} and {text}."""
    lines = []
    for name, rest, line in parts_of(text):
        if not name:
            lines.append(line)
        elif rest or not alone:
            lines.append(form.format(label=name, text=rest).rstrip(" "))
        else:
            lines.append(alone.format(label=name))
    return "\n".join(lines) + "\n"


def labels(form: str, *, alone: str = "") -> Damage:
    return lambda text: _labels(text, form, alone=alone)


def quoted(mark: str = "> ", above: str = "", below: str = "") -> Damage:
    return lambda text: above + "".join(f"{mark}{line}\n" for line in text.rstrip("\n").split("\n")) + below


def followed_by(end: str, above: str = "") -> Damage:
    return lambda text: above + text + end


def pages(footer: str, header: str, feed: str = "\f\n") -> Damage:
    """A page ends after each eight lines, in the middle of paragraphs too."""

    def damage(text: str) -> str:
        lines = text.rstrip("\n").split("\n")
        chunks = [lines[at : at + 8] for at in range(0, len(lines), 8)]
        pages = []
        for number, chunk in enumerate(chunks, start=1):
            pages.append("\n".join(chunk))
            if number < len(chunks):
                pages.append(f"\n{footer.format(number)}\n{feed}{header.format(number)}\n")
        return "\n".join(pages) + "\n"

    return damage


def quoted_printable(text: str) -> str:
    return encodestring(text.encode()).decode()


def message(subtype: str = "plain", encoding: str = "8bit", charset: str = "utf-8") -> Damage:
    def damage(text: str) -> str:
        octets = (html_paragraphs(text) if subtype == "html" else text).encode(charset)
        encoded = {
            "8bit": lambda: octets.decode(charset),
            "quoted-printable": lambda: encodestring(octets).decode(),
            "base64": lambda: "\n".join(re.findall(".{1,76}", b64encode(octets).decode())),
        }[encoding]()
        return (
            "From: Robin Example <registrar@example.org>\nTo: urn@ietf.example\nSubject: Request\n"
            "Date: Sat, 31 Jan 2026 12:00:00 +0000\nMIME-Version: 1.0\n"
            f"Content-Type: text/{subtype}; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n{encoded}"
        )

    return damage


def multipart(text: str) -> str:
    return (
        'From: a@example.org\nContent-Type: multipart/alternative; boundary="b1"\n\n'
        f"--b1\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
        f"--b1\nContent-Type: text/html; charset=utf-8\n\n{html_paragraphs(text)}\n--b1--\n"
    )


def html_paragraphs(text: str) -> str:
    return "\n".join(f"<p>{escape(line)}</p>" for line in text.rstrip("\n").split("\n"))


def html_breaks(text: str) -> str:
    return "<div>" + "<br>\n".join(escape(line) for line in text.rstrip("\n").split("\n")) + "</div>"


def html_preformatted(text: str) -> str:
    return f"<html><head><title>x</title></head><body><pre>{escape(text)}</pre></body></html>"


def html_word(text: str) -> str:
    lines = "".join(
        f"<p class=MsoNormal><b>{escape(name)}:</b>&nbsp;{escape(rest)}<o:p></o:p></p>\n"
        if name
        else f"<p class=MsoNormal>{escape(line)}<o:p></o:p></p>\n"
        for name, rest, line in parts_of(text)
    )
    return f"<html><head><style>p {{ margin: 0 }}</style></head><body>{lines}</body></html>"


def html_definitions(text: str) -> str:
    lines = [
        f"<dt>{escape(name)}</dt><dd>{escape(rest)}</dd>" if name else f"<dd>{escape(line)}</dd>"
        for name, rest, line in parts_of(text)
    ]
    return "<dl>\n" + "\n".join(lines) + "\n</dl>"


def html_headings(text: str) -> str:
    return "\n".join(
        f"<h3>{escape(name)}</h3>\n<p>{escape(rest)}</p>" if name else f"<p>{escape(line)}</p>"
        for name, rest, line in parts_of(text)
    )


def html_table(text: str) -> str:
    rows = [
        f"<tr><td>{escape(name)}</td><td>{escape(rest)}</td></tr>"
        if name
        else f"<tr><td></td><td>{escape(line)}</td></tr>"
        for name, rest, line in parts_of(text)
    ]
    return "<table><tbody>\n" + "\n".join(rows) + "\n</tbody></table>"


def rfc_xml(text: str) -> str:
    lines = [
        f"<dt>{escape(name)}:</dt><dd>{escape(rest)}</dd>" if name else f"<dd><t>{escape(line)}</t></dd>"
        for name, rest, line in parts_of(text)
    ]
    return (
        '<section anchor="iana"><name>IANA Considerations</name>\n<dl>\n'
        + "\n".join(lines)
        + "\n</dl></section>"
    )


def table(text: str) -> str:
    rows = [f"| {name} | {rest} |" if name else line for name, rest, line in parts_of(text)]
    return "| Field | Value |\n|---|---|\n" + "\n".join(rows) + "\n"


def full_table(text: str) -> str:
    """One row for each section; its lines are divided by “<br>”."""
    rows: list[list[str]] = []
    for name, rest, line in parts_of(text):
        if name:
            rows.append([name, rest] if rest else [name])
        elif rows:
            rows[-1].append(line)
    body = "\n".join(f"| **{name}** | {'<br>'.join(values)} |" for name, *values in rows)
    return f"| Field | Value |\n| :--- | :--- |\n{body}\n"


def replaced(old: str, new: str) -> Damage:
    return lambda text: text.replace(old, new)


def in_labels(old: str, new: str) -> Damage:
    """A replacement in each label and beside its colon."""

    def damage(text: str) -> str:
        lines = [
            f"{name}: {rest}".rstrip().replace(old, new) if name and len(rest) < 60 else line
            for name, rest, line in parts_of(text)
        ]
        return "\n".join(lines) + "\n"

    return damage


def lower(text: str) -> str:
    return (
        "\n".join(f"{name.lower()}: {rest}".rstrip() if name else line for name, rest, line in parts_of(text))
        + "\n"
    )


LIST_FOOTER = (
    "_______________________________________________\nurn mailing list -- urn@ietf.example\n"
    "To unsubscribe send an email to urn-leave@ietf.example\n"
)
OLD_LIST_FOOTER = (
    "\n_______________________________________________\nurn mailing list\nurn@ietf.example\n"
    "https://www.ietf.example/mailman/listinfo/urn\n"
)
GROUP_FOOTER = (
    "\n-- \nYou received this message because you are subscribed to the Google Groups “names” group.\n"
    "To unsubscribe from this group, send an email to names+unsubscribe@groups.example.\n"
)
FORWARDED = (
    "---------- Forwarded message ---------\nFrom: Robin Example <registrar@example.org>\nDate: Sat, Jan 31, 2026\n"
    "Subject: Request\nTo: <urn@ietf.example>\n\n"
)
WROTE = "On Sat, 31 Jan 2026 at 12:00, Robin Example <registrar@example.org> wrote:\n\n"
LATER = (
    "\n5.  Security Considerations\n\n   See RFC 8141.\n\n6.  References\n\n   [RFC8141]  Uniform Resource Names\n\n"
    "Author's Address\n\n   Robin Example\n"
)
RFC_FOOTER = "Example                  Informational                    [Page {}]"
RFC_HEADER = "RFC 9999                Example Names               November 2026"

DAMAGES: dict[str, tuple[str, Damage]] = {
    "quoted": ("quoting", quoted()),
    "quoted twice": ("quoting", quoted("> > ")),
    "quoted twice, dense": ("quoting", quoted(">> ")),
    "quoted without space": ("quoting", quoted(">")),
    "quoted below a reply": ("quoting", quoted(above=f"Thank you.\n\n{WROTE}", below="\nI agree.\n")),
    "quoted, forwarded": ("quoting", quoted(above=WROTE, below=">\n> -- \n> Robin Example\n")),
    "forwarded": ("quoting", followed_by("", above=FORWARDED)),
    "above an earlier message": ("quoting", followed_by(f"\n{WROTE}> Please send it.\n> Thanks.\n")),
    "message": ("mail", message()),
    "message, quoted-printable": ("mail", message(encoding="quoted-printable")),
    "message, Windows": ("mail", message(encoding="quoted-printable", charset="cp1252")),
    "message, base64": ("mail", message(encoding="base64")),
    "message, HTML": ("mail", message("html", "base64")),
    "message of two parts": ("mail", multipart),
    "part without a header": ("mail", lambda text: multipart(text).partition("\n\n")[2]),
    "quoted-printable": ("quoted-printable", quoted_printable),
    "“=3D” alone": ("quoted-printable", replaced("=", "=3D")),
    "signature": ("signature", followed_by("\n-- \nRobin Example\nExample Weather Network\n+1 555 0100\n")),
    "signature, trimmed": ("signature", followed_by("\n--\nRobin Example\n")),
    "closing": ("signature", followed_by("\nBest regards,\nRobin Example\n")),
    "closing, phone": ("signature", followed_by("\nSent from my phone\n")),
    "list footer": ("list-footer", followed_by(f"\n{LIST_FOOTER}")),
    "list footer, older": ("list-footer", followed_by(OLD_LIST_FOOTER)),
    "signature and list footer": ("signature", followed_by(f"\n-- \nRobin Example\n{OLD_LIST_FOOTER}")),
    "group footer": ("list-footer", followed_by(GROUP_FOOTER)),
    "later sections": ("afterwards", followed_by(LATER, above="4.  IANA Considerations\n\n")),
    "author's address": ("afterwards", followed_by("\nAuthor's Address\n\nRobin Example\n")),
    "pages of an RFC": ("pages", pages(RFC_FOOTER, RFC_HEADER)),
    "pages of an RFC, without feeds": ("pages", pages(RFC_FOOTER, RFC_HEADER, feed="\n\n")),
    "pages of a draft": (
        "pages",
        pages(
            "Example               Expires 24 May 2027               [Page {}]",
            "Internet-Draft            Example Names            November 2026",
        ),
    ),
    "pages of a PDF": ("pages", pages("Page {} of 12", "Request of the Example Weather Network")),
    "page numbers": ("pages", pages("{}", "")),
    "form feeds": ("pages", pages("", "")),
    "fence": ("fence", lambda text: f"```\n{text}```\n"),
    "fence of text": ("fence", lambda text: f"Our request:\n\n~~~ text\n{text}~~~\n\nThank you all.\n"),
    "closing fence": ("fence", followed_by("```\n")),
    "bold of mail": ("labels", labels("*{label}:* {text}")),
    "bold of mail, colon outside": ("labels", labels("*{label}*: {text}")),
    "bold": ("labels", labels("**{label}:** {text}")),
    "bold, colon outside": ("labels", labels("**{label}**: {text}")),
    "bold, no colon": ("labels", labels("**{label}** {text}")),
    "underscores": ("labels", labels("__{label}:__ {text}")),
    "code": ("labels", labels("`{label}`: {text}")),
    "list, bold": ("labels", labels("- **{label}:** {text}")),
    "list, stars": ("labels", labels("* **{label}**: {text}")),
    "numbered, bold": ("labels", labels("1. **{label}:** {text}")),
    "heading": ("labels", labels("## {label}\n\n{text}", alone="## {label}")),
    "heading 4, closed": ("labels", labels("#### {label} ####\n{text}", alone="#### {label} ####")),
    "heading with colon": ("labels", labels("### {label}: {text}")),
    "heading, bold": ("labels", labels("## **{label}**\n{text}", alone="## **{label}**")),
    "wiki heading": ("labels", labels("== {label} ==\n{text}", alone="== {label} ==")),
    "wiki heading 3": ("labels", labels("==={label}===\n{text}", alone="==={label}===")),
    "AsciiDoc heading": ("labels", labels("== {label}\n\n{text}", alone="== {label}")),
    "definition list": ("labels", labels("{label}\n: {text}", alone="{label}:")),
    "definition list, wiki": ("labels", labels("; {label} : {text}", alone="; {label}:")),
    "field list": ("labels", labels(":{label}: {text}")),
    "AsciiDoc list": ("labels", labels("{label}:: {text}")),
    "table": ("labels", table),
    "table of all": ("labels", full_table),
    "HTML, paragraphs": ("html", html_paragraphs),
    "HTML, breaks": ("html", html_breaks),
    "HTML, preformatted": ("html", html_preformatted),
    "HTML of Word": ("html", html_word),
    "HTML, definitions": ("html", html_definitions),
    "HTML, headings": ("html", html_headings),
    "HTML, table": ("html", html_table),
    "XML of an RFC": ("html", rfc_xml),
    **{
        f"bullet U+{ord(bullet):04X}": ("labels", labels(f"{bullet} {{label}}: {{text}}"))
        for bullet in "·–—+◦▪‣●\uf0b7\uf0a7"
    },
    "bullet and tab": ("labels", labels("·\t{label}: {text}")),
    "bullet and no-break space": ("spaces", labels("·\u00a0{label}: {text}")),
    "full-width colon": ("labels", labels("{label}：{text}")),
    "no-break space before the colon": ("spaces", labels("{label}\u00a0: {text}")),
    "equals sign": ("labels", labels("{label} = {text}")),
    "dash": ("labels", labels("{label} – {text}")),
    "long dash": ("labels", labels("{label} — {text}")),
    "hyphen": ("labels", labels("{label} - {text}")),
    "tab": ("labels", labels("{label}\t{text}", alone="{label}:")),
    "lower case": ("labels", lower),
    "no-break spaces": ("spaces", in_labels(" ", "\u00a0")),
    "no-break space after the colon": ("spaces", in_labels(": ", ":\u00a0")),
    "narrow spaces": ("spaces", in_labels(" ", "\u202f")),
    "zero-width space": ("invisible", in_labels(": ", ": \u200b")),
    "word joiner": ("invisible", in_labels(" ", " \u2060")),
    "byte order marks": ("invisible", replaced("\n", "\n\ufeff")),
    "direction marks": ("invisible", in_labels(":", "\u200e:")),
    "soft hyphens": ("invisible", replaced("Identifier", "Iden\u00adtifier")),
    **{
        f"quoted by {mark.strip()}": ("quoting", quoted(mark))
        for mark in ("RE> ", "Robin> ", " AB>> ", "&gt; ", "» ", "} ", "# ", "// ", ";; ", "+", "* ", "-- ")
    },
    "quoted below a reply, with initials": (
        "quoting",
        quoted("RE> ", above=f"Thank you.\n\n{WROTE}", below="\nI agree.\n"),
    ),
    "above an earlier message, wrapped": (
        "quoting",
        followed_by(
            "\nOn Sat, 31 Jan 2026 at 12:00, Robin Example\n<registrar@example.org> wrote:\n\n> Please send it.\n"
        ),
    ),
    "line numbers": (
        "quoting",
        lambda text: "".join(
            f"{number:>4}  {line}\n" for number, line in enumerate(text[:-1].split("\n"), start=1)
        ),
    ),
    **{
        f"end, {end.splitlines()[0]}": (kind, followed_by(f"\n{end}\n"))
        for kind, end in (
            ("signature", "Viele Grüße\nRobin"),
            ("signature", "С уважением,\nRobin"),
            ("signature", "Best regards, Robin Example"),
            ("signature", "Sent from Outlook for iOS"),
            ("signature", "—\nRobin Example"),
            ("list-footer", "CONFIDENTIALITY NOTICE: This e-mail is for the addressee only."),
            (
                "list-footer",
                "-=-=-=-=-=-=-=-=-=-\nGroups.io Links: You receive all messages sent to this group.",
            ),
            ("list-footer", "—\nYou are receiving this because you are subscribed to this thread."),
        )
    },
    "signed in clear": (
        "signature",
        lambda text: followed_by(
            "-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n",
            above="-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n",
        )(re.sub("^-", "- -", text, flags=re.MULTILINE)),
    ),
    "form feeds as ^L": ("pages", pages(RFC_FOOTER, RFC_HEADER, feed="^L\n")),
    "AsciiDoc block": ("fence", lambda text: f"----\n{text}----\n"),
    "details": ("fence", followed_by("\n</details>\n", above="<details>\n<summary>Template</summary>\n\n")),
    "escapes": (
        "escapes",
        lambda text: re.sub(r"([-*_<>\"])", r"\\\1", text),
    ),
    "escapes and bold": (
        "escapes",
        lambda text: labels("**{label}:** {text}")(text.replace('"', '\\"').replace(">", "\\>")),
    ),
    "hard breaks": ("escapes", replaced("\n", "\\\n")),
    "entities": ("escapes", lambda text: escape(text).replace("“", "&ldquo;").replace("”", "&#8221;")),
    "entity of a space": ("escapes", labels("{label}:&nbsp;{text}")),
    "wrong encoding": (
        "encoding",
        lambda text: "".join(
            bytes([octet]).decode("cp1252", "ignore") or chr(octet) for octet in text.encode()
        ),
    ),
    "byte order mark in a wrong encoding": ("encoding", followed_by("", above="ï»¿")),
    **{
        f"U+{ord(unseen):04X} after the colon": ("invisible", in_labels(": ", f": {unseen}"))
        for unseen in "\u034f\u180e\u200c\u200d\u3164\ufe0f\U000e0020"
    },
    "ligatures": ("typography", replaced("fi", "\ufb01")),
    "special hyphens in the date": ("typography", replaced("2026-01-31", "2026\u201101\u201131")),
    "check boxes": ("labels", labels("- [x] **{label}**: {text}")),
    "links": ("labels", labels("[{label}](https://www.rfc-editor.org/rfc/rfc8141): {text}")),
    "heading, link": ("labels", labels("## [{label}](#x)\n{text}", alone="## [{label}](#x)")),
    "heading, anchor": ("labels", labels("## {label} {{#x}}\n{text}", alone="## {label} {{#x}}")),
    "heading, symbol": ("labels", labels("### \U0001f4dd {label}\n{text}", alone="### \U0001f4dd {label}")),
    "kramdown list": ("labels", labels("{label}:\n\n: {text}", alone="{label}:")),
    "reStructuredText": (
        "labels",
        labels("==========\n{label}\n==========\n\n{text}", alone="==========\n{label}\n=========="),
    ),
    "titles alone": ("labels", labels("{label}\n{text}", alone="{label}")),
    "titles alone, indented text": ("labels", labels("{label}\n   {text}", alone="{label}")),
    "AsciiDoc block titles": ("labels", labels(".{label}\n{text}", alone=".{label}")),
    "Org headings": ("labels", labels("** {label}\n{text}", alone="** {label}")),
    "wiki bold": ("labels", labels("'''{label}:''' {text}")),
    "cells by tabs": ("labels", labels("{label}\t{text}", alone="{label}")),
    **{
        f"label in {form}": ("labels", labels(form))
        for form in (
            "[{label}] {text}",
            '"{label}": {text}',
            "“{label}”: {text}",
            "{label}; {text}",
            "{label} → {text}",
            "{label} => {text}",
            "{label}\ua789 {text}",
            "ii) {label}: {text}",
            "[1] {label}: {text}",
            "1 - {label}: {text}",
            "Section 1: {label}: {text}",
        )
    },
    **{
        f"bullet U+{ord(bullet):04X}": ("labels", labels(f"{bullet} {{label}}: {{text}}"))
        for bullet in "⁃□►➢✓→※‐−\uf0a8\uf0fc"
    },
    "HTML, summaries": (
        "html",
        lambda text: "\n".join(
            f"<summary>{escape(name)}</summary><p>{escape(rest)}</p>" if name else f"<p>{escape(line)}</p>"
            for name, rest, line in parts_of(text)
        ),
    ),
    "XML of an RFC, version 2": (
        "html",
        lambda text: "\n".join(
            f'<t hangText="{escape(name)}:">{escape(rest)}</t>' if name else f"<t>{escape(line)}</t>"
            for name, rest, line in parts_of(text)
        ),
    ),
    "XML of an RFC, sections": (
        "html",
        lambda text: "\n".join(
            f'<section title="{escape(name)}"><t>{escape(rest)}</t>' if name else f"<t>{escape(line)}</t>"
            for name, rest, line in parts_of(text)
        ),
    ),
    "XML of an RFC, artwork": (
        "html",
        lambda text: (
            f'<section title="Template"><figure><artwork><![CDATA[\n{text}]]></artwork></figure></section>'
        ),
    ),
    "DocBook": (
        "html",
        lambda text: "\n".join(
            f"<section><title>{escape(name)}</title><para>{escape(rest)}</para>"
            if name
            else f"<para>{escape(line)}</para>"
            for name, rest, line in parts_of(text)
        ),
    ),
    "quoted, bold": ("quoting", lambda text: quoted()(labels("**{label}:** {text}")(text))),
    "quoted, quoted-printable": ("quoting", lambda text: quoted_printable(quoted()(text))),
    "message, quoted, signed": (
        "mail",
        lambda text: message(encoding="quoted-printable")(quoted(below="\n-- \nRobin Example\n")(text)),
    ),
    "bold, fence": ("fence", lambda text: f"```\n{labels('**{label}:** {text}')(text)}```\n"),
}


NEAR_NAMES = {
    "Resolution": (
        "Resolution Mechanism",
        "Resolution Process",
        "Resolution Services",
        "Resolution and Services",
        "Resolution (if any)",
        "Resoluton",
    ),
    "Documentation": ("References", "Specification", "Documentaton", "Bibliography"),
    "Revision Information": (
        "Changes",
        "Change Log",
        "Revision Notes",
        "Revisions",
        "Revision Informations",
        "History",
    ),
    "Security and Privacy": (
        "Security & Privacy Considerations",
        "Security/Privacy",
        "Privacy and Security",
        "Privacy Considerations",
        "Security / Privacy considerations",
        "Privacy & Security Concerns",
        "Security and Privacy Consideration",
    ),
    "Purpose": ("Purpose and scope", "Purpose of the Namespace", "Purposes", "Purpose/Scope", "Rationale"),
    "Namespace Identifier": ("NID", "Namespace Identifer", "Requested NID", "URN Namespace"),
    "Syntax": (
        "Syntax of the NSS",
        "Syntax and Structure",
        "Syntaxis",
        "Syntax (ABNF)",
        "Syntax Definition",
        "Grammar",
    ),
    "Assignment": ("Assignment of Identifiers", "Assignment Process", "Assignments", "Assignment of URNs"),
    "Interoperability": ("Interoperability Issues", "Interoperabilty"),
    "Additional Information": (
        "Additional Info",
        "Further Information",
        "Additional informations",
        "Remarks",
    ),
    "Registrant": ("Registrant Details", "Registrants", "Applicant"),
    "Version": ("Version No.", "Registration Version"),
    "Date": ("Date of Request", "Submission Date", "Last updated"),
}
