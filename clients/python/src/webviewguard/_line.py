"""The socket of a session: never blocks but in `wait`, which has a limit."""

import os
import select
import socket
import time
from collections.abc import Callable, Iterable

from webviewguard import _place
from webviewguard._contract import contract_file
from webviewguard._session import Session

CHUNK = 65_536
# One turn reads this often at the most, so that a flood cannot hold the app.
TURNS = 64


class Line:
    """Carries a session's bytes over the daemon's socket. `fileno` is one descriptor for all its connections."""

    def __init__(
        self, session: Session, path: str | os.PathLike[str] | None, trusted: Iterable[int] | None
    ) -> None:
        self.session = session
        self._path = path
        self._trusted = None if trusted is None else tuple(trusted)
        self._poll = select.epoll()
        self._socket: socket.socket | None = None
        self._interest = 0
        # A pipe to itself, by which `fileno` becomes readable without the daemon.
        self._bell, self._rope = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll.register(self._bell, select.EPOLLIN)

    def fileno(self) -> int:
        return self._poll.fileno()

    def step(self, *, connect: bool) -> None:
        """Does all that can be done now. `connect` says whether a missing connection is made."""
        now = time.monotonic()
        self._exchange(now)
        self.session.expire(now)
        if self.session.is_down:
            self._close()
        if connect and self.session.may_connect(now):
            self._connect(now)
            self._exchange(now)
            if self.session.is_down:
                self._close()

    def wait(self, until: float) -> None:
        """Returns when there is something to do, and at that time at the latest."""
        self._poll.poll(max(0.0, until - time.monotonic()), 4)

    def ring(self, rings: bool) -> None:
        """Makes `fileno` readable, so that the app's loop comes by; or no longer so."""
        try:
            if rings:
                os.write(self._rope, b"!")
            else:
                os.read(self._bell, CHUNK)
        except BlockingIOError:
            pass

    def load_contract(self) -> None:
        """Takes the contract beside the socket, until the daemon itself has said what holds."""
        if not self.session.has_attached:
            place = _place.find(self._path, self._trusted)
            self.session.contract = contract_file(place.contract, place.trusted)

    def close(self) -> None:
        self._close()
        self._poll.close()
        os.close(self._bell)
        os.close(self._rope)

    def _connect(self, now: float) -> None:
        self.load_contract()
        place = _place.find(self._path, self._trusted)
        attempt = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            attempt.connect(place.socket)
            uid = _place.listener(attempt)
            if uid not in place.trusted:
                raise PermissionError(f"`{place.socket}` belongs to somebody else, uid {uid}")
        except (OSError, ValueError) as problem:
            attempt.close()
            self.session.lost(now, str(problem))
            return
        self._socket = attempt
        self._interest = select.EPOLLIN
        self._poll.register(attempt, self._interest)
        self.session.connected(now)

    def _exchange(self, now: float) -> None:
        if self._socket is None:
            return
        # What the daemon still said before it closed is read first.
        sent = self._try(self._send, self._socket)
        received = self._try(lambda connection: self._receive(connection, now), self._socket)
        if not self.session.is_down:
            sent = sent or self._try(self._send, self._socket)
        problem = received or sent
        if problem and not self.session.is_down:
            self.session.lost(now, problem)
        self._watch()

    def _try(self, work: Callable[[socket.socket], None], connection: socket.socket) -> str | None:
        try:
            work(connection)
        except BlockingIOError:
            return None
        except OSError as problem:
            return str(problem)
        return None

    def _send(self, connection: socket.socket) -> None:
        while self.session.outgoing:
            count = connection.send(self.session.outgoing, socket.MSG_NOSIGNAL)
            del self.session.outgoing[:count]

    def _receive(self, connection: socket.socket, now: float) -> None:
        for _ in range(TURNS):
            data = connection.recv(CHUNK)
            if not data:
                raise ConnectionResetError("the daemon closed the connection")
            self.session.received(data, now)
            if self.session.is_down:
                return

    def _watch(self) -> None:
        """Asks to be woken for room to send only while there is something to be sent."""
        wanted = select.EPOLLIN | (select.EPOLLOUT if self.session.outgoing else 0)
        if self._socket is not None and wanted != self._interest:
            self._poll.modify(self._socket, wanted)
            self._interest = wanted

    def _close(self) -> None:
        if self._socket is not None:
            self._poll.unregister(self._socket)
            self._socket.close()
            self._socket = None
