"""Makes hostile URLs of ordinary ones: the shapes on which readers of URLs are known to disagree."""

import random
from collections.abc import Callable

SCHEMES = (
    b"http:", b"https:", b"HTTPS:", b"ws:", b"wss:", b"ftp:", b"file:", b"File:", b"data:", b"blob:", b"blob:https:",
    b"about:", b"javascript:", b"mailto:", b"foo:", b"view-source:", b"filesystem:http:", b"h\tttp:", b"http+x:",
    b"1:", b"gopher:", b"chrome:", b"chrome-extension:", b"intent:", b"wasm:", b"android:", b"steam:", b"",
)  # fmt: skip
SLASHES = (
    b"//",
    b"//",
    b"//",
    b"/",
    b"",
    b"///",
    b"\\\\",
    b"/\\",
    b"\\/",
    b"////",
    b"/\t/",
    b"/\r/",
    b"//\\",
    b"?",
    b"#",
)
HOSTS = (
    b"corp.example", b"evil.example", b"EXAMPLE.com.", b"localhost", b"a..b", b"-x-.example", b"a_b.example",
    b"*.example", b"127.0.0.1", b"127.1", b"0x7f.1", b"0177.0.0.1", b"2130706433", b"0x7f000001", b"4294967296",
    b"256.1.1.1", b"1.2.3.4.5", b"1.2.3.", b"1.2.3.4.", b"1..2", b"0x.0x.0", b"09.1", b"a.09", b"1.2.3.0x", b"a.0xf",
    b"1e3", b"0x100000000", b"127.0.0.1.nip.example", b"0.0.0.0", b"00.0x0", b"[::1]", b"[::ffff:1.2.3.4]",
    b"[1:2:3:4:5:6:7:8]", b"[1::0:0:2]", b"[::1", b"[::1%25eth0]", b"[v1.x]", b"[0:0::0:0]", b"[::1.2.3]",
    b"[::01.2.3.4]", b"[12345::]", b"[::ffff:0x1.2.3.4]", b"a%2eb.example", b"%41.example", b"%00.example", b"a%2fb",
    b"a%5cb", b"%zz", b"%c3%bc.example", b"%ff.example", b"a%40b", "bücher.example".encode(),
    b"xn--bcher-kva.example", "faß.example".encode(), b"xn--fa-hia.example", b"xn--", b"xn--a", b"xn--a.",
    b"xn--zca.xn--zca", b"XN--BCHER-KVA", b"a.xn--pokxncvks", "日本。jp".encode(), "ｃｏｒｐ．example".encode(),
    "a\u00adb.example".encode(), "a\u200cb.example".encode(), "a\u200db".encode(), "☃.example".encode(),
    "ﬁ.example".encode(), "\u1e9e.example".encode(), "\u0130.example".encode(), "\u05d0.example".encode(),
    "1\u05d0".encode(), "\u212a.example".encode(), "a\u2024b".encode(), "\u2488com".encode(), "a\uff0fb".encode(),
    "\u2100.example".encode(), "１２７.1".encode(), "①.①.①.①".encode(), "0ｘ7f.1".encode(), "\u0640a".encode(),
    "a\u0301.example".encode(), "\u0301a".encode(), "👨‍👩‍👧.example".encode(), "\ufeffa".encode(), "a\u2060b".encode(),
    b"", b"a b", b"a\x00b", b"a<b", b"a^b", b"a|b", b"a\x7fb", b"a`b", b"a{b}", b"a\"b", b"a'b", b"a,b", b"a;b=c",
    b"a!b", b"a$b", b"a(b)", b"a+b", b"a&b", b"a%b", b"a\tb", b"x" * 64 + b".example", b"y." * 130 + b"example",
)  # fmt: skip
USERS = (
    b"", b"", b"", b"user@", b"user:pass@", b":@", b"@", b":pass@", b"corp.example@", b"corp.example:443@", b"a@b@",
    b"a:b:c@", b"u%40@", "ü@".encode(), b"a;b@", b"a/b@", b"a\\@", b"a?@", b"a#@", b"'@", b"[::1]@", b" @", b"\x00@",
    b"^|@", b"%@",
)  # fmt: skip
PORTS = (
    b"", b"", b"", b":", b":80", b":443", b":0", b":00", b":0080", b":65535", b":65536", b":99999999999", b":8443",
    b":21", b":-1", b":a", b":8a", b":80:80", b": 80", b":\t8\t0", b":80\\", b":80@", b":+80", ":８０".encode(),
    b":080808", b":8%30",
)  # fmt: skip
PATHS = (
    b"", b"/", b"/a/../b", b"/./x", b"/%2e%2e/x", b"/.%2E/x/%2e", b"/a//b", b"//a", b"/\\a", b"\\..\\x", b"/..",
    b"/../../..", b"/...", b"/C:/x", b"/C|/x", b"/c:/../y", b"C|", b"/a\tb", b"/a b", b"/\x00", b"/\x80\xff",
    b"/%ff%zz%", b"/%", b"/%4", b"/{}|^`\"<>", b"/;a=b", b"/:x", b"/a@b", b"/[x]", "/é/日".encode(), b"/%c3%a9",
    b"/a\r", b"x", b"./x", b"../x", b"..", b".", b"/.//a", b"/a/.//..", b"//..//", b"/%2e/%2e", b"/..%2f",
    b"/a/%2e%2e%2fb", b"/~'", b"/$&+,", b" ", b"/x ", b"\x0b", "\u00a0".encode(), b"/.", b"opaque x ",
)  # fmt: skip
TAILS = (
    b"", b"", b"", b"?", b"#", b"?#", b"?a=b&c", b"?q='\"<>`{}|^\\", "?é#é".encode(), b"#\"<>`{}|^ ", b"?\x00\x7f",
    b"#\x00", b"?a?b", b"#a#b", b"?%zz", b"?\xff", b"#\xff", b"?a b ", b"#a b ", b"?/../", b"?@evil.example",
    b"#@evil.example", b"?[]", b"?:~",
)  # fmt: skip
MARKS = (
    b"%2e", b"%2F", b"%5C", b"%40", b"%3A", b"%23", b"%3F", b"%25", b"%09", b"%0a", b"%", b"\t", b"\r", b"\n", b"@",
    b"\\", b":", b"..", b"//", b"[", b"]", b"|", b"^", b"xn--", "\u3002".encode(), "\uff0e".encode(),
    "\uff61".encode(), "*\u0301e".encode(), b"0x", b"0",
)  # fmt: skip
PIECES = tuple(filter(None, SCHEMES + SLASHES + HOSTS + USERS + PORTS + PATHS + TAILS + MARKS))
BASES = (
    b"https://corp.example/a/b?q#f", b"http://user:pw@corp.example:8080/a/b/", b"file:///C:/a/b",
    b"file://server/share/x", b"file:///", b"foo://corp.example/a/b", b"foo:/a/b", b"foo:opaque", b"about:blank",
    b"data:text/html,x#f", b"ws://corp.example", b"blob:https://corp.example/1", b"https://[::1]:8443/x/../y",
    b"foo://h", b"foo:/.//p", b"javascript:x", b"FILE:/c|/x",
)  # fmt: skip


