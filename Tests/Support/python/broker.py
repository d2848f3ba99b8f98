#!/usr/bin/env python3
"""A sign-in service as Microsoft's broker and himmelblau serve it on the session's bus, and ones that misbehave.

  broker.py ADDRESS      each line of standard input is a JSON list: a word, and its argument
                           ["accounts", [{...}]]   answers these accounts from now on
                           ["text", "..."]         answers this text
                           ["big", 10000000]       answers a text of so many bytes
                           ["hang"]                answers nothing
                           ["error", "name"]       answers this error
                           ["vanish"]              ends in the middle of the next question
                           ["cookie", HOW]         how a request for a credential is answered: one of these lists; `$nonce` is its page's
                           ["leave"], ["take"]     gives the name up, takes it
                           ["fake", "text"]        sends whoever asked last a signal that the name has another owner
                         prints `ready`, then a line for each question: a JSON list of its arguments
"""

import json
import os
import sys
from urllib.parse import parse_qs, urlsplit

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service

from orders import obey_orders

NAME = "com.microsoft.identity.broker1"
PATH = "/com/microsoft/identity/broker1"


class Broker(dbus.service.Object):
    how: tuple[str, object] = ("text", '{"accounts":[]}')
    cookie: tuple[str, object] = ("text", "{}")
    asker = ""

    @dbus.service.method(
        "com.microsoft.identity.Broker1", in_signature="sss", out_signature="s", async_callbacks=("answer", "fail"),
        sender_keyword="sender",
    )  # fmt: skip
    def getAccounts(self, version, correlation, request, answer, fail, sender):
        self.asker = sender
        print(json.dumps([version, correlation, request]), flush=True)
        self.say(*self.how, answer, fail)

    @dbus.service.method(
        "com.microsoft.identity.Broker1", in_signature="sss", out_signature="s", async_callbacks=("answer", "fail"),
    )  # fmt: skip
    def acquirePrtSsoCookie(self, version, correlation, request, answer, fail):
        print(json.dumps([version, correlation, request]), flush=True)
        word, argument = self.cookie
        if word == "text":
            nonce = parse_qs(urlsplit(json.loads(request)["ssoUrl"]).query).get("sso_nonce", [""])[0]
            argument = argument.replace("$nonce", nonce)
        self.say(word, argument, answer, fail)

    def say(self, word, argument, answer, fail):
        if word == "text":
            answer(argument)
        elif word == "big":
            answer("x" * argument)
        elif word == "error":
            fail(dbus.DBusException("not today", name=argument))
        elif word == "vanish":
            os._exit(0)


def main() -> None:
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(sys.argv[1])
    bus.set_exit_on_disconnect(False)
    bus.request_name(NAME, dbus.bus.NAME_FLAG_REPLACE_EXISTING | dbus.bus.NAME_FLAG_ALLOW_REPLACEMENT)
    broker = Broker(bus, PATH)

    def obey(word: str, *arguments: object) -> None:
        if word == "accounts":
            broker.how = ("text", json.dumps({"accounts": arguments[0]}))
        elif word == "cookie":
            broker.cookie = (arguments[0][0], (arguments[0][1:] or [None])[0])
        elif word == "leave":
            bus.release_name(NAME)
        elif word == "take":
            bus.request_name(NAME)
        elif word == "fake":
            signal = dbus.lowlevel.SignalMessage("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged")
            signal.append(NAME, "", ":1.99")
            signal.set_destination(broker.asker)
            bus.send_message(signal)
        else:
            broker.how = (word, arguments[0] if arguments else None)

    obey_orders(obey)


if __name__ == "__main__":
    main()
