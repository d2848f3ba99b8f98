"""What the sockets say of themselves."""

import os
import stat

import varlink
from daemon import INTERFACES
from session import DaemonCase
from wire import ACCOUNTS, ADMIN, GUARD, RULES, SERVICE


class Introspection(DaemonCase):
    def test_each_socket_lists_what_it_serves(self) -> None:
        served = {
            self.daemon.guard_socket: [SERVICE, GUARD, ACCOUNTS],
            self.daemon.admin_socket: [SERVICE, ADMIN, RULES],
        }
        for path, interfaces in served.items():
            info = self.call(self.service(path), "GetInfo")
            self.assertEqual(info["interfaces"], interfaces)
            self.assertEqual(info["product"], "webviewguard")
            self.assertTrue(info["vendor"] and info["version"] and info["url"])

    def test_every_interface_is_parsed_and_equals_its_file(self) -> None:
        for path in (self.daemon.guard_socket, self.daemon.admin_socket):
            service = self.service(path)
            for name in self.call(service, "GetInfo")["interfaces"]:
                text = self.call(service, "GetInterfaceDescription", interface=name)["description"]
                self.assertEqual(text.encode(), (INTERFACES / f"{name}.varlink").read_bytes())
                self.assertEqual(varlink.Interface(text).name, name)

    def test_the_library_lists_the_interfaces(self) -> None:
        client = varlink.Client(f"unix:{self.daemon.guard_socket}")
        self.assertEqual(client.get_interfaces(), [SERVICE, GUARD, ACCOUNTS])
        self.assertIsNotNone(client.get_interface(GUARD).get_method("Navigate"))

    def test_a_socket_does_not_serve_the_others_interfaces(self) -> None:
        strange = f"{SERVICE}.InterfaceNotFound"
        for path, name, method in (
            (self.daemon.guard_socket, ADMIN, "Status"),
            (self.daemon.guard_socket, RULES, "Classify"),
            (self.daemon.admin_socket, GUARD, "WhoAmI"),
            (self.daemon.admin_socket, ACCOUNTS, "List"),
        ):
            wire = self.wire(path)
            self.assertEqual(self.is_error(wire.call(f"{name}.{method}"), strange), {"interface": name})
            self.assertEqual(
                self.refused(strange, self.service(path), "GetInterfaceDescription", interface=name),
                {"interface": name},
            )
            self.assertNotIn("error", wire.call(f"{SERVICE}.GetInfo"))

    def test_modes_let_everybody_ask_and_administrators_look(self) -> None:
        self.assertEqual(stat.S_IMODE(os.stat(self.daemon.guard_socket).st_mode), 0o666)
        self.assertEqual(stat.S_IMODE(os.stat(self.daemon.admin_socket).st_mode), 0o660)
        self.assertEqual(stat.S_IMODE(os.stat(self.daemon.contract).st_mode), 0o644)
        self.assertEqual(stat.S_IMODE(os.stat(self.daemon.log_file).st_mode) & 0o007, 0)
