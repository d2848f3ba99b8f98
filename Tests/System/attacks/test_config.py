"""App configuration through the real socket: nothing before enrolment, nothing of others, and no secret in any output."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any

from attack_case import ALICE, APP, BOB, CROWD, STAFF, AttackCase
from configuration import PERSONAL, WORK, Configuration
from daemon import PROGRAM
from person import Link
from wire import GUARD, Wire, frame

METHOD = "org.webviewguard.Accounts.Config"
REGISTER = "org.webviewguard.Accounts.Register"
OTHER = "com.contoso.other"
SECOND = "second@contoso.com"
SECRET = "2c26b46b68ffc68f"

APPS = f"""\
apps:
  {APP}:
    peers: [{{ uid: $uid }}, {{ uid: {ALICE} }}, {{ uid: {BOB} }}]
    identityMode: multi
    managedAccounts: several
    accounts: {{ source: [app] }}
  {OTHER}:
    peers: [{{ uid: $uid }}]
    identityMode: multi
"""
VALUES = f"""\
appConfig:
  - {{ name: d, app: {APP}, default: true, values: {{ max: 9, theme: grey }} }}
  - {{ name: b, app: {APP}, accounts: [{WORK}], values: {{ max: 3, secret: {SECRET} }} }}
  - {{ name: a, app: {APP}, accounts: [{WORK}], values: {{ max: 1 }} }}
  - {{ name: o, app: {OTHER}, accounts: [{WORK}], values: {{ max: 5 }} }}
scrubKeys: [secret]
"""


def layer(key: str, entry: str, value: Any, default: bool = False) -> dict[str, Any]:
    name = "flag" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
    return {"key": key, "entry": entry, "default": default, name: value}


class AppConfig(AttackCase):
    configuration = Configuration(APPS, VALUES)

    def setUp(self) -> None:
        self.app = self.attached()

    def attached(self, app: str = APP) -> Wire:
        wire = self.wire()
        self.token = self.answered(wire.call(f"{GUARD}.Attach", app=app))["instance"]
        return wire

    def enrol(self, link: Wire | Link, account: str = WORK) -> None:
        self.answered(link.call(REGISTER, account=account))

    def config(self, link: Wire | Link, *accounts: str) -> list[dict[str, Any]]:
        said = {"accounts": list(accounts)} if accounts else {}
        found: list[dict[str, Any]] = self.answered(link.call(METHOD, **said))["accounts"]
        return found

    def end(self, account: str = WORK) -> None:
        self.answered(self.app.call("org.webviewguard.Accounts.Deregister", account=account))

    def reload(self, values: str) -> "subprocess.CompletedProcess[str]":
        (self.daemon.config / "policy.d/app-1.yaml").write_text(values)
        command = [PROGRAM, "reload", "--socket-dir", self.daemon.sockets]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def test_nothing_before_enrolment_and_all_layers_after_it(self) -> None:
        """AC-01, AC-02, AC-03."""
        self.addCleanup(self.end)
        self.assertEqual(self.config(self.app), [])
        found = self.config(self.app, WORK)
        self.assertEqual([found[0]["values"], found[0]["conflicts"]], [[], []])
        self.assertNotEqual(found[0]["state"], "enrolled")
        self.enrol(self.app)
        wanted = {
            "account": WORK, "state": "enrolled", "conflicts": ["max"],
            "values": [layer("max", "a", 1), layer("max", "b", 3), layer("max", "d", 9, True),
                       layer("secret", "b", SECRET), layer("theme", "d", "grey", True)]}  # fmt: skip
        self.assertEqual(self.config(self.app), [wanted])
        self.assertEqual(self.config(self.app, WORK.upper()), [wanted])
        self.end()
        self.assertEqual(self.config(self.app, WORK)[0]["values"], [])
        self.assertEqual(self.config(self.app), [])

    def test_several_accounts_in_the_order_of_the_call(self) -> None:
        """AC-02: the list form; an account that nobody manages has no values."""
        self.addCleanup(self.end)
        self.addCleanup(self.end, SECOND)
        self.enrol(self.app)
        self.enrol(self.app, SECOND)
        found = self.config(self.app, SECOND, PERSONAL, WORK)
        self.assertEqual([account["account"] for account in found], [SECOND, PERSONAL, WORK])
        self.assertEqual([account["state"] for account in found], ["enrolled", "unmanaged", "enrolled"])
        self.assertEqual([len(account["values"]) for account in found], [2, 0, 5])
        self.refused(self.app.call(METHOD, accounts=["nobody@contoso.com"]), "UnknownAccount")
        self.refused(self.app.call(METHOD, accounts=[WORK] * 65), "LimitReached")
        self.assertEqual(self.answered(self.app.call(METHOD, accounts=[]))["accounts"], [])

    def test_nobody_reads_the_values_of_another_app_or_person(self) -> None:
        self.addCleanup(self.end)
        self.enrol(self.app)
        other = self.attached(OTHER)
        self.assertEqual(self.config(other, WORK)[0]["values"], [layer("max", "o", 5)])
        alice = self.link(ALICE, STAFF)
        self.answered(alice.call(f"{GUARD}.Attach", app=APP))
        self.assertEqual(self.config(alice), [])
        self.assertEqual(self.config(alice, WORK)[0]["values"], [])
        self.refused(self.link(CROWD[0]).call(METHOD), "NotAttached")

    def test_news_tell_of_changed_values_by_account(self) -> None:
        """AC-09."""
        self.addCleanup(self.reload, VALUES)
        self.addCleanup(self.end)
        self.addCleanup(self.end, SECOND)
        self.enrol(self.app)
        self.enrol(self.app, SECOND)
        news = self.wire()
        self.answered(news.call(f"{GUARD}.Attach", app=APP, instance=self.token))
        news.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=["config", "policy"]))
        self.assertEqual(news.reply()["parameters"]["topic"], "policy")
        # Another name of an entry changes no value, and the account that no entry names keeps the default.
        for changed in (VALUES.replace("name: o,", "name: p,"), VALUES.replace("max: 3,", "max: 4,"),
                        VALUES.replace("max: 3,", "max: 4,").replace("theme: grey", "theme: green")):  # fmt: skip
            self.assertEqual(self.reload(changed).returncode, 0)
        told = [self.next_but_policy(news) for _ in range(3)]
        self.assertEqual([(each["topic"], each["account"]) for each in told],
                         [("config", WORK), ("config", SECOND), ("config", WORK)])  # fmt: skip
        self.assertNotIn("green", json.dumps(told))
        self.assertIn(layer("theme", "d", "green", True), self.config(self.app, SECOND)[0]["values"])

    def next_but_policy(self, news: Wire) -> dict[str, Any]:
        while True:
            told: dict[str, Any] = news.reply()["parameters"]
            if told["topic"] != "policy":
                return told

    def test_no_output_holds_a_value(self) -> None:
        """AC-10, AC-11: the policy, the answer and the export have it, and nothing else."""
        self.addCleanup(self.end)
        self.enrol(self.app)
        self.assertIn(SECRET, json.dumps(self.config(self.app, WORK)))
        # A mistake beside the secret is told without it.
        self.addCleanup(self.reload, VALUES)
        told = self.reload(VALUES.replace(f"secret: {SECRET}", f"secret: [{SECRET}]"))
        self.assertIn("the value of `secret`", told.stdout + told.stderr)
        self.assertNotIn(SECRET, told.stdout + told.stderr)
        self.daemon.tells("the value of `secret`")
        self.reload(VALUES)
        written = b"".join(file.read_bytes() for file in self.files())
        self.assertIn(b"the value of `secret`", written)
        self.assertIn(b"registered", written, "the log is among them")
        self.assertNotIn(SECRET.encode(), written)
        config = self.daemon.config
        for verb in (["check", config], ["check", config, "--account", WORK], ["check", config, "--format", "json"],
                     ["diff", config, self.changed(config)]):  # fmt: skip
            ran = subprocess.run([PROGRAM, *verb], capture_output=True, text=True)
            self.assertIn("scrubbed", ran.stdout, verb)
            self.assertNotIn(SECRET, ran.stdout + ran.stderr, verb)

    def files(self) -> list[Path]:
        """All that the daemon wrote: log, journal, state."""
        directory = self.daemon.directory
        written = [file for file in directory.rglob("*") if file.is_file() and directory / "config" not in file.parents]
        # The policy itself is kept for a rollback.
        kept = ("policies", "policy")
        return [file for file in written if not any(part.startswith(kept) for part in file.relative_to(directory).parts)]

    def changed(self, config: Path, values: str | None = None) -> Path:
        other = self.daemon.directory / "changed"
        subprocess.run(["cp", "-r", config, other], check=True)
        self.addCleanup(subprocess.run, ["rm", "-r", other], check=True)
        file = other / "policy.d/app-1.yaml"
        file.write_text(values or file.read_text().replace(SECRET, SECRET + "9"))
        return other

    @unittest.skipUnless(shutil.which("dconf"), "dconf (dconf-cli) is not here")
    def test_dconf_reads_and_locks_what_is_exported(self) -> None:
        place = self.daemon.directory / "dconf"
        self.addCleanup(shutil.rmtree, place)
        (place / "keys/locks").mkdir(parents=True)
        text = "it's\\n \u00e9 \\\\ \\t \U0001f600"
        values = f"""\
