"""Attacks that take their time: many times over, across restarts and reloads, after hours, by several users at once."""

import signal
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from attack_case import AttackCase
from configuration import Configuration
from daemon import Daemon
from disk import Clock
from program import Program
from wire import ADMIN


class LongAttack(AttackCase):
    """Each test has a daemon of its own, whose clock it moves. The policy is the class's `configuration`."""

    # No ring or cap of the daemon is longer: what is to be pushed out of one is done so often.
    BEYOND_ALL_RINGS: ClassVar[int] = 4200

    def setUp(self) -> None:
        self.programs: list[Program] = []
        self.daemon = Daemon(self.configuration)  # type: ignore[misc]
        self.addCleanup(self.daemon.remove)
        self.daemon.directory.chmod(0o755)
        self.clock = Clock(self.daemon.directory)
        self.daemon.environment |= self.clock.environment
        self.daemon.start()

    @classmethod
    def setUpClass(cls) -> None:
        """Nothing is shared."""
        cls.refuse_without_root()

    # People and their programs

    def program(
        self,
        uid: int,
        *,
        groups: Sequence[int] = (),
        prefix: Sequence[str] = (),
        shows: str | None = None,
        viewers: dict[str, str] | None = None,
        **attach: Any,
    ) -> Program:
        """An attached program of a user, in a process of its own: `shows` an account, in `viewers` by name and class."""
        person = self.person(uid, *groups, prefix=tuple(prefix))
        program = Program(person, self.daemon.guard_socket, **attach)
        self.programs.append(program)
        if shows is not None:
            program.show(shows)
        for viewer, viewer_class in (viewers or {}).items():
            program.register(viewer, viewer_class)
        return program

    # The world goes on

    def restart(self, *, killed: bool = True, machine: bool = False, returning: bool = True) -> None:
        """Ends the daemon, by SIGKILL or in good order, and starts it with what it left; so, or with the whole machine.
        The programs that live come back to it when they are `returning`; those of a machine that restarted do not."""
        self.daemon.stop(signal.SIGKILL if killed else signal.SIGTERM)
        if machine:
            self.clock.restart_machine()
            for program in self.programs:
                program.end()
            self.programs.clear()
        self.daemon.start()
        for program in self._living() if returning else ():
            program.reconnect()

    def wait(self, seconds: int) -> None:
        """Lets time pass for the daemon, and nothing more happens until it noticed: what was due then is done."""
        self.clock.pass_by(seconds)
        self.daemon.beat()

    def set_clock(self, seconds: int) -> None:
        """Sets the wall clock forward or back, without time passing."""
        self.clock.set(seconds)
        self.daemon.beat()

    def reload(self, configuration: Configuration) -> dict[str, Any]:
        """Puts another policy in force; the reply, or an AssertionError with what the loader says."""
        configuration.write(self.daemon.config)
        return self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Reload"))

    def _living(self) -> list[Program]:
        return [program for program in self.programs if program.person.process.poll() is None]

    # Claims

    def holds(self, claim: Callable[[], None], *, again: Iterable[Callable[[], Any]] = (), times: int = 3) -> None:
        """The claim holds now, over and over, after each of the things in `again`, after an hour, after the daemon was
        killed, after it was stopped in good order, and after all of it a second time."""
        self._checked("at once", claim, times)
        for number in range(2):
            for step in again:
                step()
                self._checked(f"round {number}: after {getattr(step, '__name__', step)}", claim, times)
            self.wait(3600)
            self._checked(f"round {number}: after an hour", claim, times)
            self.restart(killed=True)
            self._checked(f"round {number}: after a kill", claim, times)
            self.restart(killed=False)
            self._checked(f"round {number}: after a restart in good order", claim, times)

    def _checked(self, when: str, claim: Callable[[], None], times: int) -> None:
        with self.subTest(when):
            for _ in range(times):
                claim()


__all__ = ["LongAttack"]
