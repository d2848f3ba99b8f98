"""Apps of two users, their sessions, an administrator, the machine's posture and the helper, each doing what it may at any
time; and what they were told last."""

import json
import os
import pwd
import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from configuration import ORGANISATION, WORK, Configuration
from daemon import Daemon
from disk import Clock
from wire import ACCOUNTS, ADMIN, GUARD, Wire, frame

# Two users of the machine, with homes: the files of a user without one are not removed.
USERS = sorted(user.pw_uid for user in pwd.getpwall() if 0 < user.pw_uid < 60_000)[:2]
APPS = ("com.contoso.portal", "com.contoso.notes")
# One that a condition wipes, and one that marks wipe.
SECOND, THIRD = "second@contoso.com", "third@contoso.com"
NAMES = (WORK, SECOND, THIRD)
HOUR, DAY = 3_600, 86_400

POLICY = "apps:\n" + "".join(
    f"""\
  {app}:
    peers: [{", ".join(f"{{ uid: {uid} }}" for uid in USERS)}]
    identityMode: multi
    managedAccounts: several
    accounts: {{ source: [app, broker] }}
    dataDirectories: ["/srv/wvg-absent/{app}/{{account}}"]
"""
    for app in APPS
)
POLICY += "wipe: { mode: on, causes: [admin, deregister, conditionalLaunch, marker], delay: 1h, answerTime: 24h }\n"
STRICT = """\
  contoso-strict:
    webTransfer: managedBrowser
    conditionalLaunch: [{ check: Encrypted, operator: equals, value: true, action: wipe }]
"""


def organisation(marked: str = "") -> str:
    """The accounts, and a mark behind the third one."""
    third = f"  - {{ upn: {THIRD}, objectId: 3ec2c00f-b125-4519-acf0-302ac3761822, protection: contoso-standard{marked} }}\n"
    text = ORGANISATION.replace(f"upn: {SECOND}, protection: contoso-standard", f"upn: {SECOND}, protection: contoso-strict")
    return text.replace("protections:\n", third + "protections:\n").replace("browsers:\n", STRICT + "browsers:\n")


CONFIGURATION = Configuration(POLICY, settings="graceSeconds: 1\n", organisation=organisation())

# What a place in the list of accounts is: a user, an app, an account.
Place = tuple[int, str, str]


@dataclass
class Told:
    """What an administrator was told last, and what has not been answered since."""

    states: dict[Place, str] = field(default_factory=dict)
    wipes: dict[str, dict[str, Any]] = field(default_factory=dict)
    # The seconds that had passed by then.
    passed: int = 0
    # The step that began after it: a word, a user, and an account or a request.
    under_way: tuple[str, int, str] | None = None


class App:
    """One app of one user, with a connection for its calls and one for its news."""

    def __init__(self, world: "World", uid: int, name: str) -> None:
        (self.world, self.uid, self.name) = (world, uid, name)
        self.asked: dict[str, str] = {}
        self.answered: set[str] = set()

    def connect(self) -> None:
        """Attaches, and hears at once what it was asked and has not answered."""
        self.calls = self.world.wire(self.uid)
        instance = answered(self.calls.call(f"{GUARD}.Attach", app=self.name))["instance"]
        self.hears = self.world.wire(self.uid)
        answered(self.hears.call(f"{GUARD}.Attach", app=self.name, instance=instance))
        self.hears.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=["wipe", "policy"]))
        # The first news is always that of the policy; requests that are open come right behind it.
        self.asked.clear()
        self.hears.reply()
        self.call("List")
        self.listen()

    def listen(self) -> None:
        """Takes up the news that have come."""
        self.hears.drain()
        while self.hears.has_reply:
            news = answered(self.hears.reply())
            if news["topic"] == "wipe":
                self.asked[news["request"]] = news["account"]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.calls.call(f"{ACCOUNTS}.{method}", **parameters)


