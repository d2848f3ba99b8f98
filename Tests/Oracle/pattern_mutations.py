"""Makes URL patterns, and inputs that nearly match them."""

import random
import re
from collections.abc import Mapping, Sequence

from pattern_readings import COMPONENTS, PatternText

PATTERNS: Mapping[str, Sequence[str]] = {
    "protocol": (
        "https", "http", "http{s}?", "*", ":scheme", "(https|http)", "ws{s}?", "(ws|http)s?", "data", "foo", "file",
        "HTTPS", "{https}", "h*", "blob", "about", "(.*)", "", "fo{o}+", "javascript", "https:",
    ),
    "username": ("*", "user", ":name", "", "(u.*)", "ü", "u%20r", "{a}?b", "us:er"),
    "password": ("*", "pass", ":word", "", "(p+)", "p/w", "p:w"),
    "hostname": (
        "example.com", "*.example.com", ":sub.example.com", "{*.}?example.com", "{:sub.}*example.com", "EXAMPLE.com",
        "*", "(a|b).example", "bücher.example", "xn--bcher-kva.example", "127.0.0.1", "0x7f.1", "[\\:\\:1]",
        "{[\\:\\:ab\\::x]}", "localhost", ":a-:b.example", "a%2eb.example", "", "*example*", "(.*)", "{a,b}.example",
        "ex\\*ample.com", "café.*", ":a.:b.:c", "a b", "{www.}+example.com", "([^.]+).example.com", "*.com.",
        "a_b.example", "example.com#x", "例え.jp",
    ),
    "port": (
        "", "*", "8080", "443", "80", "(80|443)", "80{80}?", ":port", "([0-9]+)", "8*", "808\\0", "65536", "0080", "a",
        "{80}",
    ),
    "pathname": (
        "/", "/*", "/a/b", "/:id", "/:id?", "/:id*", "/:id+", "/a/:id(\\d+)", "/a{/b}?", "/a{/b}*/c", "/a{/:x}+",
        "/(.*)", "/([a-z]+)/x", "*", "", "/a/*/b", "/*.html", "/:file.:ext", "/a/../b", "/./:x", "/%61", "/é", "/a b",
        "/A/b", "/a\\:b", "/a\\*", "{/a}/:b", "/:a/:b(x|y)?", "/foo{-:bar}?", "/:a-:b", "/a/b/", "opaque/:x", "a:b",
        "/{a}?*", "/(?:a|b)", "/(a(?:b)?)", "/x([\\w-]+)y", "/:\u00fcml", "/:a1_$b", "/**", "/a(b", "/{a{b}}", "/:",
        "/)", "/\\", "/:x(\\d{2,3})", "/(\\p{L}+)", "/([^/]+?)", "/a?b", "/a+",
    ),
    "search": (
        "*", "", "q=:q", "q=*", "a=1{&b=2}?", "(.*)x", "q=%20", "é", "q=a b", "\\?q", "a=:a&b=:b", ":x(\\d+)*", "'",
    ),
    "hash": ("*", "", ":frag", "top", "(t.*)", "#x", "é", "a b", "{x}?", "\\#"),
}  # fmt: skip

TEXTS: Mapping[str, Sequence[str]] = {
    "protocol": ("https", "http", "wss", "ws", "data", "foo", "fooo", "file", "HTTPS", "blob", "about"),
    "username": ("user", "", "ü", "b", "ab"),
    "password": ("pass", "", "pp", "p/w"),
    "hostname": (
        "example.com", "www.example.com", "a.b.example.com", "a.example", "bücher.example", "127.1", "127.0.0.1",
        "[::1]", "[::ab:1]", "localhost", "EXAMPLE.COM", "a.b.example", "xn--bcher-kva.example", "example.com.",
        "evil.example", "例え.jp", "",
    ),
    "port": ("", "8080", "443", "80", "8081", "0080", "65535", "8", "x"),
    "pathname": (
        "/", "/a", "/a/b", "/a/b/", "/a/12", "/a/b/b/c", "/a/c", "/x/y/z", "/index.html", "/a/../b", "/%61", "/é",
        "/a%20b", "/A/B", "/a:b", "/a*", "/foo-bar", "/x-y", "", "opaque/x", "/a//b", "/b", "/x12y", "/\n", "/a/b?c",
        "\\a",
    ),
    "search": ("", "q=1", "q=a b", "a=1", "a=1&b=2", "x", "12", "é", "q=%20", "?q"),
    "hash": ("", "top", "x", "é", "a b", "t", "#x"),
}  # fmt: skip

PIECES = (
    "*", ":x", ":id", "?", "+", "{", "}", "(", ")", "(.*)", "(a|b)", "\\", "\\*", ":", "/", "//", ".", "{/x}?",
    "{:y}*", "#", "@", "[", "]", "%20", "é", "\u0301", "(?<n>x)", "(?i:a)", "(\\d)", "(\\w+)", "([a-z&&[aeiou]])",
    "([^x])", "(^a)", "(a$)", "(\\b)", "(x{2})", "(x{,2})", "(?=a)", "(a*?)", "(\\u0061)", "(\\x61)", "( )", "(é)",
    "[::1]", "&", "=", "\t", "\n", "😀", "-", "..", "/../", "%", "|", "^", "'", "\"",
)  # fmt: skip
BASES = (
    "https://example.com",
    "https://user:pw@www.example.com:8080/a/b?q=1#top",
    "foo://h/a",
    "data:x",
    "file:///a/b",
    "nonsense",
)

