"""One process of clients: guests, liars and listeners in turns, until time is up."""

import json
import os
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

from guest import Disagreement, Guest, House
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
        # News that earlier listeners heard.
        self.heard = 0

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
        self.life = self.house.lives.wait()
        self.liars = Liars(self.house, self.random)
        self.listener = Listener(self.house, self.random)
        began = time.monotonic()
        self._outlive(self.liars.play_all)
        while time.monotonic() - began < self.seconds:
            self._outlive(self._turn)
            ahead = self.checked / self.rate - (time.monotonic() - began)
            if ahead > 0:
                time.sleep(min(ahead, 0.2))
        self._outlive(self._leave)
        heard = self.heard + self.listener.heard
        return {"answers": self.checked, "guests": self.ended, "news": heard, "tricks": self.liars.played}

    def _turn(self) -> None:
        """A step of one client, mostly of a guest."""
        draw = self.random.random()
        if draw < 0.1:
            self.liars.play()
        elif draw < 0.25:
            self.listener.step()
        elif len(self.steps_left) < GUESTS:
            self._come()
        else:
            self._step(self.random.choice(list(self.steps_left)))

    def _outlive(self, play: Callable[[], None]) -> None:
        """Plays; what fails because the daemon was ended meanwhile has not failed, and all begin anew."""
        try:
            play()
        except (ConnectionError, FileNotFoundError, Disagreement):
            if self.house.lives.number == self.life:
                raise
        if self.house.lives.number != self.life:
            self._begin_anew()

    def _begin_anew(self) -> None:
        """Nobody is known to the next daemon. It may be ended before it is reached, too."""
        for guest in list(self.steps_left):
            self._forget(guest)
        self.liars.leave()
        self.listener.end()
        self.heard += self.listener.heard
        while True:
            self.life = self.house.lives.wait()
            try:
                self.listener = Listener(self.house, self.random)
                return
            except (ConnectionError, FileNotFoundError):
                if self.house.lives.number == self.life:
                    raise

    @property
    def checked(self) -> int:
        return self.ended_checked + sum(guest.checked for guest in self.steps_left)

    def _come(self) -> None:
        name = f"{self.number}-{self.ended + len(self.steps_left)}-{self.random.randrange(1 << 30)}"
        # The first stays: what later ones of this user had on the clipboard no judge would know.
        is_first = not self.steps_left and not self.ended
        choices = Random(f"{self.random.random()}")
        guest = Guest(self.house, choices, name, is_first and self.owns_user, self.answered)
        self.steps_left[guest] = 1 << 60 if is_first else self.random.randint(*LIFETIME)

    def _step(self, guest: Guest) -> None:
        guest.step()
        self.steps_left[guest] -= 1
        if self.steps_left[guest] <= 0:
            guest.end()
            self._forget(guest)

    def _forget(self, guest: Guest) -> None:
        guest.leave()
        del self.steps_left[guest]
        self.ended += 1
        self.ended_checked += guest.checked

    def _leave(self) -> None:
        for guest in list(self.steps_left):
            guest.end()
            self._forget(guest)
        self.listener.end()
        self.liars.end()


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