appConfig:
  - {{ name: d, app: {APP}, default: true, values: {{ startPage: "{text}", n: -7, big: 5000000000, f: 0.1, on: true }} }}
"""
        config = self.changed(self.daemon.config, values)
        for form, file in (("dconf", "keys/contoso"), ("dconf-locks", "keys/locks/contoso")):
            command = [PROGRAM, "export-config", "--config", config, "--app", APP, "--for", form, "--path", "/org/a/b/"]
            (place / file).write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
        subprocess.run(["dconf", "compile", place / "db", place / "keys"], check=True)
        (place / "profile").write_text(f"user-db:none\nfile-db:{place / 'db'}\n")
        environment = os.environ | {"DCONF_PROFILE": str(place / "profile"), "XDG_CONFIG_HOME": str(place)}

        def dconf(*words: str) -> str:
            ran = subprocess.run(["dconf", *words], env=environment, check=True, capture_output=True, text=True)
            return ran.stdout.strip()

        found = {key: dconf("read", f"/org/a/b/{key}") for key in ("start-page", "n", "big", "f", "on")}
        self.assertEqual({key: found[key] for key in ("n", "on", "f")}, {"n": "-7", "on": "true", "f": "0.10000000000000001"})
        self.assertEqual(found["big"], "int64 5000000000")
        self.assertIn("\U0001f600", found["start-page"])
        self.assertEqual(set(dconf("list-locks", "/org/a/b/").split()),
                         {f"/org/a/b/{key}" for key in found})  # fmt: skip
