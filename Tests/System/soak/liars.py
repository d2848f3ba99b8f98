"""Clients that lie, break off and die. What each of them gets is known beforehand."""

import os
import signal
import socket
import time
from collections.abc import Callable
from random import Random

from guest import Disagreement, House
from policies import WORK
from wire import ADMIN, GUARD, SERVICE, Wire, frame

# What is sent, and the error that comes back; the connection stays.
REFUSED: tuple[tuple[bytes, str], ...] = (
    (b'{"parameters":{}}', f"{SERVICE}.InvalidParameter"),
    (b'{"method":7}', f"{SERVICE}.InvalidParameter"),
    (b'{"method":"org.example.Other.Do"}', f"{SERVICE}.InterfaceNotFound"),
    (b'{"method":"org.webviewguard.Admin.Reload"}', f"{SERVICE}.InterfaceNotFound"),
    *(
        (b'{"method":"org.webviewguard.Guard.' + rest, error)
        for rest, error in (
            (b'Teleport"}', f"{SERVICE}.MethodNotFound"),
            (b'WhoAmI","upgrade":true}', f"{SERVICE}.InvalidParameter"),
            (b'Navigate","parameters":{"event":{"viewer":7}}}', f"{SERVICE}.InvalidParameter"),
            (b'Navigate","parameters":{"event":{"colour":"red"}}}', f"{SERVICE}.InvalidParameter"),
            (b'Navigate","parameters":{"event":{}}}', f"{GUARD}.NotAttached"),
            (b'Acknowledge","parameters":{"decision":"1","outcome":"allow"}}', f"{GUARD}.NotAttached"),
            (b'RegisterViewer","parameters":{"viewer":"v0"}}', f"{GUARD}.NotAttached"),
            (b'Subscribe"}', f"{SERVICE}.ExpectedMore"),
            (b'Attach","parameters":{"app":"com.contoso.mail"}}', f"{GUARD}.AppMismatch"),
            (b'Attach","parameters":{"instance":"00112233445566778899aabbccddeeff"}}', f"{GUARD}.UnknownInstance"),
        )
    ),
)

# What is no message: the connection ends without a word.
UNREADABLE = (b"nonsense", b"[]", b"{", b'{"method":"a"} trailing', b"\xef\xbb\xbf{}", b"", b" " * 3000, b"[" * 5000)

NAVIGATE = frame(f"{GUARD}.Navigate", event={"viewer": "v0", "url": "https://news.example/", "frame": "main"})


