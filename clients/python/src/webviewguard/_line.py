"""The socket of a conversation: never blocks but in `wait`, which has a limit."""

from __future__ import annotations

import errno
import fcntl
import math
import os
import select
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from webviewguard import _place
from webviewguard._contract import contract_file
from webviewguard._conversation import Conversation

CHUNK = 65_536
# One step reads this often at the most, so that a flood cannot hold the app.
READS = 64
# Below this number a program that was started without them may have its input and output.
STANDARD = 3
# Kept, since Python closes the number of what it forgets.
_ABANDONED: list[select.epoll] = []


class Line:
    """Carries the bytes of a conversation. `fileno` is one descriptor for all its connections."""

    def __init__(
        self, conversation: Conversation, path: str | os.PathLike[str] | None, trusted: Iterable[int] | None
    ) -> None:
        self._conversation = conversation
        self._path = path
        self._trusted = None if trusted is None else frozenset(trusted)
        self._poll = select.epoll()
        self._socket: socket.socket | None = None
        self._interest = 0
        # Other lines that `fileno` tells of.
        self._joined: set[int] = set()
        # Whether `ring` was not taken back.
        self._rings = False
        # What the sockets are, whatever their numbers mean meanwhile.
        self._inodes: set[int] = set()
        # Whose descriptors these are: a child of fork gets its own.
        self._process = os.getpid()
        self._hang_bell()

    def fileno(self) -> int:
        return self._poll.fileno()

    def join(self, other: int) -> None:
        """`fileno` is readable as well when another line is."""
        self._be_own()
        self._joined.add(other)
        self._poll.register(other, select.EPOLLIN)

    def part(self, other: int) -> None:
        """Takes `join` back."""
        self._joined.discard(other)
        with suppress(OSError):
            self._be_own()
            self._poll.unregister(other)

    @property
    def place(self) -> _place.Place:
        return _place.find(self._path, self._trusted)

    def step(self) -> None:
        """Does all that can be done now: reads, sends, gives up, connects. It never raises: an app's hook that does may let the
        engine go on."""
        try:
            self._step(time.monotonic())
        except OSError as problem:
            self._lose(problem)

    def _step(self, now: float) -> None:
        self._be_own()
        self._exchange(now)
        self._conversation.expire(now)
        self._close_if_down()
        if self._conversation.may_connect(now):
            self._connect(now)
            self._exchange(now)
            self._close_if_down()
        self._watch()

    def look(self) -> None:
        """Does what `step` does, and less work where that finds nothing to do, as between two questions."""
        try:
            is_quiet = self._is_ours() and self._conversation.is_idle and not self._poll.poll(0, 1)
        except OSError:
            is_quiet = False
        if not is_quiet:
            self.step()

    def _is_ours(self) -> bool:
        """Whether there is a connection, and nobody else's."""
        return self._socket is not None and self._process == os.getpid() and _inode(self._socket) in self._inodes

    def send(self) -> None:
        """Does what `step` does for a call that is begun right behind `look`: nothing else can be carried yet."""
        if self._socket is None or not self._conversation.outgoing:
            self.step()
            return
        try:
            self._send(self._socket)
        except OSError:
            self.step()

    def wait(self, until: float) -> None:
        """Returns when there is something to do, and at that time at the latest."""
        try:
            self._be_own()
            self._poll.poll(None if until == math.inf else max(0.0, until - time.monotonic()), 4)
        except OSError as problem:
            self._lose(problem)

    def ring(self) -> None:
        """Makes `fileno` readable, so that the app's loop comes by."""
        with suppress(OSError):
            self._be_own()
            self._rings = True
            self._rope.send(b"!")

    def silence(self) -> None:
        """Takes `ring` back."""
        if not self._rings:
            return
        self._rings = False
        with suppress(OSError):
            self._be_own()
            self._bell.recv(CHUNK)

    def load_contract(self) -> None:
        """Takes the contract beside the socket, until the daemon itself has said what holds."""
        if not self._conversation.has_attached:
            place = self.place
            self._conversation.contract = contract_file(place.contract, place.trusts)

    def close(self) -> None:
        with suppress(OSError):
            self._be_own()
        self._close()
        _close_own(self._bell, self._inodes)
        _close_own(self._rope, self._inodes)
        if _is_poll(self._poll.fileno()):
            self._poll.close()
        else:
            _ABANDONED.append(self._poll)

    def _be_own(self) -> None:
        """A child of fork must leave its parent's connection alone, or each is answered what the other asked: it gets
        descriptors of its own, of which `fileno` keeps its number, and a connection when it needs one."""
        if self._process == os.getpid():
            return
        fresh = select.epoll()
        if not _is_poll(self._poll.fileno()):
            fresh.close()
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        os.dup2(fresh.fileno(), self._poll.fileno(), inheritable=False)
        fresh.close()
        self._process = os.getpid()
        self._hang_up()
        self._conversation.inherited()

    def _lose(self, problem: OSError) -> None:
        """The descriptors are not what they were: there are others from now on, and nobody answers what was asked."""
        is_inherited, self._process = self._process != os.getpid(), os.getpid()
        self._abandon()
        if is_inherited:
            self._conversation.inherited()
        elif not self._conversation.is_down:
            self._conversation.lost(time.monotonic(), str(problem))

    def _abandon(self) -> None:
        """Somebody closed descriptors that were not theirs: a program that closes all it has, to become a daemon. Whose the numbers
        are now nobody knows, so nothing is closed here; `fileno` has another."""
        with suppress(OSError):
            fresh, old = select.epoll(), self._poll
            _ABANDONED.append(old)
            self._poll = fresh
            self._hang_up()

    def _hang_up(self) -> None:
        """The poll is new: it knows another bell, the joined lines, and no connection."""
        for inherited in (self._socket, self._bell, self._rope):
            _close_own(inherited, self._inodes)
        self._socket = None
        self._hang_bell()
        for other in self._joined:
            self._poll.register(other, select.EPOLLIN)

    def _hang_bell(self) -> None:
        """A line to itself, by which `fileno` becomes readable without the daemon."""
        self._bell, self._rope = socket.socketpair()
        self._inodes |= {_inode(self._bell), _inode(self._rope)}
        self._bell.setblocking(False)
        self._rope.setblocking(False)
        self._poll.register(self._bell, select.EPOLLIN)

    def _connect(self, now: float) -> None:
        self.load_contract()
        place, attempt = self.place, None
        try:
            attempt = _new_socket()
            attempt.connect(place.socket)
            uid = _place.listener(attempt)
            if not place.trusts(uid):
                raise PermissionError(f"`{place.socket}` belongs to somebody else, uid {uid}")
        except (OSError, ValueError) as problem:
            if attempt is not None:
                attempt.close()
            self._conversation.lost(now, str(problem))
            return
        self._socket, self._interest = attempt, select.EPOLLIN
        self._inodes = {_inode(each) for each in (attempt, self._bell, self._rope)}
        self._poll.register(attempt, self._interest)
        self._conversation.connected(now)

    def _exchange(self, now: float) -> None:
        """Sends, and reads what came even if nothing can be sent any more: it may be why."""
        if self._socket is None:
            return
        if _inode(self._socket) not in self._inodes:
            # What comes there is no word of the daemon.
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        unsent = self._try(self._send, self._socket)
        problem = self._try(self._receive, self._socket, now) or unsent
        if not problem and self._conversation.outgoing:
            problem = self._try(self._send, self._socket)
        if problem and not self._conversation.is_down:
            self._conversation.lost(now, problem)

    def _try(self, work: Callable[..., None], *about: Any) -> str | None:
        """What is wrong with the connection; None for nothing."""
        try:
            work(*about)
        except BlockingIOError:
            return None
        except OSError as problem:
            return str(problem)
        return None

    def _send(self, connection: socket.socket) -> None:
        outgoing = self._conversation.outgoing
        while outgoing:
            count = connection.send(outgoing, socket.MSG_NOSIGNAL)
            del outgoing[:count]

    def _receive(self, connection: socket.socket, now: float) -> None:
        for _ in range(READS):
            data = connection.recv(CHUNK)
            if not data:
                raise ConnectionResetError("the daemon closed the connection")
            self._conversation.received(data, now)
            if len(data) < CHUNK or self._conversation.is_down:
                return  # There is no more now: whoever waits for more is woken by it.

    def _watch(self) -> None:
        """Asks to be woken for room to send only while there is something to be sent."""
        wanted = select.EPOLLIN | (select.EPOLLOUT if self._conversation.outgoing else 0)
        if self._socket is not None and wanted != self._interest:
            self._poll.modify(self._socket, wanted)
            self._interest = wanted

    def _close_if_down(self) -> None:
        if self._conversation.is_down:
            self._close()

    def _close(self) -> None:
        if self._socket is not None:
            connection, self._socket = self._socket, None
            with suppress(OSError):
                self._poll.unregister(connection)
            _close_own(connection, self._inodes)


def _inode(opened: socket.socket) -> int:
    return os.fstat(opened.fileno()).st_ino


def _is_poll(number: int) -> bool:
    """Whether a descriptor is one of epoll; without /proc nobody knows, and it should be."""
    try:
        return os.readlink(f"/proc/self/fd/{number}") == "anon_inode:[eventpoll]"
    except OSError:
        return not os.path.isdir("/proc/self/fd")


def _close_own(opened: socket.socket | None, own: set[int]) -> None:
    """Closes a socket, unless somebody else did and its number is another file's."""
    if opened is None or opened.fileno() < 0:
        return
    try:
        is_own = _inode(opened) in own
    except OSError:
        is_own = False
    opened.close() if is_own else opened.detach()


def _new_socket() -> socket.socket:
    """Not where the program's standard output would be, if it was started without one: what it prints is for nobody."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    if made.fileno() >= STANDARD:
        return made
    with made:
        moved = socket.socket(fileno=fcntl.fcntl(made.fileno(), fcntl.F_DUPFD_CLOEXEC, STANDARD))
    moved.setblocking(False)
    return moved
