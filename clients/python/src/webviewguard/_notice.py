"""The page that stands in place of one that may not load: what happened, and what the user can do.

    notice(decision, url="https://a.example/", languages=["de"], actions={"back": "my-app:back"})    # "<!doctype…"

Words and template are those of `notice.json`, which the clients of all languages share. The page needs no script and
loads nothing. Whatever is put into it becomes text, whoever wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from webviewguard._decision import Decision
from webviewguard._notice_text import address_of, ascii_of, name_of, shown, template, text_of

NoticeKind = Literal["block", "warn", "redirect", "notCompliant", "wiped", "guardAway"]
NoticeAction = Literal["open", "exception", "retry", "back", "continue"]

_ACTIONS: tuple[str, ...] = get_args(NoticeAction)
# `javascript:` and the like never become a link, whoever wrote the policy.
_CONTACT = re.compile(r"(?:https|mailto|tel):[^\x00-\x20]+")
_COLOR = re.compile(r"#[0-9A-Fa-f]{6}")
_WORD = re.compile(r"[A-Za-z0-9]{1,64}")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):")
_PLACEHOLDER = re.compile(r"\{([A-Za-z]+)\}")


@dataclass(frozen=True)
class Organization:
    """What the policy says of the organisation. Colours are `#rrggbb`; a value that cannot be shown is left out."""

    name: str = ""
    # The person or desk to ask, in words: "the help desk (0800 123)".
    contact: str = ""
    # Where that person is reached: an `https:`, `mailto:` or `tel:` URL.
    contact_link: str = ""
    color: str = ""
    dark_color: str = ""

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> "Organization":
        """That of an object of the wire, `{"name": "Contoso", "contactLink": "mailto:help@contoso.com"}`."""
        names = {"name": "name", "contact": "contact", "contactLink": "contact_link", "color": "color"}
        names["darkColor"] = "dark_color"
        return cls(**{name: members[wire] for wire, name in names.items() if isinstance(members.get(wire), str)})


def notice(
    decision: Decision,
    *,
    url: str = "",
    languages: Sequence[str] = (),
    organization: Organization | Mapping[str, Any] | None = None,
    actions: Mapping[str, str] | None = None,
) -> str:
    """The page, as HTML.

    `actions` are the links of the buttons, which only the app can carry out: `open` (state it only when the program of
    the offer is there), `exception`, `retry`, `back`, and `continue` of a warning, which gets the user's reason as the
    query `justification`. Those that do not fit the decision are left out. `languages` are the user's, preferred first.
    Raises ValueError for an action that no notice has.
    """
    given = actions or {}
    if strange := [name for name in given if name not in _ACTIONS]:
        raise ValueError(f"no notice has the action `{strange[0]}`")
    known = organization if isinstance(organization, Organization) else Organization.read(organization or {})
    return _Page(decision, url, known, given, languages).html()


def notice_kind(decision: Decision) -> NoticeKind:
    """What sort of notice it is. An answer that no table knows is a plain `block`; of nobody's answer, `guardAway`."""
    kind = template()["outcomes"].get(decision.outcome) or _about(decision)["kind"]
    return cast(NoticeKind, kind)


def notice_code(decision: Decision) -> str:
    """What a user reads out at the help desk, and `webviewguard explain` takes: the decision's id, or for a decision
    that has none, since it was made here, the reason. `7353-4481-5116-5139`, `noAnswer`"""
    if decision.id.isascii() and decision.id.isdigit():
        return "-".join(decision.id[at : at + 4] for at in range(0, len(decision.id), 4))
    return decision.reason if _WORD.fullmatch(decision.reason) else "unknown"


def notice_sentence(decision: Decision, languages: Sequence[str] = ()) -> str:
    """Why, for a person: the policy's own words where it has some, else the built-in ones in the person's language."""
    words, key = _words(languages)[1]["sentences"], _about(decision)["sentence"]
    built_in = template()["languages"]["en"]["sentences"].get(key)
    sentence: str = words[key]
    return shown(decision.message) if decision.message and decision.message != built_in else sentence


def _about(decision: Decision) -> Mapping[str, str]:
    other = ("guardAway", "notJudged") if decision.is_local else ("block", "other")
    found: Mapping[str, str] = template()["reasons"].get(decision.reason, dict(zip(("kind", "sentence"), other)))
    return found


