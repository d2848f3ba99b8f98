"""A reading of a URL taken apart into what is independent, for comparing member by member."""

from url_readings import MEMBERS, Reading, URLDifference

WEB = ("http:", "https:", "ws:", "wss:", "ftp:")
"""The special schemes that name a host to contact."""

Parts = dict[str, str]


class Pair:
    """A difference while it is being explained. Classes change `ours` and `theirs` until nothing differs."""

    def __init__(self, difference: URLDifference) -> None:
        self.text = difference.case.url.decode("utf-8", "replace")
        self.base = (difference.case.base or b"").decode("utf-8", "replace")
        self.ours, self.theirs = parts(difference.ours), parts(difference.theirs)
        self.scheme = (self.theirs or self.ours).get("protocol", "")

    @property
    def is_web(self) -> bool:
        return self.scheme in WEB

    @property
    def is_special(self) -> bool:
        return self.scheme in (*WEB, "file:")

    @property
    def only_ours(self) -> bool:
        """Only we take it for a URL."""
        return not self.theirs

    @property
    def only_theirs(self) -> bool:
        """Only the browser takes it for a URL."""
        return not self.ours

    @property
    def has_whitespace(self) -> bool:
        return any(character in self.text for character in "\t\r\n")

    def accept(self) -> bool:
        """Explains everything."""
        self.theirs = self.ours
        return True

    def differs(self, part: str) -> bool:
        return bool(self.ours and self.theirs) and self.ours[part] != self.theirs[part]

    def replace(self, part: str, theirs: str, ours: str) -> bool:
        """Explains that the browser writes `theirs` in this part where we write `ours`; false when it is not so."""
        if not self.differs(part) or theirs not in self.theirs[part]:
            return False
        self.theirs[part] = self.theirs[part].replace(theirs, ours)
        self.ours[part] = self.ours[part].replace(theirs, ours)
        return True

    def settle(self, *names: str) -> bool:
        """Explains these parts as they are; false when none differs."""
        differing = [name for name in names if self.differs(name)]
        for name in differing:
            self.theirs[name] = self.ours[name]
        return bool(differing)

    @property
    def is_explained(self) -> bool:
        return self.ours == self.theirs


def parts(reading: Reading) -> Parts:
    """The members that do not follow from others, the marks that no member shows, and whether the rest follows.

    What is no URL has none.

    `authority` is `//`, `/.` or nothing; search and hash keep a lone `?` or `#`; `follows` is empty when `href`, `host`
    or the origin of a web URL contradict the other members.
    """
    if reading is None:
        return {}
    found = dict(zip(MEMBERS, reading, strict=True))
    href, host = found.pop("href"), found.pop("host")
    follows = host == found["hostname"] + (":" + found["port"] if found["port"] else "")
    if found["protocol"] in WEB:
        follows = found.pop("origin") == f"{found['protocol']}//{host}" and follows
    written = _written(found, host, href)
    found["authority"], found["search"], found["hash"] = written or (href, *_marks(found, href))
    found["follows"] = "yes" if follows and written else ""
    return found


def _marks(found: Parts, href: str) -> tuple[str, str]:
    """Search and hash with a lone `?` and `#`."""
    before, mark, _ = href.partition("#")
    return found["search"] or ("?" if before.endswith("?") else ""), found["hash"] or mark


def _written(found: Parts, host: str, href: str) -> tuple[str, str, str] | None:
    """The marks with which the members give the href; None when nothing does."""
    credentials = found["username"] + (":" + found["password"] if found["password"] else "")
    authority = "//" + (credentials + "@" if credentials else "") + host
    for before in (authority, "", "/."):
        for search in dict.fromkeys((found["search"], found["search"] or "?")):
            for fragment in dict.fromkeys((found["hash"], found["hash"] or "#")):
                if found["protocol"] + before + found["pathname"] + search + fragment == href:
                    return before[:2], search, fragment
    return None