TOKEN = re.compile(
    r"\\(.)|:([\w$]+)(\([^()]*\))?|\((?:[^()\\]|\\.|\([^()]*\))*\)|\*|\{([^{}]*)\}([?*+]?)|[?+](?=$|[/{.])", re.DOTALL
)


class PatternMutations:
    """A seeded source of patterns and of what to try them on."""

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def pattern(self) -> tuple[PatternText, str | None]:
        """A pattern and its base. Half are strings; a third has been changed here and there."""
        random = self._random
        parts = {name: self._part(name) for name in COMPONENTS if random.random() < self._weight(name)}
        if random.random() < 0.3 and parts:
            name = random.choice(list(parts))
            parts[name] = self.changed(parts[name])
        if random.random() < 0.5:
            base = random.choice(BASES) if random.random() < 0.1 else None
            return (parts | {"baseURL": base} if base else parts), None
        text = self._joined(parts)
        text = self.changed(text) if random.random() < 0.2 else text
        return text, random.choice(BASES) if random.random() < 0.2 or not parts.get("protocol") else None

    def changed(self, text: str) -> str:
        """The text with a piece of a pattern put in, or something taken out."""
        at = self._random.randint(0, len(text))
        if self._random.random() < 0.75:
            return text[:at] + self._random.choice(PIECES) + text[at:]
        return text[:at] + text[at + self._random.randint(1, 3) :]

    def inputs(self, pattern: PatternText, count: int) -> tuple[PatternText, ...]:
        """Things to try it on: what its text suggests, with some parts exchanged, as strings and as objects."""
        return tuple(self._input(pattern) for _ in range(count))

    def _input(self, pattern: PatternText) -> PatternText:
        random = self._random
        if isinstance(pattern, str):
            text = self._instance(pattern)
            return text if "://" in text or random.random() < 0.5 else random.choice(TEXTS["protocol"]) + "://" + text
        chosen = {n: self._instance(t) for n, t in pattern.items() if n != "baseURL" and isinstance(t, str)}
        for name in COMPONENTS:
            if random.random() < (0.08 if name in chosen else 0.15):
                chosen[name] = random.choice(TEXTS[name])
        if random.random() < 0.5:
            return chosen
        for name in ("protocol", "hostname", "pathname"):
            chosen.setdefault(name, random.choice(TEXTS[name][:6]))
        return self._joined(chosen)

    def _instance(self, pattern: str) -> str:
        """A text that the pattern might match, told from its looks."""
        random = self._random
        text = pattern
        for _ in range(3):
            text = TOKEN.sub(self._filled, text)
        if random.random() < 0.1:
            at = random.randint(0, len(text))
            text = (
                text[:at] + random.choice(("x", "/", ".", "A", "é", "%20", "1", "")) + text[at + random.randrange(2) :]
            )
        return text.swapcase() if random.random() < 0.05 else text

    def _filled(self, found: re.Match[str]) -> str:
        random, token = self._random, found[0]
        if token[0] == "\\":
            return str(found[1])
        if token[0] == ":" or token[0] == "(":
            body = found[3] or token
            simple = re.fullmatch(r"\(([\w|]+)\)", body)
            if simple:
                return random.choice(simple[1].split("|"))
            return random.choice(("12", "a", "abc", "x-y", "xx", "", "b", "Zoë", "a.b"))
        if token == "*":
            return random.choice(("", "x", "a/b", "www", "12", "a.b", "é"))
        if token[0] == "{":
            times = random.choice({"?": (0, 1), "*": (0, 1, 2), "+": (1, 2)}.get(found[5], (1,)))
            return (found[4] or "") * times
        return ""

    def _part(self, name: str) -> str:
        """A pattern of one component. The first ones are ordinary, and are taken more often."""
        some = PATTERNS[name]
        return self._random.choice(some[:12] if self._random.random() < 0.6 else some)

    @staticmethod
    def _weight(name: str) -> float:
        return {"username": 0.1, "password": 0.07, "port": 0.3, "hash": 0.3, "search": 0.35}.get(name, 0.8)

    @staticmethod
    def _joined(parts: Mapping[str, str]) -> str:
        """One text of the parts, as a URL is written."""
        has = parts.get
        user = has("username", "") + (":" + parts["password"] if has("password") else "")
        authority = (user + "@" if user else "") + has("hostname", "") + (":" + parts["port"] if has("port") else "")
        front = (parts["protocol"] + ":" if has("protocol") else "") + ("//" + authority if authority else "")
        back = ("?" + parts["search"] if has("search") else "") + ("#" + parts["hash"] if has("hash") else "")
        return front + has("pathname", "") + back
