#!/usr/bin/env python3
"""polkit as the daemon asks it, and one that misbehaves.

  polkit.py ADDRESS      each line of standard input is a JSON list: a word, and its arguments
                           ["say", without, with]   answers from now on without and with a dialogue, each one of
                                                      "yes", "no", "challenge", "dismissed", "cancelled", "failed", "hang",
                                                      "vanish", "text", "empty", "short", "big"
                           ["answer", word]          answers the dialogue that hangs
                           ["leave"], ["take"]       gives the name up, takes it
                         prints `ready`, then a line for each call: a JSON list of its name and arguments
"""

import json
import os
import sys
from typing import Any

import dbus
import dbus.bus
import dbus.lowlevel
import dbus.mainloop.glib

from orders import obey_orders

NAME = "org.freedesktop.PolicyKit1"


class Polkit:
    def __init__(self, address: str) -> None:
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        self.bus = dbus.bus.BusConnection(address)
        self.bus.request_name(NAME)
        self.bus.add_message_filter(self.hear_bus)
        self.how = ["challenge", "yes"]
        self.hanging: list[Any] = []

    def hear_bus(self, _: Any, message: Any) -> int:
        if message.get_type() != 1 or message.get_interface() != NAME + ".Authority":
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        arguments = [self.plain(value) for value in message.get_args_list()]
        print(json.dumps([message.get_member(), *arguments]), flush=True)
        if message.get_member() == "CheckAuthorization":
            self.answer(message, self.how[1 if arguments[3] & 1 else 0])
        else:
            self.bus.send_message(dbus.lowlevel.MethodReturnMessage(message))
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def plain(self, value: Any) -> Any:
        if isinstance(value, dbus.types.UnixFd):
            taken = value.take()
            with open(f"/proc/self/fdinfo/{taken}") as info:
                pids = [line.split()[1] for line in info if line.startswith("Pid:")]
            os.close(taken)
            return {"pidfd": int(pids[0]) if pids else None}
        if isinstance(value, dict):
            return {str(key): self.plain(member) for key, member in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(member) for member in value]
        return value

    def answer(self, message: Any, how: str) -> None:
        reply = dbus.lowlevel.MethodReturnMessage(message)
        result: Any = {
            "yes": (True, False, {}), "no": (False, False, {}), "challenge": (False, True, {}),
            "dismissed": (False, False, {"polkit.dismissed": "true"}), "big": (True, False, {"x": "x" * 10_000_000}),
        }.get(how)  # fmt: skip
        if result:
            reply.append(result, signature="(bba{ss})")
        elif how == "text":
            reply.append("yes", signature="s")
        elif how == "short":
            reply.append((True, False), signature="(bb)")
        elif how in ("cancelled", "failed"):
            name = NAME + (".Error.Cancelled" if how == "cancelled" else ".Error.Failed")
            reply = dbus.lowlevel.ErrorMessage(message, name, "no")
        elif how == "hang":
            self.hanging.append(message)
            return
        elif how == "vanish":
            os._exit(0)
        self.bus.send_message(reply)

    def obey(self, word: str, *arguments: Any) -> None:
        if word == "say":
            self.how = list(arguments)
        elif word == "answer":
            self.answer(self.hanging.pop(), arguments[0])
        elif word == "leave":
            self.bus.release_name(NAME)
        else:
            self.bus.request_name(NAME)


def main() -> None:
    obey_orders(Polkit(sys.argv[1]).obey)


if __name__ == "__main__":
    main()
