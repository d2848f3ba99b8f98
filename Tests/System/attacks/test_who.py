"""Who may ask: users, groups, units and sockets select the app, and nothing that a peer says of itself does."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from attack_case import ALICE, APP, BOB, KIOSK, MALLORY, OTHERS, STAFF, AttackCase, Failure
from configuration import Configuration
from daemon import Daemon, eventually
from wire import ADMIN, GUARD, Wire

WHO = f"{GUARD}.WhoAmI"
ATTACH = f"{GUARD}.Attach"

# Groups by number have no name here, so the configuration makes two of its own; see `setUpClass`.
GROUPS = f"""\
apps:
  {APP}:
    peers: [{{ uid: {ALICE} }}]
    identityMode: multi
  com.contoso.staff:
    peers: [{{ group: nogroup }}]
    identityMode: multi
  com.contoso.both:
    peers: [{{ uid: {BOB}, group: daemon }}]
    identityMode: multi
"""

NOBODY = 65_534
PEERS_OUTSIDE = f"""\
apps:
  {APP}:
    peers: [{{ uid: {ALICE} }}]
    identityMode: multi
"""

# Opens listening sockets as systemd does, and becomes the daemon: pairs of a name and a path, `--`, and its command.
HAND_OVER = """
import os, socket, sys
words = sys.argv[1:]
end = words.index("--")
pairs = list(zip(words[0:end:2], words[1:end:2]))
made = []
for _, path in pairs:
    made.append(socket.socket(socket.AF_UNIX))
    made[-1].bind(path)
    os.chmod(path, 0o666)
    made[-1].listen()
copies = [os.dup2(m.fileno(), 40 + n) for n, m in enumerate(made)]
for m in made:
    m.close()
for number, copy in enumerate(copies):
    os.dup2(copy, 3 + number, inheritable=True)
    os.close(copy)
os.environ.update(
    LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(pairs)), LISTEN_FDNAMES=":".join(name for name, _ in pairs))
os.execv(words[end + 1], words[end + 1:])
"""
HANDED_SETTINGS = "sockets: { apps: { lobby: { open: true } } }\n"

UNIT = "contoso-kiosk.service"
UNITS = f"""\
apps:
  {KIOSK}:
    peers: [{{ unit: {UNIT} }}]
    identityMode: multi
"""
CGROUPS = Path("/sys/fs/cgroup/systemd") if Path("/sys/fs/cgroup/systemd").is_dir() else Path("/sys/fs/cgroup")

SOCKETS = f"""\
apps:
  {APP}:
    peers: [{{ uid: {ALICE} }}, {{ uid: $uid }}]
    identityMode: multi
  {KIOSK}:
    peers: [{{ socket: contoso-kiosk }}]
    identityMode: multi
  com.contoso.lobby:
    peers: [{{ socket: lobby, uid: {BOB} }}]
    identityMode: multi
