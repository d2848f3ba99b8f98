"""An agent of polkit for the session that it runs in, as a desktop has one: it asks nobody, and says that the dialogue was
closed. Prints `registered`, then the message of each dialogue."""

import os

import dbus
import dbus.bus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

AUTHORITY, PATH = "org.freedesktop.PolicyKit1", "/org/webviewguard/test/Agent"


class Dismissed(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.PolicyKit1.Error.Cancelled"


class Agent(dbus.service.Object):
    interface = "org.freedesktop.PolicyKit1.AuthenticationAgent"

    @dbus.service.method(interface, in_signature="sssa{ss}saa{sv}")
    def BeginAuthentication(self, action, message, icon, details, cookie, identities):
        print(f"asked: {message}", flush=True)
        raise Dismissed("closed")

    @dbus.service.method(interface, in_signature="s")
    def CancelAuthentication(self, cookie):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
agent = Agent(bus, PATH)
session = dbus.Struct(
    ("unix-session", dbus.Dictionary({"session-id": os.environ["XDG_SESSION_ID"]}, signature="sv")), signature="sa{sv}"
)
authority = bus.get_object(AUTHORITY, "/org/freedesktop/PolicyKit1/Authority", introspect=False)
authority.RegisterAuthenticationAgent(
    session, "C", PATH, dbus_interface="org.freedesktop.PolicyKit1.Authority", signature="(sa{sv})ss"
)
print("registered", flush=True)
GLib.MainLoop().run()
