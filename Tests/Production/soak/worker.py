"""One process of clients: guests, liars and listeners in turns, until time is up."""

import json
import os
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

from guest import Guest, House
from liars import Liars
from listeners import Listener

GUESTS = 5
# A guest lives for so many steps; then another instance takes its place.
LIFETIME = (10, 120)


class Worker:
    """Runs in a process of its own, as a user of its own where the soak may change to one."""

    def __init__(
        self, house: House, number: int, uid: int, seed: str, folder: Path, seconds: float, rate: float
    ) -> None:
        self.house = house
        self.number = number
        self.uid = uid
        # Whether no worker before it is of the same user.
        self.owns_user = uid != os.getuid() or number == 0
        self.random = Random(seed)
        self.folder = folder
        self.seconds = seconds
        # Answers a second, so that an hour's log stays within the disk.
        self.rate = rate
        self.steps_left: dict[Guest, int] = {}
        self.ended = 0
        self.ended_checked = 0

    def start(self) -> int:
        """Forks; returns the process."""
        child = os.fork()
        if child:
            return child
        status = 1
        try:
            if os.getuid() != self.uid:
                os.setgroups([])
                os.setgid(self.uid)
                os.setuid(self.uid)
            status = self._run()
        finally:
            os._exit(status)

    def _run(self) -> int:
        report: dict[str, object] = {"number": self.number, "failure": None}
        try:
            with open(self.folder / f"answered-{self.number}", "w", encoding="utf-8") as self.answered:
                report |= self._play()
        except Exception as error:
            report["failure"] = f"{error}\n{traceback.format_exc()}"
            for number, guest in enumerate(self.steps_left):
                (self.folder / f"history-{self.number}-{number}").write_text(guest.history())
        (self.folder / f"report-{self.number}").write_text(json.dumps(report))
        return 0 if report["failure"] is None else 1

    def _play(self) -> dict[str, object]:
        began = time.monotonic()
        listener = Listener(self.house, self.random)
        liars = Liars(self.house, self.random)
        while time.monotonic() - began < self.seconds:
            self._guests()
            listener.step()
            if self.random.random() < 0.5:
                liars.play()
            ahead = self.checked / self.rate - (time.monotonic() - began)
            if ahead > 0:
                time.sleep(min(ahead, 0.2))
        for guest in list(self.steps_left):
            self._end(guest)
        listener.end()
        liars.end()
        return {"answers": self.checked, "guests": self.ended, "news": listener.heard, "tricks": liars.played}

    @property
    def checked(self) -> int:
        return self.ended_checked + sum(guest.checked for guest in self.steps_left)

    def _guests(self) -> None:
        """A step of each, and new ones for those whose time is over."""
        while len(self.steps_left) < GUESTS:
            name = f"{self.number}-{self.ended + len(self.steps_left)}-{self.random.randrange(1 << 30)}"
            # The first stays: what later ones of this user had on the clipboard no judge would know.
            is_first = not self.steps_left and not self.ended
            choices = Random(f"{self.random.random()}")
            guest = Guest(self.house, choices, name, is_first and self.owns_user, self.answered)
            self.steps_left[guest] = 1 << 60 if is_first else self.random.randint(*LIFETIME)
        for guest in list(self.steps_left):
            guest.step()
            self.steps_left[guest] -= 1
            if self.steps_left[guest] <= 0:
                self._end(guest)

    def _end(self, guest: Guest) -> None:
        guest.end()
        del self.steps_left[guest]
        self.ended += 1
        self.ended_checked += guest.checked


def wait(process: int, until: float, meanwhile: Callable[[], None]) -> int:
    """The exit status of a worker; one that hangs is ended, and has failed."""
    while True:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(process, 9)
            os.waitpid(process, 0)
            return -9
        meanwhile()