"""
SOCKET_SETTINGS = "sockets: { apps: { contoso-kiosk: { group: daemon }, lobby: { open: true }, nobodys: {} } }\n"


def group(name: str) -> int:
    return int(subprocess.run(["getent", "group", name], capture_output=True, text=True).stdout.split(":")[2])


class WhoMayAsk(AttackCase):
    configuration = Configuration(GROUPS)

    def test_a_user_is_an_app_by_its_number(self) -> None:
        link = self.link(ALICE)
        who = self.answered(link.call(WHO))
        self.assertEqual((who["uid"], who["app"]), (ALICE, APP))
        self.assertEqual(self.answered(link.call(ATTACH))["app"], APP)

    def test_a_member_is_an_app_by_its_group(self) -> None:
        link = self.link(MALLORY, group("nogroup"))
        self.assertEqual(self.answered(link.call(ATTACH))["app"], "com.contoso.staff")
        self.refused(self.link(MALLORY, OTHERS).call(ATTACH), "NoApp")

    def test_all_that_a_peer_states_must_hold(self) -> None:
        self.assertEqual(self.answered(self.link(BOB, group("daemon")).call(ATTACH))["app"], "com.contoso.both")
        self.refused(self.link(BOB).call(ATTACH), "NoApp")
        self.refused(self.link(MALLORY, group("daemon")).call(ATTACH), "NoApp")

    def test_an_invented_app_name_is_refused(self) -> None:
        self.refused(self.link(ALICE).call(ATTACH, app="com.contoso.staff"), "AppMismatch")
        self.refused(self.link(ALICE).call(ATTACH, app="com.contoso.invented"), "AppMismatch")
        self.refused(self.link(MALLORY).call(ATTACH, app=APP), "NoApp")

    def test_a_user_namespace_changes_nobody(self) -> None:
        """As root of a namespace of its own a user is who it was."""
        person = self.person(MALLORY, prefix=("unshare", "--user", "--map-root-user"))
        self.assertEqual(person.who()[0], 0)
        link = person.link(self.daemon.guard_socket)
        self.assertEqual(self.answered(link.call(WHO))["uid"], MALLORY)
        self.refused(link.call(ATTACH), "NoApp")

    def test_a_user_without_a_map_is_known_as_well(self) -> None:
        person = self.person(ALICE, prefix=("unshare", "--user"))
        self.assertNotEqual(person.who()[0], ALICE)
        self.assertEqual(self.answered(person.link(self.daemon.guard_socket).call(ATTACH))["app"], APP)

    def test_a_process_namespace_hides_no_user(self) -> None:
        """Its processes see themselves as number 1 or 2; the daemon sees the users they belong to."""
        command = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")
        person = self.person(ALICE, prefix=command)
        self.assertLess(person.who()[3], 10)
        self.assertEqual(self.answered(person.link(self.daemon.guard_socket).call(ATTACH))["app"], APP)

    def test_the_admin_socket_is_for_administrators(self) -> None:
        with self.assertRaises(Failure) as refused:
            self.person(ALICE, STAFF).link(self.daemon.admin_socket)
        self.assertEqual(str(refused.exception), "PermissionError")
        reply = self.link(ALICE).call(f"{ADMIN}.Reload")
        self.assertEqual(reply["error"], "org.varlink.service.InterfaceNotFound")


class UnitsOfPeers(AttackCase):
    """A unit is a control group, so processes are put into one by hand."""

    configuration = Configuration(UNITS)

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cgroup = CGROUPS / UNIT
        try:
            cls.cgroup.mkdir()
        except OSError as error:
            raise unittest.SkipTest(f"no control group can be made here: {error}") from None
        cls.addClassCleanup(cls._remove)

    @classmethod
    def _remove(cls) -> None:
        eventually(lambda: not (cls.cgroup / "cgroup.procs").read_text(), "the control group is empty")
        cls.cgroup.rmdir()

    def _in_unit(self, pid: int) -> None:
        (self.cgroup / "cgroup.procs").write_text(str(pid))

    def test_a_process_is_an_app_by_its_unit(self) -> None:
        person = self.person(MALLORY)
        self.refused(person.link(self.daemon.guard_socket).call(ATTACH), "NoApp")
        self._in_unit(person.process.pid)
        link = person.link(self.daemon.guard_socket)
        self.assertEqual(self.answered(link.call(WHO))["unit"], UNIT)
        self.assertEqual(self.answered(link.call(ATTACH))["app"], KIOSK)

    def test_a_socket_that_is_handed_on_speaks_for_who_connected(self) -> None:
        """Whoever inherits or is sent a connection speaks for the process that made it."""
        person = self.person(MALLORY)
        self._in_unit(person.process.pid)
        link = person.link(self.daemon.guard_socket)
        # The daemon looks when it takes the connection up, and not when it is made.
        self.assertEqual(self.answered(link.call(WHO))["unit"], UNIT)
        (CGROUPS / "cgroup.procs").write_text(str(person.process.pid))
        self.assertEqual(self.answered(link.call(WHO))["unit"], UNIT)
        self.assertNotIn("unit", self.answered(person.link(self.daemon.guard_socket).call(WHO)))

    def test_the_number_of_a_process_that_ended_says_nothing_of_its_successor(self) -> None:
        """Mallory connects in a process that ends; its number goes to one of the kiosk's before the daemon looks."""
        last = Path("/proc/sys/kernel/ns_last_pid")
        os.kill(self.daemon.pid, signal.SIGSTOP)
        try:
            connection = socket.socket(socket.AF_UNIX)
            self.addCleanup(connection.close)
            pid = self._connected_by_another_process(connection)
            successor = self._process_with_number(pid, last)
            self._in_unit(pid)
        finally:
            os.kill(self.daemon.pid, signal.SIGCONT)
        try:
            who = self._ask(connection)
        finally:
            os.kill(successor, signal.SIGKILL)
            os.waitpid(successor, 0)
        self.assertEqual(who["uid"], MALLORY)
        self.assertNotIn("unit", who)

    def _connected_by_another_process(self, connection: socket.socket) -> int:
        """Connects a socket in a process of Mallory's that ends at once; returns its number."""
        pid = os.fork()
        if pid == 0:
            os.setgroups([])
            os.setgid(MALLORY)
            os.setuid(MALLORY)
            connection.connect(str(self.daemon.guard_socket))
            os._exit(0)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        return pid

    def _process_with_number(self, wanted: int, last: Path) -> int:
        """Makes a process that has this number, as the kernel gives it out again."""
        for _ in range(50):
            try:
                last.write_text(str(wanted - 1))
            except OSError as error:
                self.skipTest(f"the numbers of processes cannot be chosen here: {error}")
            pid = os.fork()
            if pid == 0:
                signal.pause()
                os._exit(0)
            if pid == wanted:
                return pid
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.skipTest("another process was faster, fifty times")

    @staticmethod
    def _ask(connection: socket.socket) -> dict[str, object]:
        wire = Wire.__new__(Wire)
        wire.socket, wire._received = connection, b""
        connection.settimeout(20)
        return wire.call(WHO)["parameters"]


