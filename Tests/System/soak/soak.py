"""The run itself: a daemon, its clients, reloads meanwhile, and what must hold when all are gone."""

import json
import os
import pwd
import random
import re
import shutil
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import disk
import leaks
import ledger
import policies
from daemon import Daemon, eventually
from excepted import Excepted
from gauge import Gauge
from guest import Disagreement, House
from liars import reload
from listeners import Watcher
from lives import Lives
from orders import Community
from wire import ADMIN, GUARD, Wire
from worker import Worker, wait

FIRST_UID = 61_000
# Those whom the machine knows have accounts: files of a person without a home are not removed.
PEOPLE = 3
# A sanitizer's word for what it found; leaks are counted, see `leaks`.
REPORTS = re.compile(rb"(WARNING|ERROR|FATAL): (?!Leak)\w+Sanitizer|runtime error:|Fatal error")
WAIT_SECONDS = 120.0
# When the daemon is ended, as a share of the run, and how. Memory and the clipboard are judged before.
ENDS = ((0.7, signal.SIGKILL), (0.8, signal.SIGTERM), (0.9, signal.SIGKILL))


@dataclass(frozen=True)
class Sanitizer:
    """What a build with a sanitizer needs, and how much its own memory may grow."""

    environment: dict[str, str] = field(default_factory=dict)
    # KiB that memory in the last quarter may lie above that in the second: a log's queue at its fullest, malloc's play.
    slack: int = 24 << 10


SANITIZERS = {
    "none": Sanitizer(),
    "thread": Sanitizer({"TSAN_OPTIONS": "halt_on_error=0 exitcode=66 second_deadlock_stack=1"}, 96 << 10),
    # The quarantine keeps freed memory, and would look like growth.
    "address": Sanitizer(
        {"ASAN_OPTIONS": "detect_leaks=1 quarantine_size_mb=8", "LSAN_OPTIONS": "exitcode=0"}, 96 << 10
    ),
}