class Liars:
    """Every trick, one at a time; `play` takes a random one."""

    def __init__(self, house: House, random: Random) -> None:
        self.house = house
        self.random = random
        self.played: dict[str, int] = {}
        self._half: list[tuple[float, Wire]] = []

    def play(self) -> None:
        self._play(self.random.choice((self._refused, *self._tricks())))

    def play_all(self) -> None:
        """Each trick once: also where everything is slow, every one is tried."""
        tricks = list(self._tricks())
        self.random.shuffle(tricks)
        for trick in tricks:
            self._play(trick)

    def end(self) -> None:
        """Waits for what the daemon must still do of itself."""
        while self._half:
            time.sleep(0.1)
            self._end_halves()

    def leave(self) -> None:
        """The daemon is no more, and owes nothing."""
        for _, wire in self._half:
            wire.socket.close()
        self._half = []

    def _tricks(self) -> tuple[Callable[[], None], ...]:
        return (
            self._refused, self._unreadable, self._too_long, self._half_a_message, self._gone_at_once,
            self._gone_with_answers_due, self._killed, self._told_nothing, self._stopped_reading, self._last_word,
        )  # fmt: skip

    def _play(self, trick: Callable[[], None]) -> None:
        self._count(trick)
        trick()
        self._end_halves()

    def _count(self, trick: Callable[[], None]) -> None:
        name = trick.__name__.strip("_")
        self.played[name] = self.played.get(name, 0) + 1

    def _connect(self) -> Wire:
        return Wire(self.house.guard_socket, 60.0)

    def _expect(self, wire: Wire, error: str | None) -> None:
        reply = wire.reply()
        if reply.get("error") != error:
            raise Disagreement(f"a liar was answered {reply} instead of {error}")

    # What is answered

    def _refused(self) -> None:
        """Several lies at once: each gets its own error, in order, and the truth after them is answered."""
        lies = self.random.choices(REFUSED, k=self.random.randint(1, 30))
        with self._connect() as wire:
            wire.send(*(lie + b"\0" for lie, _ in lies), frame(f"{GUARD}.WhoAmI"))
            for _, error in lies:
                self._expect(wire, error)
            self._expect(wire, None)

    def _told_nothing(self) -> None:
        """Calls that want no reply get none, not even an error; the next reply is the next call's."""
        with self._connect() as wire:
            wire.send(*[frame(f"{GUARD}.Navigate", flags={"oneway": True}, event={"viewer": "v0"})] * 20)
            wire.send(frame(f"{GUARD}.Teleport", flags={"oneway": True}))
            wire.send(frame(f"{GUARD}.WhoAmI", flags={"oneway": True, "more": True}), frame(f"{GUARD}.WhoAmI"))
            self._expect(wire, None)

    def _last_word(self) -> None:
        """What was sent before the sending side was closed is still answered, and nothing else."""
        count = self.random.randint(1, 40)
        with self._connect() as wire:
            wire.send(*[frame(f"{GUARD}.WhoAmI")] * count)
            wire.socket.shutdown(socket.SHUT_WR)
            for _ in range(count):
                self._expect(wire, None)
            self._expect_end(wire)

    # What ends the connection

    def _unreadable(self) -> None:
        with self._connect() as wire:
            wire.send(self.random.choice(UNREADABLE) + b"\0", frame(f"{GUARD}.WhoAmI"))
            self._expect_end(wire)

    def _too_long(self) -> None:
        with self._connect() as wire:
            try:
                wire.send(b"x" * 600_000)
            except ConnectionError:
                return
            self._expect(wire, f"{GUARD}.LimitReached")
            self._expect_end(wire)

    def _half_a_message(self) -> None:
        """Half a message and nothing more: the daemon ends it by itself, see `_end_halves`."""
        wire = self._connect()
        wire.send(frame(f"{GUARD}.WhoAmI") + NAVIGATE[: self.random.randint(1, len(NAVIGATE) - 1)])
        self._expect(wire, None)
        self._half.append((time.monotonic(), wire))

    def _end_halves(self) -> None:
        """Two seconds are allowed; many more are not, however slow a sanitizer makes the daemon."""
        for since, wire in list(self._half):
            wire.socket.setblocking(False)
            try:
                ended = wire.socket.recv(1) == b""
            except BlockingIOError:
                ended = False
            if not ended and time.monotonic() - since > 30:
                raise Disagreement("half a message was let stay for half a minute")
            if ended:
                wire.socket.close()
                self._half.remove((since, wire))

    def _expect_end(self, wire: Wire) -> None:
        if not wire.is_closed():
            raise Disagreement("a connection that had to end did not")

    # Deaths

    def _gone_at_once(self) -> None:
        self._connect().socket.close()

    def _gone_with_answers_due(self) -> None:
        wire = self._connect()
        self._attach(wire)
        wire.send(*[NAVIGATE] * self.random.choice((1, 50, 300)))
        wire.socket.close()

    def _killed(self) -> None:
        """A process of its own that dies by SIGKILL while answers are under way."""
        child = os.fork()
        if child == 0:
            try:
                wire = self._connect()
                self._attach(wire)
                while True:
                    wire.send(*[NAVIGATE] * 20)
                    wire.replies(10)
            finally:
                os._exit(0)
        time.sleep(self.random.uniform(0.005, 0.1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    def _stopped_reading(self) -> None:
        """Asks until the daemon takes no more, reads nothing, and goes."""
        wire = self._connect()
        self._attach(wire)
        wire.socket.setblocking(False)
        try:
            for _ in range(200):
                wire.socket.send(NAVIGATE * 50)
        except BlockingIOError:
            pass
        wire.socket.close()

    def _attach(self, wire: Wire) -> None:
        wire.call(f"{GUARD}.Attach", features=[])
        wire.call(f"{GUARD}.SetIdentity", level="process", account=WORK)


def reload(admin: Wire) -> None:
    """The policy on disk is put in force."""
    reply = admin.call(f"{ADMIN}.Reload")
    if "error" in reply:
        raise Disagreement(f"the policy could not be loaded: {reply}")