class World:
    """Everybody who has to do with accounts. A step that the daemon does not survive raises a ConnectionError."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.daemon = Daemon(CONFIGURATION)
        self.daemon.directory.chmod(0o755)
        self.clock = Clock(self.daemon.directory)
        self.daemon.environment |= self.clock.environment
        self.posture = self.daemon.directory / "posture.d"
        self.posture.mkdir(mode=0o755)
        settings = self.daemon.config / "webviewguard.yaml"
        settings.write_text(settings.read_text() + f"postureDirectory: {self.posture}\n")
        # What the machine was last said to be, and whether the policy marks the third account.
        self.is_good: bool | None = None
        self.is_marked = False
        # Whether it was otherwise at some time since the daemon's latest start.
        self.was_not_bad = self.was_not_marked = True
        # Long enough since the boot.
        self.passed = 0
        self.pass_by(2 * DAY)
        self.apps = [App(self, uid, name) for uid in USERS for name in APPS]
        self.told = Told()
        self.steps: dict[str, int] = {}

    def wire(self, uid: int) -> Wire:
        """A connection of a user: the kernel notes who connects."""
        os.setegid(uid)
        os.seteuid(uid)
        try:
            return Wire(self.daemon.guard_socket)
        finally:
            os.seteuid(0)
            os.setegid(0)

    def connect(self) -> None:
        self.admin = Wire(self.daemon.admin_socket)
        for app in self.apps:
            app.connect()

    def begin_life(self) -> None:
        """Of a daemon that was started anew."""
        self.was_not_bad, self.was_not_marked = self.is_good is not False, not self.is_marked

    def pass_by(self, seconds: int) -> None:
        self.passed += seconds
        self.clock.pass_by(seconds)

    def look(self) -> Told:
        """What the administrator is told now."""
        accounts = answered(self.admin.call(f"{ADMIN}.Accounts"))["accounts"]
        wipes = answered(self.admin.call(f"{ADMIN}.Wipes"))["wipes"]
        states = {(account["uid"], account["app"], account["account"]): account["state"] for account in accounts}
        return Told(states, {wipe["id"]: wipe for wipe in wipes}, self.passed)

    # Steps

    def step(self) -> None:
        """Somebody does something, by chance."""
        word = self.random.choice(STEPS)
        app, name = self.random.choice(self.apps), self.random.choice(NAMES)
        self.steps[word] = self.steps.get(word, 0) + 1
        getattr(self, word)(app, name)
        self.told = self.look()

    def register(self, app: App, name: str) -> None:
        self.told.under_way = ("register", app.uid, name)
        answered(app.call("Register", account=name))

    def leave(self, app: App, name: str) -> None:
        self.told.under_way = ("leave", app.uid, name)
        app.call("Deregister", account=name, data="keep")

    def remove(self, app: App, name: str) -> None:
        self.told.under_way = ("remove", app.uid, name)
        app.call("Deregister", account=name, data="remove")

    def wipe(self, app: App, name: str) -> None:
        wanted = {"account": name, "uid": app.uid, "reason": "left", "now": True}
        code = self.admin.call(f"{ADMIN}.WipeAccount", **wanted).get("parameters", {}).get("code")
        self.told.under_way = ("wipe", app.uid, name)
        if code:
            self.admin.call(f"{ADMIN}.WipeAccount", confirm=code, **wanted)

    def restore(self, app: App, name: str) -> None:
        self.told.under_way = ("restore", app.uid, name)
        self.admin.call(f"{ADMIN}.RestoreAccount", account=name, uid=app.uid, reason="a mistake")

    def sign_in(self, app: App, _name: str) -> None:
        """The session of a user says who is signed in, by its sign-in service."""
        names = self.random.sample(NAMES, self.random.randint(0, len(NAMES)))
        self.told.under_way = ("sign_in", app.uid, " ".join(names))
        answered(app.call("SignedIn", source="broker", accounts=[{"upn": name} for name in names]))

    def judge(self, _app: App, _name: str) -> None:
        """A program of root says what it found of the machine, or falls silent."""
        self.is_good = self.random.choice((True, False, False, None))
        self.was_not_bad |= self.is_good is not False
        self.told.under_way = ("judge", 0, SECOND)
        file = self.posture / "intune.json"
        if self.is_good is None:
            file.unlink(missing_ok=True)
            return
        new = file.with_name(".intune.json")
        new.write_text(json.dumps({"validUntil": f"{self.time(3 * DAY)}", "Encrypted": self.is_good}))
        new.chmod(0o644)
        new.rename(file)

    def mark(self, _app: App, _name: str) -> None:
        """The policy marks the third account, or takes the mark back, and is loaded anew."""
        self.is_marked = self.random.random() < 0.7
        self.was_not_marked |= not self.is_marked
        self.told.under_way = ("mark", 0, THIRD)
        marked = f", state: wiped, since: {self.time(0)}" if self.is_marked else ""
        (self.daemon.config / "policy.d/organisation.yaml").write_text(organisation(marked))
        self.reload()

    def reload(self) -> None:
        wanted = self.random.choice(({}, {}, {"allowWipes": 1}, {"allowWipes": 2}))
        self.admin.call(f"{ADMIN}.Reload", **wanted)

    def time(self, ahead: int) -> str:
        """The daemon's time, and so many seconds more."""
        return datetime.fromtimestamp(time.time() + self.passed + ahead, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def wait(self, _app: App, _name: str) -> None:
        self.told.under_way = ("wait", 0, "")
        self.pass_by(HOUR + 100)
        # It may be killed meanwhile, and a second is long: most waits end before it notices.
        if self.random.random() < 0.5:
            self.beat()

    def beat(self) -> None:
        """Waits until the daemon did all that it does once a second, or is dead."""
        for _ in range(2):
            self.daemon.contract.unlink(missing_ok=True)
            while not self.daemon.contract.exists():
                if not self.daemon.is_alive:
                    raise ConnectionError("the daemon is dead")
                time.sleep(0.01)

    def complete(self, app: App, _name: str) -> None:
        app.listen()
        if app.asked:
            self.answer(app, self.random.choice(sorted(app.asked)), self.random.choice(("done", "refused", "failed")))

    def answer(self, app: App, request: str, result: str) -> None:
        self.told.under_way = ("answer", app.uid, request)
        reply = app.call("Complete", request=request, result=result)
        app.asked.pop(request, None)
        if "error" not in reply:
            app.answered.add(request)

    def report(self, _app: App, _name: str) -> None:
        """The helper removes files, and tells how many."""
        orders = sorted((self.daemon.sockets / "wipe").glob("*/*.json"))
        if orders:
            order = json.loads(self.random.choice(orders).read_text())
            self.told.under_way = ("report", order["uid"], order["request"])
            app = next(app for app in self.apps if app.uid == order["uid"])
            app.call("FilesRemoved", request=order["request"], removed=3, kept=0, problems=[])


STEPS = (
    "register", "register", "register", "leave", "remove", "remove", "wipe", "restore", "wait", "wait", "complete",
    "complete", "complete", "report", "report", "sign_in", "judge", "judge", "mark", "mark",
)  # fmt: skip


def answered(reply: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a reply that is no error."""
    if "error" in reply:
        raise AssertionError(reply)
    return reply.get("parameters") or {}