class DaemonsInNamespaces(AttackCase):
    """What a daemon that is shut in sees of peers outside."""

    configuration = Configuration(PEERS_OUTSIDE)

    def _daemon(self, *prefix: str) -> Daemon:
        daemon = Daemon(self.configuration, prefix=prefix)
        self.addCleanup(daemon.remove)
        daemon.directory.chmod(0o755)
        return daemon.start()

    def test_in_a_user_namespace_everybody_outside_is_nobody(self) -> None:
        """Why the service has `PrivateUsers=no`: with it nobody could be told apart, and nobody is let in."""
        daemon = self._daemon("unshare", "--user", "--map-root-user")
        link = self.person(ALICE).link(daemon.guard_socket)
        self.assertEqual(self.answered(link.call(WHO))["uid"], NOBODY)
        self.refused(link.call(ATTACH), "NoApp")

    def test_in_a_process_namespace_users_are_known_and_units_are_not(self) -> None:
        daemon = self._daemon("unshare", "--pid", "--fork", "--kill-child")
        who = self.answered(self.person(ALICE).link(daemon.guard_socket).call(WHO))
        self.assertEqual((who["uid"], who["app"]), (ALICE, APP))
        self.assertNotIn("unit", who)


class SocketsOfApps(AttackCase):
    """An app may have a socket of its own: who comes through it is that app."""

    configuration = Configuration(SOCKETS, settings=SOCKET_SETTINGS)

    def _socket(self, name: str) -> Path:
        return self.daemon.sockets / f"{name}.sock"

    def test_who_comes_through_an_apps_socket_is_that_app(self) -> None:
        link = self.person(MALLORY, group("daemon")).link(self._socket("contoso-kiosk"))
        who = self.answered(link.call(WHO))
        self.assertEqual((who["socket"], who["app"]), ("contoso-kiosk", KIOSK))
        self.assertEqual(self.answered(link.call(ATTACH))["app"], KIOSK)

    def test_and_no_other_whatever_else_holds_of_it(self) -> None:
        link = self.person(ALICE, group("daemon")).link(self._socket("contoso-kiosk"))
        self.refused(link.call(ATTACH, app=APP), "AppMismatch")
        self.assertEqual(self.answered(link.call(ATTACH))["app"], KIOSK)

    def test_on_the_guard_socket_such_an_app_cannot_be_had(self) -> None:
        link = self.person(ALICE, group("daemon")).link(self.daemon.guard_socket)
        self.refused(link.call(ATTACH, app=KIOSK), "AppMismatch")
        self.refused(self.link(MALLORY, group("daemon")).call(ATTACH, app=KIOSK), "NoApp")
        self.assertNotIn("socket", self.answered(link.call(WHO)))

    def test_what_else_the_peer_states_must_hold_as_well(self) -> None:
        bob = self.person(BOB).link(self._socket("lobby"))
        self.assertEqual(self.answered(bob.call(ATTACH))["app"], "com.contoso.lobby")
        self.refused(self.person(ALICE).link(self._socket("lobby")).call(ATTACH), "NoApp")

    def test_a_socket_lets_in_whom_its_settings_name(self) -> None:
        modes = {name: self._socket(name).stat().st_mode & 0o777 for name in ("contoso-kiosk", "lobby", "nobodys")}
        self.assertEqual(modes, {"contoso-kiosk": 0o660, "lobby": 0o666, "nobodys": 0o600})
        for name in ("contoso-kiosk", "nobodys"):
            with self.assertRaises(Failure) as refused:
                self.person(ALICE).link(self._socket(name))
            self.assertEqual(str(refused.exception), "PermissionError")

    def test_a_socket_that_no_app_names_is_nobodys(self) -> None:
        self.refused(self.wire(self._socket("nobodys")).call(ATTACH), "NoApp")
        self.assertEqual(self.daemon.tells("no app has the socket"), 1)

    def test_an_instance_is_joined_through_its_apps_socket_only(self) -> None:
        """A token that leaked to the user's other programs is worth nothing on the guard socket."""
        person = self.person(ALICE, group("daemon"))
        token = self.answered(person.link(self._socket("contoso-kiosk")).call(ATTACH))["instance"]
        self.refused(person.link(self.daemon.guard_socket).call(ATTACH, instance=token), "UnknownInstance")
        self.answered(person.link(self._socket("contoso-kiosk")).call(ATTACH, instance=token))