class Soak:
    """One run. `failures` says what did not hold; each is a sentence or a report."""

    def __init__(
        self, folder: Path, judge: Path, seed: int, workers: int, rate: float, sanitizer: Sanitizer
    ) -> None:
        self.folder = folder
        self.judge = judge
        self.seed = seed
        self.random = random.Random(f"{seed}")
        self.uids = [FIRST_UID + number if os.getuid() == 0 else os.getuid() for number in range(workers)]
        self.rate = rate / workers
        self.slack = sanitizer.slack
        # Only root can speak for other people.
        known = sorted(user.pw_uid for user in pwd.getpwall() if 0 < user.pw_uid < FIRST_UID)
        self.people = known[:PEOPLE] if os.getuid() == 0 else []
        environment = {**sanitizer.environment, **disk.environment(None, synchronised=1)}
        self.daemon = Daemon(policies.configuration(0, self.own_uids, self.people), environment=environment)
        self.daemon.directory.chmod(0o755)
        # Whether judges are told of the wrong policies: then the run must fail.
        self.swaps_judges = False
        self.failures: list[str] = []
        self.checks = 0
        self.reloads = 0
        self.lives = Lives()
        self.said: list[str] = []
        self.running: list[int] = []

    @property
    def own_uids(self) -> list[int]:
        """The users of the apps, and who runs the soak."""
        return sorted({*self.uids, os.getuid()})

    def run(self, seconds: float) -> list[str]:
        variants = self._quiet_life()
        self.daemon.start()
        self.gauge = Gauge(self.daemon.pid)
        self.admin = Wire(self.daemon.admin_socket, 60.0)
        house = House(self.daemon.guard_socket, self.daemon.admin_socket, self.judge, variants, self.lives)
        self.watcher = Watcher(house, self.random)
        answered = self.folder / "answered-excepted"
        self.excepted = Excepted(house.guard_socket, house.admin_socket, self.random, answered)
        self.community = Community(house, self.random, self.people, self.folder / "answered-people")
        self.community.is_deceived = self.swaps_judges
        time.sleep(0.1)
        quiet = self.gauge.descriptors()
        began = time.monotonic()
        until = began + seconds + WAIT_SECONDS
        self.ends = [(began + seconds * share, number) for share, number in ENDS]
        workers = [
            Worker(house, number, uid, f"{self.seed}/{number}", self.folder, seconds, self.rate)
            for number, uid in enumerate(self.uids)
        ]
        self.running = [worker.start() for worker in workers]
        while self.running:
            ended = wait(self.running[0], until, self._meanwhile)
            self.running.pop(0)
            self._check(ended == 0, "a worker failed, or did not come to its end")
        # Judges that are wrong notice at once, and people need some orders.
        while self.swaps_judges and self.community.programs and time.monotonic() < until:
            self._play_people()
        self._reports()
        self._after(quiet)
        self._end()
        return self.failures

    def summary(self) -> str:
        return "; ".join(self.said)

    def keep(self, place: Path) -> None:
        """Leaves what was found where a person can look at it."""
        shutil.copytree(self.folder, place / "clients", dirs_exist_ok=True)
        shutil.copytree(self.daemon.directory, place / "daemon", dirs_exist_ok=True, ignore=_no_sockets)

    def remove(self) -> None:
        """Ends what still runs."""
        for process in self.running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        self.daemon.remove()

    def _check(self, holds: bool, otherwise: str) -> None:
        self.checks += 1
        if not holds:
            self.failures.append(otherwise)

    # Before

    def _quiet_life(self) -> dict[str, Path]:
        """A daemon that loads every variant and answers nobody: what is left at its end is no leak."""
        self.daemon.start()
        self.admin = Wire(self.daemon.admin_socket, 60.0)
        variants = self._variants()
        self.admin.socket.close()
        self._check(self.daemon.stop() == 0, "a daemon without clients does not end well")
        return variants

    def _variants(self) -> dict[str, Path]:
        """A directory for the judges of each variant, by the digest that the daemon gives it."""
        found = {}
        for number in range(len(policies.VARIANTS)):
            config = self.daemon.directory / f"variant-{number}"
            policies.configuration(number, self.own_uids, self.people).write(config)
            policies.put(number, self.own_uids, self.people, self.daemon.config)
            reload(self.admin)
            with Wire(self.daemon.guard_socket) as wire:
                found[wire.call(f"{GUARD}.Attach")["parameters"]["digest"]] = config
        if len(found) != len(policies.VARIANTS):
            raise RuntimeError("two variants of the policy have one digest")
        if self.swaps_judges:
            first, *others = found.values()
            found = dict(zip(found, [*others, first]))
        return found

    # Meanwhile

    def _meanwhile(self) -> None:
        time.sleep(0.05)
        if not self.daemon.is_alive:
            raise RuntimeError("the daemon ended by itself")
        if self.lives.number == 0:
            self.gauge.sample()
        if self.ends and time.monotonic() > self.ends[0][0]:
            self._restart(self.ends.pop(0)[1])
        self.watcher.step()
        if self.random.random() < 0.02:
            self.excepted.step()
        self._play_people()
        if self.random.random() < 0.05:
            variant = self.random.randrange(len(policies.VARIANTS))
            policies.put(variant, self.own_uids, self.people, self.daemon.config)
            reload(self.admin)
            self.reloads += 1

    def _play_people(self) -> None:
        try:
            self.community.step()
        except Disagreement as error:
            if not self.swaps_judges:
                raise
            self.failures.append(f"{error}\n  model of people")
            self.community.give_up()

    def _restart(self, number: signal.Signals) -> None:
        """Another daemon takes over what the one before left on disk, and nothing else."""
        self.lives.turn()
        self.community.cut()
        for client in (self.admin.socket, self.watcher.wire.socket, self.excepted.wire.socket):
            client.close()
        status = self.daemon.stop(number)
        self._check(status == (0 if number == signal.SIGTERM else -number), f"{number.name} ended it with {status}")
        self.daemon.start()
        self.gauge.pid = self.daemon.pid
        self.admin = Wire(self.daemon.admin_socket, 60.0)
        self.watcher.begin()
        self.excepted.come_back()
        self.community.come_back()
        self.lives.turn()

    # After

    def _reports(self) -> None:
        """What the workers say of themselves."""
        totals: Counter[str] = Counter(reloads=self.reloads, shown=self.watcher.seen, skipped=self.watcher.skipped)
        tricks: Counter[str] = Counter()
        for file in sorted(self.folder.glob("report-*")):
            report = json.loads(file.read_text())
            self._check(report["failure"] is None, f"worker {report['number']}: {report['failure']}")
            totals.update({key: report.get(key, 0) for key in ("answers", "guests", "news")})
            tricks.update(report.get("tricks", {}))
        self._check(totals["answers"] > 0, "nothing was answered")
        self._check(bool(tricks), "nobody lied")
        self._check(self.lives.number > 0, "the daemon was not ended meanwhile")
        self.said.append(", ".join(f"{count} {what}" for what, count in sorted(totals.items())))
        self.said.append(f"{tricks.total()} lies and deaths of {len(tricks)} kinds")
        self.said.append(f"{self.lives.number // 2} restarts, {self.excepted.turns} turns of exceptions")
        answers, orders = self.community.checked, self.community.orders
        self.said.append(f"{answers} answers about accounts of {len(self.people)} people, {orders} orders")
        self._check(not self.people or self.community.has_destroyed, "nothing was wiped")

    def _after(self, quiet: int) -> None:
        """All are gone, and so is what the daemon had of them."""
        self.watcher.end()
        self.excepted.leave()
        self.community.leave()
        try:
            eventually(lambda: self.gauge.descriptors() <= quiet, "descriptors are closed", 30)
            status = eventually(self._idle, "instances are forgotten", 30)
            self._check(status["instances"] == 0 and status["viewers"] == 0, f"something is left over: {status}")
        except TimeoutError as error:
            self._check(False, f"{error}: {self._status()}, {self.gauge.descriptors()} descriptors instead of {quiet}")
        try:
            memory, descriptors = self.gauge.growth()
        except RuntimeError as error:
            return self._check(False, str(error))
        self._check(memory < self.slack, f"memory grew by {memory:.0f} KiB: {self.gauge.summary()}")
        self._check(descriptors < 40, f"descriptors grew by {descriptors:.0f}: {self.gauge.summary()}")
        self.said.append(self.gauge.summary())

    def _status(self) -> dict[str, Any]:
        return dict(self.admin.call(f"{ADMIN}.Status")["parameters"])

    def _idle(self) -> dict[str, Any] | None:
        status = self._status()
        return status if status["instances"] == 0 else None

    def _end(self) -> None:
        """It ends when it is told to, with a sound log that has every answer, and no sanitizer said a word."""
        self.admin.socket.close()
        status = self.daemon.stop()
        said = self.daemon.said.read_bytes()
        self._check(status == 0, f"the daemon ended with {status}")
        found = REPORTS.search(said)
        report = said[found.start() : found.start() + 6000].decode(errors="replace") if found else ""
        self._check(found is None, f"a sanitizer reports:\n{report}")
        quiet, *busy = leaks.leaked(said) or [0]
        self._check(all(count <= quiet + leaks.SLACK for count in busy), f"leaks: {busy}, without clients {quiet}")
        verified = self.daemon.verify_log()
        self._check(verified.returncode == 0, f"the log is not sound: {verified.stdout} {verified.stderr}")
        answered, lost, reasons = ledger.missing(self.folder, self.daemon.logs)
        self._check(not lost, f"{len(lost)} of {answered} answered decisions are not in the log so: {lost[:3]}")
        self.said.append(f"{answered} decisions of {len(reasons)} reasons are in the log")


def _no_sockets(directory: str, names: list[str]) -> set[str]:
    return {name for name in names if name.endswith(".sock")}