class URLMutations:
    """A seeded source of hostile URLs."""

    def __init__(self, random: random.Random, ordinary: list[bytes]) -> None:
        self._random, self._ordinary = random, ordinary
        self._changes: tuple[Callable[[bytes], bytes], ...] = (
            self._insert, self._insert, self._insert, self._byte, self._remove, self._encode, self._case,
            self._double, self._join, self._character,
        )  # fmt: skip

    def url(self) -> bytes:
        """One URL: half are built of hostile parts, half are real or known ones that were changed."""
        random = self._random
        text = self._built() if random.random() < 0.5 else random.choice(self._ordinary)[:200]
        for _ in range(random.choice((0, 1, 1, 2, 4)) if text else 1):
            text = random.choice(self._changes)(text)
        return text

    def base(self) -> bytes | None:
        """None for two of three, else a base of any kind."""
        return self._random.choice(BASES) if self._random.random() < 0.33 else None

    def _built(self) -> bytes:
        choose = self._random.choice
        parts = (SCHEMES[:7] if self._random.random() < 0.6 else SCHEMES, SLASHES, USERS, HOSTS, PORTS, PATHS, TAILS)
        return b"".join(choose(part) for part in parts)

    def _insert(self, text: bytes) -> bytes:
        at = self._random.randint(0, len(text))
        return text[:at] + self._random.choice(PIECES) + text[at:]

    def _byte(self, text: bytes) -> bytes:
        at = self._random.randint(0, len(text))
        return text[:at] + bytes([self._random.randrange(256)]) + text[at + self._random.randrange(2) :]

    def _character(self, text: bytes) -> bytes:
        """A character from anywhere in Unicode, mostly from its first plane, into what is likely the host."""
        limit = 0x3000 if self._random.random() < 0.5 else 0x20000
        code = self._random.randrange(0x80, limit)
        new = chr(code if not 0xD800 <= code < 0xE000 else 0xFF0E).encode()
        at = self._random.randint(0, min(len(text), 24))
        return text[:at] + new + text[at:]

    def _remove(self, text: bytes) -> bytes:
        at = self._random.randint(0, len(text))
        return text[:at] + text[at + self._random.randint(1, 3) :]

    def _encode(self, text: bytes) -> bytes:
        at = self._random.randrange(len(text) or 1)
        return text[:at] + b"".join(b"%%%02x" % byte for byte in text[at : at + 1]) + text[at + 1 :]

    def _case(self, text: bytes) -> bytes:
        at = self._random.randint(0, len(text))
        return text[:at].swapcase() + text[at:]

    def _double(self, text: bytes) -> bytes:
        at, length = self._random.randint(0, len(text)), self._random.randint(1, 12)
        return text[: at + length] + text[at:]

    def _join(self, text: bytes) -> bytes:
        return text + self._random.choice((b"", b"@", b"#", b"?", b"/", b"\\", b"%00")) + self._random.choice(HOSTS)