class SocketsOfUnits(AttackCase):
    """Sockets that a service manager opened: `contoso-kiosk` is an app's, `guard` everybody's."""

    configuration = Configuration(SOCKETS, settings=HANDED_SETTINGS)

    @classmethod
    def setUpClass(cls) -> None:
        if os.getuid() != 0:
            raise unittest.SkipTest("only root can be several users")
        cls.place = Path(tempfile.mkdtemp(prefix="wvg-units-"))
        cls.addClassCleanup(lambda: subprocess.run(["rm", "-r", str(cls.place)], check=True))
        cls.place.chmod(0o755)
        cls.kiosk = cls.place / "kiosk.sock"
        handed = ["guard", str(cls.place / "guard.sock"), "contoso-kiosk", str(cls.kiosk)]
        cls.daemon = Daemon(cls.configuration, prefix=[sys.executable, "-c", HAND_OVER, *handed, "--"])
        cls.addClassCleanup(cls.daemon.remove)
        cls.daemon.guard_socket = cls.place / "guard.sock"
        cls.daemon.directory.chmod(0o755)
        cls.daemon.start()

    def test_a_units_socket_is_its_apps(self) -> None:
        link = self.person(ALICE).link(self.kiosk)
        self.assertEqual(self.answered(link.call(WHO))["socket"], "contoso-kiosk")
        self.refused(link.call(ATTACH, app=APP), "AppMismatch")
        self.assertEqual(self.answered(link.call(ATTACH))["app"], KIOSK)
        self.assertEqual(self.answered(self.link(ALICE).call(ATTACH))["app"], APP)

    def test_what_is_not_handed_over_the_daemon_makes(self) -> None:
        link = self.person(BOB).link(self.daemon.sockets / "lobby.sock")
        self.assertEqual(self.answered(link.call(ATTACH))["app"], "com.contoso.lobby")
        self.assertFalse((self.daemon.sockets / "guard.sock").exists())
        self.assertFalse((self.daemon.sockets / "contoso-kiosk.sock").exists())

    def test_zz_a_units_socket_that_is_deleted_is_said_aloud_and_not_replaced(self) -> None:
        """The last, since nobody makes it again."""
        held = self.person(ALICE).link(self.kiosk)
        self.kiosk.unlink()
        admin = self.wire(self.daemon.admin_socket)
        eventually(lambda: "socketError" in self.answered(admin.call(f"{ADMIN}.Status")), "it is said")
        self.assertIn(str(self.kiosk), self.answered(admin.call(f"{ADMIN}.Status"))["socketError"])
        self.assertFalse(self.kiosk.exists())
        self.assertEqual(self.answered(held.call(ATTACH))["app"], KIOSK)
