#!/usr/bin/env python3
"""A program without a script engine that loads a page and goes wherever it leads: with `--ask` it asks the guard first.

crawler.py [--ask SOCKET] [--careless KIND] [--scripts [--notices]] URL

--careless: a kind of event that it does not ask about, or hop; --scripts: it does what the site's own scripts say, and opens windows;
--notices: what was refused takes the place of its page
"""

import argparse
import http.client
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients/python/src"))

from webviewguard import Guard

MOST_HOPS = 5


class Ways(HTMLParser):
    """The ways out that a page has in its markup, as (kind of way, URL, method)."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.found: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attributes}
        for kind, url in self._ways(tag, known):
            if urlsplit(urljoin(self.base, url)).scheme != "http" or url.startswith("#"):
                continue
            self.found.append((kind, urljoin(self.base, url), known.get("method", "get").upper()))

    def _ways(self, tag: str, known: dict[str, str]) -> Iterator[tuple[str, str]]:
        if tag == "a" and "href" in known:
            yield ("download" if "download" in known else "popup" if "target" in known else "page"), known["href"]
        elif tag == "form":
            yield "page", known["action"]
        elif tag == "meta" and "http-equiv" in known:
            yield "page", known["content"].partition("url=")[2]
        elif tag in ("iframe", "object", "embed"):
            yield "frame", known.get("src") or known.get("data", "data:,")
        elif tag in ("img", "script", "audio") and "src" in known:
            yield "resource", known["src"]
        elif tag == "link":
            yield "resource", known["href"]


class Crawler:
    def __init__(self, socket: str | None, careless: str | None) -> None:
        self.careless = careless
        self.guard: Guard | None = None
        if socket:
            self.guard = Guard(app="org.nobody.Crawler", path=socket)
            assert self.guard.start(), "no guard"
            self.guard.set_identity("process", account="somebody@nowhere.example")
            self.guard.register_viewer("v", viewer_class="whatever")

    def may(self, kind: str, url: str, hop: bool) -> bool:
        if self.guard is None or kind == self.careless or hop and self.careless == "hop":
            return True
        about: dict[str, Any] = {"viewer": "v", "url": url}
        frame = {"frame": "sub", "resource": "resource"}.get(kind, "main")
        if not self.guard.navigate(frame=frame, hop=hop, new_window=kind == "popup", **about).allowed:
            return False
        return kind != "download" or self.guard.download(**about).allowed

    def visit(self, url: str) -> None:
        """Loads a page and goes all its ways."""
        self.go_ways(url, self.go("page", url) or "")

    def go_ways(self, url: str, page: str) -> None:
        ways = Ways(url)
        ways.feed(page)
        for kind, to, method in ways.found:
            self.go(kind, to, method)

    def go(self, kind: str, url: str, method: str = "GET") -> str | None:
        """What lies there, behind all redirects; None where it may not go."""
        for hops in range(MOST_HOPS):
            if not self.may(kind, url, hops > 0):
                return None
            parts = urlsplit(url)
            connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
            connection.request(method, f"{parts.path}?{parts.query}", body="data" if method == "POST" else None)
            answer = connection.getresponse()
            text = answer.read().decode()
            connection.close()
            if answer.status not in (302, 307):
                return text
            url = urljoin(url, answer.headers["Location"])
        return None


NEXT = re.compile(r'fetch\("(/next/[^"]+)"\)')
OPENS = re.compile(r'\{ window\.open\(u\) \}\)\("([^"]+)"\)')
HELPER = re.compile(r'window\.open\("([^"]*/helper/[^"]*)"\)')


class Scripted(Crawler):
    """It has no engine for scripts, but knows those of the site: it asks where to go next, and goes there."""

    def __init__(self, socket: str | None, careless: str | None, notices: bool) -> None:
        super().__init__(socket, careless)
        self.notices = notices
        self.refused = False

    def may(self, kind: str, url: str, hop: bool) -> bool:
        allowed = super().may(kind, url, hop)
        self.refused = self.refused or not allowed
        return allowed

    def walk(self, url: str) -> None:
        helper = ""
        waiting: http.client.HTTPConnection | None = None
        place: str | None = url
        while place:
            self.refused = False
            page = self.go("page", place) or ""
            asking = self.asks(place, page)
            self.go_ways(place, page)
            for opened in OPENS.findall(page) + HELPER.findall(page):
                other = self.go("popup", opened)
                if "/helper/" in opened:
                    helper, waiting = other or "", self.asks(opened, other or "")
            if self.refused and self.notices:
                if asking:
                    asking.close()
                place = self.answer(waiting)
                waiting = self.asks(url, helper)
            else:
                place = self.answer(asking)

    def asks(self, base: str, page: str) -> http.client.HTTPConnection | None:
        """A page's question where to go next, whose answer may be long in coming."""
        found = NEXT.search(page)
        if found is None or not self.may("resource", urljoin(base, found[1]), False):
            return None
        parts = urlsplit(base)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        connection.request("GET", found[1])
        return connection

    def answer(self, asking: http.client.HTTPConnection | None) -> str | None:
        return asking.getresponse().read().decode() if asking else None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ask")
    parser.add_argument("--careless")
    parser.add_argument("--scripts", action="store_true")
    parser.add_argument("--notices", action="store_true")
    parser.add_argument("url")
    options = parser.parse_args()
    if options.scripts:
        Scripted(options.ask, options.careless, options.notices).walk(options.url)
    else:
        Crawler(options.ask, options.careless).visit(options.url)


if __name__ == "__main__":
    main()
