"""People who log in: with a password, at a terminal, through login(1), PAM and logind, as at a console."""

import itertools
import json
import os
import select
import subprocess
import time
from typing import Any

from machine import Machine
from rig import GUARD_SOCKET, TESTS, Conversation

PATIENCE_SECONDS = 120.0
NUMBERS = itertools.count(1)
PROMPT = "wvg-ready$ "


def password_of(user: str) -> str:
    return f"{user} has a secret"


def give_passwords(machine: Machine, *users: str) -> None:
    machine.must("chpasswd", text="".join(f"{user}:{password_of(user)}\n" for user in users))


class Terminal:
    """A terminal of the container, at which a person has logged in and has a shell."""

    def __init__(self, machine: Machine, user: str) -> None:
        self.machine, self.user = machine, user
        self.unit = f"terminal-{next(NUMBERS)}"
        # By the container's own systemd: a process that came in from outside would have no session.
        prefix = ["nsenter", "-t", str(machine.leader), "-m", "-u", "-i", "-n", "-p", "-C"]
        self.process = subprocess.Popen(
            [*prefix, "systemd-run", "--pty", "--quiet", "--collect", f"--unit={self.unit}", "/bin/login", user],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd="/",
        )  # fmt: skip
        self.shown = ""
        self.expect("Password:")
        self.type(password_of(user))
        self.expect("$ ")
        # The echo of the line has the quotes, what the shell prints has not.
        self.type("PS1='wvg-''ready$ '; tty")
        self.tty = self.expect(PROMPT).split()[-2]

    def type(self, text: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{text}\n".encode())

    def look(self, seconds: float = 0.0) -> bool:
        """Takes up what the terminal shows; whether there was anything."""
        assert self.process.stdout
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return False
        read = os.read(self.process.stdout.fileno(), 65536)
        if not read:
            raise ConnectionError(f"the terminal of {self.user} is gone: {self.shown}")
        self.shown += read.decode(errors="replace")
        return True

    def has(self, text: str) -> bool:
        """Whether the terminal shows a text that nobody expected so far."""
        while self.look():
            pass
        return text in self.shown

    def expect(self, text: str) -> str:
        """Waits for a text, and returns all up to its end."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text not in self.shown:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.user} sees no `{text}`, but: {self.shown}")
            self.look(1.0)
        end = self.shown.index(text) + len(text)
        seen, self.shown = self.shown[:end], self.shown[end:]
        return seen

    def command(self, line: str) -> str:
        """What a command of the shell shows."""
        self.type(line)
        return self.expect(PROMPT)

    def answer(self, password: str) -> None:
        """Types a password, once the program that asks for it has turned the echo off: what came before, it throws away."""
        is_hidden = lambda: " -echo " in self.machine.must("stty", "-F", self.tty, "-a")  # noqa: E731
        self.machine.eventually(is_hidden, "the terminal hides what is typed")
        self.type(password)

    def close(self) -> None:
        """Hangs up."""
        assert self.process.stdin and self.process.stdout
        if self.process.returncode is not None:
            return
        self.machine.run("systemctl", "kill", "--signal=SIGKILL", self.unit)
        self.process.wait(timeout=60)
        self.process.stdin.close()
        self.process.stdout.close()


class Desk(Conversation):
    """A person's app, which runs in the session that the person logged in to."""

    def __init__(self, machine: Machine, user: str, beside: str = "") -> None:
        self.terminal = Terminal(machine, user)
        # Another program of the same session.
        if beside:
            self.terminal.command(f"{beside} &")
        start = f"stty -echo; echo app-''runs; exec env PYTHONPATH={TESTS} python3 {TESTS}/talk.py"
        self.terminal.type(start)
        self.terminal.expect("app-runs\r\n")
        self.pid = int(self.order(do="who")["pid"])

    def order(self, **order: Any) -> dict[str, Any]:
        self.terminal.type(json.dumps(order))
        answer: dict[str, Any] = json.loads(self.terminal.expect("\n"))
        return answer

    def attach(self, app: str, *topics: str) -> dict[str, Any]:
        """Attaches anew, and hears news of these topics."""
        self.connect()
        token = self.result("Attach", app=app)["instance"]
        attach = {"app": app, "instance": token}
        # The first news is always that of the policy: then the subscription is there.
        return self.order(do="hear", socket=GUARD_SOCKET, attach=attach, topics=["policy", *topics])

    def news(self, topic: str) -> dict[str, Any]:
        """The next news of a topic."""
        while True:
            found: dict[str, Any] = self.order(do="news")["parameters"]
            if found["topic"] == topic:
                return found

    def close(self) -> None:
        self.terminal.close()
