"""Starts other programs, in the user's own session: by their desktop file, or by a command. Never through a shell."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path
from urllib.parse import urlsplit

from webviewguard import OpenOffer


def start(offer: OpenOffer) -> str | None:
    """Starts the program of an offer, or the first of its fallbacks that is there; returns its name."""
    for candidate in (offer, *offer.fallback):
        name, argv = command(candidate)
        if not argv:
            continue
        try:
            subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True, close_fds=True)
        except OSError:
            continue
        return name
    return None


def is_there(offer: OpenOffer) -> bool:
    """Whether `start` would find a program that can be run."""
    commands = [command(candidate)[1] for candidate in (offer, *offer.fallback)]
    return any(argv and shutil.which(argv[0]) is not None for argv in commands)


def command(offer: OpenOffer) -> tuple[str, list[str]]:
    """The name of the program and what is run; nothing when it is not installed."""
    if offer.argv:
        return Path(offer.argv[0]).name, list(offer.argv)
    entry = _entry(offer.desktop_id or _handler(urlsplit(offer.url).scheme))
    if entry is None:
        return "", []
    return entry.get("Name", "another program"), _arguments(entry, offer.url)


def _entry(desktop_id: str) -> dict[str, str] | None:
    """What a desktop file says, from the first data directory that has it."""
    if not desktop_id.endswith(".desktop") or "/" in desktop_id:
        return None
    for directory in _directories():
        file = directory / "applications" / desktop_id
        if file.is_file():
            reader = RawConfigParser(strict=False, delimiters=("=",))
            reader.optionxform = str  # type: ignore[assignment]
            reader.read(file, encoding="utf-8")
            return dict(reader["Desktop Entry"]) if reader.has_section("Desktop Entry") else None
    return None


def _arguments(entry: dict[str, str], url: str) -> list[str]:
    """The command line of a desktop file: `%u` becomes the URL, which stays one argument whatever it holds."""
    arguments: list[str] = []
    for word in shlex.split(entry.get("Exec", "")):
        if word in ("%u", "%U", "%f", "%F"):
            arguments.append(url)
        elif not (len(word) == 2 and word.startswith("%") and word != "%%"):
            arguments.append(word.replace("%%", "%"))
    return arguments if url in arguments or not arguments else [*arguments, url]


def _handler(scheme: str) -> str:
    """The desktop file that the user's desktop opens a scheme with; empty when there is none."""
    wanted = f"x-scheme-handler/{scheme}"
    for file in (Path(_home("XDG_CONFIG_HOME", ".config")) / "mimeapps.list", *_lists()):
        reader = RawConfigParser(strict=False, delimiters=("=",))
        reader.read(file, encoding="utf-8")
        for section in ("Default Applications", "Added Associations", "MIME Cache"):
            if reader.has_option(section, wanted):
                return reader.get(section, wanted).split(";")[0]
    return ""


def _lists() -> list[Path]:
    return [d / "applications" / name for d in _directories() for name in ("mimeapps.list", "mimeinfo.cache")]


def _directories() -> list[Path]:
    rest = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    return [Path(_home("XDG_DATA_HOME", ".local/share")), *map(Path, rest.split(":"))]


def _home(variable: str, default: str) -> str:
    return os.environ.get(variable) or str(Path.home() / default)
