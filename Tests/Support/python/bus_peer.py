#!/usr/bin/env python3
"""A peer on a message bus that answers well and badly, and buses that are none.

  bus_peer.py peer ADDRESS       serves org.example.Peer at /peer, until the bus ends; prints `ready`
  bus_peer.py bus MODE PATH      listens as a bus would: `silent` says nothing, `garbage` welcomes with garbage, `half` hangs
                                 up in the middle of its first message, `closes` hangs up at once; prints `ready`
"""

import os
import socket
import sys


def serve_peer(address: str) -> None:
    import dbus
    import dbus.mainloop.glib
    import dbus.service
    from gi.repository import GLib

    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    name = "org.example.Peer"

    class Peer(dbus.service.Object):
        @dbus.service.method(name, in_signature="v", out_signature="v")
        def Echo(self, value):
            return value

        @dbus.service.method(name, in_signature="(sa{sv})sa{ss}us", out_signature="(bba{ss})")
        def Authorise(self, subject, action, details, flags, cancellation):
            told = {"kind": subject[0], "pid": str(subject[1]["pid"]), "action": action, "flags": str(flags), **details}
            return (True, False, dbus.Dictionary(told, signature="ss"))

        @dbus.service.method(name, out_signature="a{sv}")
        def Properties(self):
            return {"IdleHint": True, "IdleSinceHint": dbus.UInt64(1 << 40), "Name": "seat0"}

        @dbus.service.method(name, in_signature="h", out_signature="t")
        def Inode(self, file):
            taken = file.take()
            inode = os.fstat(taken).st_ino
            os.close(taken)
            return inode

        @dbus.service.method(name, out_signature="s")
        def Big(self):
            return "x" * 10_000_000

        @dbus.service.method(name, out_signature="ay")
        def Bytes(self):
            return dbus.ByteArray(bytes(1_000_000))

        @dbus.service.method(name, out_signature="as")
        def Many(self):
            return [""] * 100_000

        @dbus.service.method(name, out_signature="v")
        def Deep(self):
            value = dbus.Int32(1, variant_level=1)
            for _ in range(12):
                value = dbus.Struct([value], variant_level=1)
            return value

        @dbus.service.method(name, out_signature="s")
        def Fail(self):
            raise dbus.DBusException("no\n\x1b[31m" + "!" * 100_000, name="org.example.Error.No")

        @dbus.service.method(name, out_signature="s", async_callbacks=("answer", "fail"))
        def Hang(self, answer, fail):
            pass

        @dbus.service.method(name)
        def Vanish(self):
            os._exit(0)

        @dbus.service.method(name, in_signature="u", out_signature="u")
        def Shout(self, times):
            for number in range(times):
                self.Told(number)
            return times

        @dbus.service.signal(name, signature="u")
        def Told(self, number):
            pass

    bus = dbus.bus.BusConnection(address)
    owned = dbus.service.BusName(name, bus)
    Peer(bus, "/peer")
    print("ready", flush=True)
    GLib.MainLoop().run()
    del owned


def serve_no_bus(mode: str, path: str) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    kept = []
    while True:
        link, _ = listener.accept()
        if mode == "closes":
            link.close()
            continue
        kept.append(link)
        if mode == "silent":
            continue
        welcome(link)
        if mode == "garbage":
            link.sendall(os.urandom(4096))
        elif mode == "half":
            # The head of a reply of a megabyte, and the beginning of its fields.
            link.sendall(b"l\x02\x01\x01" + (1 << 20).to_bytes(4, "little") + b"\x01\0\0\0" + (64).to_bytes(4, "little") + b"\x05\x01u\0")
            link.close()


def welcome(link: socket.socket) -> None:
    """Lets anybody in: the lines of D-Bus's authentication."""
    received = b""
    answered = 0
    while b"BEGIN" not in received:
        received += link.recv(4096)
        while answered < received.count(b"\r\n"):
            line = received.split(b"\r\n")[answered].lstrip(b"\0")
            answered += 1
            if line.startswith(b"AUTH"):
                link.sendall(b"DATA\r\n" if line == b"AUTH EXTERNAL" else b"OK 0123456789abcdef0123456789abcdef\r\n")
            elif line.startswith(b"DATA"):
                link.sendall(b"OK 0123456789abcdef0123456789abcdef\r\n")
            elif line.startswith(b"NEGOTIATE_UNIX_FD"):
                link.sendall(b"AGREE_UNIX_FD\r\n")


if __name__ == "__main__":
    if sys.argv[1] == "peer":
        serve_peer(sys.argv[2])
    else:
        serve_no_bus(sys.argv[2], sys.argv[3])