class _Page:
    """One page that is being written."""

    def __init__(
        self,
        decision: Decision,
        url: str,
        organization: Organization,
        links: Mapping[str, str],
        languages: Sequence[str],
    ) -> None:
        self._decision, self._organization = decision, organization
        self._kind, self._code = notice_kind(decision), notice_code(decision)
        self._host, self._address = address_of(url)
        self._sentence = notice_sentence(decision, languages)
        self._language, self._words = _words(languages)
        link = organization.contact_link
        self._asked = ascii_of(link) if _CONTACT.fullmatch(link) else ""
        self._contact = _with_subject(self._asked, self._code)
        self._links = self._fitting(links)

    def html(self) -> str:
        data, words = template(), self._words
        title = "action" if self._kind == "block" and not self._address else self._kind
        warns = self._kind == "warn" and "continue" in self._links
        values = {
            "lang": self._language, "dir": words["dir"], "kind": self._kind, "icon": data["kinds"][self._kind]["icon"],
            "title": text_of(words["titles"][title]), "sentence": text_of(self._sentence),
            "style": "\n".join(data["style"]),
            "forms": self._forms() if warns else "'none'",
            "organization": self._part("organization", name=self._organization.name),
            "host": self._part("host", host=self._host),
            "hint": self._part("hint", hint=words["hints"]["warn"] if warns else ""),
            "form": self._form() if warns else "", "buttons": self._buttons(), "facts": self._facts(), **self._colors(),
        }  # fmt: skip
        return _filled(data["page"], values)

    def _fitting(self, links: Mapping[str, str]) -> dict[str, str]:
        """The links that say something about this decision."""
        fitting = {name: link for name, link in links.items() if link and (name != "open" or self._decision.open)}
        if self._contact:
            fitting.setdefault("exception", self._contact)
        return fitting

    def _part(self, name: str, /, **values: str) -> str:
        """A part of the template; empty without a value to show."""
        if not all(values.values()):
            return ""
        return _filled(template()["parts"][name], {key: text_of(value) for key, value in values.items()})

    def _buttons(self) -> str:
        names = [name for name in template()["kinds"][self._kind]["actions"] if name in self._links]
        buttons = [
            self._part("button" if at else "mainButton", action=name, href=self._links[name], label=self._label(name))
            for at, name in enumerate(names)
        ]
        return _filled(template()["parts"]["buttons"], {"buttons": "\n".join(buttons)}) if buttons else ""

    def _label(self, action: str) -> str:
        offer = self._decision.open
        is_other = action == "open" and offer is not None and offer.target != "managedBrowser"
        label: str = self._words["buttons"]["openOther" if is_other else action]
        return label

    def _form(self) -> str:
        label, button = self._words["labels"]["justification"], self._words["buttons"]["continue"]
        return self._part("form", href=self._links["continue"], label=label, button=button)

    def _forms(self) -> str:
        """Where a form may go: to the app's own scheme."""
        scheme = _SCHEME.match(self._links["continue"])
        return f"{scheme[1]}:" if scheme else "'self'"

    def _facts(self) -> str:
        d, known = self._decision, self._organization
        contact = known.contact or _spoken(self._asked)
        rule = f"{d.rule} ({d.rule_set})" if d.rule and d.rule_set else d.rule
        facts = [
            self._fact("address", self._address, "ltr"), self._fact("account", name_of(d.identity), "ltr"),
            self._fact("rule", name_of(rule), "ltr"), self._fact("contact", contact, "auto", self._contact),
            self._fact("code", self._code, "ltr"),
        ]  # fmt: skip
        return "\n".join(filter(None, facts))

    def _fact(self, name: str, value: str, direction: str, href: str = "") -> str:
        about = {"label": self._words["labels"][name], "value": value, "dir": direction}
        return self._part("linkedFact", href=href, **about) if href else self._part("fact", **about)

    def _colors(self) -> dict[str, str]:
        """The organisation's colours, each with black or white upon it, whichever is read better."""
        colors, said = template()["colors"], self._organization
        light = said.color if _COLOR.fullmatch(said.color) else ""
        dark = said.dark_color if _COLOR.fullmatch(said.dark_color) else light
        light, dark = light or colors["color"], dark or colors["darkColor"]
        return {"color": light, "darkColor": dark, "onColor": _upon(light), "onDarkColor": _upon(dark)}


def _words(languages: Iterable[str]) -> tuple[str, Mapping[str, Any]]:
    """The first of these languages that there are words of, by its first part; else English."""
    known = template()["languages"]
    for language in languages:
        tag = re.split("[-_]", language)[0].lower()
        if tag in known:
            return tag, known[tag]
    return "en", known["en"]


def _filled(lines: Sequence[str], values: Mapping[str, str]) -> str:
    """The lines with their values, once: a value is never read for placeholders. A line is left out whose only content
    is a value that is empty."""
    kept = [line for line in lines if not (whole := _PLACEHOLDER.fullmatch(line)) or values[whole[1]]]
    return "\n".join(_PLACEHOLDER.sub(lambda found: values[found[1]], line) for line in kept)


def _with_subject(link: str, code: str) -> str:
    takes_one = link.startswith("mailto:") and "?" not in link and "#" not in link
    return f"{link}?subject=webviewguard%20{code}" if takes_one else link


def _spoken(link: str) -> str:
    """A link as a person says it: `help@contoso.com`"""
    return re.split("[:?]", link)[1] if link.startswith(("mailto:", "tel:")) else link


def _upon(color: str) -> str:
    """The colour of text upon this one: with the better of the two the contrast is never below 4.5."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    is_dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179
    white: str = template()["colors"]["onLight"]
    black: str = template()["colors"]["onDark"]
    return white if is_dark else black
