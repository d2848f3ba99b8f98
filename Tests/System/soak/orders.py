"""Administrators beside the people: they wipe, take back, agree, end access and look, and one wipe goes to its end."""

import json
from pathlib import Path
from random import Random
from typing import Any

from daemon import eventually
from guest import Disagreement, House
from life import BOUND, FIRST, PRIVATE, Holder, Life, Wipe
from people import Program, Step
from policies import DATA_DIRECTORY, LIFE_APPS, PERSONAL
from wire import ACCOUNTS, ADMIN, GUARD, Wire

REASON = "soak"
# The members of a listed wipe that say which one it is.
IDENTITY = ("uid", "app", "account", "cause")


class Community:
    """All people, their programs and their administrators. Nobody else speaks of their accounts."""

    def __init__(self, house: House, random: Random, uids: list[int], answered: Path) -> None:
        self.house, self.random, self.uids = house, random, uids
        self.answered = open(answered, "w", encoding="utf-8")
        self.life = Life()
        holders = [(uid, app) for uid in uids for app in LIFE_APPS]
        self.programs = [Program(house, self.life, random, holder, self.answered) for holder in holders]
        self.admin = Wire(house.admin_socket, 60.0)
        self.orders = 0
        # An order that the model is not told of: then the people must disagree with the daemon.
        self.is_deceived = False
        # One removal an hour: this run has one.
        self.has_destroyed = False
        # What the daemon may know of calls that were under way when it was ended.
        self.maybe: list[Life] = []

    @property
    def checked(self) -> int:
        return sum(program.checked for program in self.programs)

    def step(self) -> None:
        if not self.programs:
            return
        self.random.choice(self.programs).play(self.random.randint(1, 20))
        if self.random.random() < 0.4:
            self._order()
        if not self.has_destroyed and self.checked > 60:
            self._destroy()

    def cut(self) -> None:
        """Calls of one program are under way when the daemon is ended: any number of them may have come through."""
        self.admin.socket.close()
        self.maybe = [self.life.copy()]
        if not self.programs:
            return
        program = self.random.choice(self.programs)
        steps: list[Step] = []
        for _ in range(self.random.randint(1, 6)):
            steps.append(program.change())
            self.maybe.append(self.life.copy())
        program.send(steps)

    def come_back(self) -> None:
        """The daemon is another one. Everything that was answered is as it was, and all start anew."""
        self.admin = Wire(self.house.admin_socket, 60.0)
        if not self.programs:
            return
        found = [life for life in reversed(self.maybe) if self._is_so(life)]
        if not found:
            maybe = "\n  or ".join(str(vars(life)) for life in self.maybe)
            raise Disagreement(f"the next daemon knows {self._seen()}\n  of {maybe}")
        self.life.__dict__.update(found[0].__dict__)
        for program in self.programs:
            program.leave()
            program.looks = {}
            program.connect()
        self._look()

    def leave(self) -> None:
        """Hears the last news, and goes."""
        if self.programs:
            self._look()
        for program in self.programs:
            eventually(program.listen, f"{program.name} hears of {program.looks}")
            program.leave()
        self.admin.socket.close()
        self.answered.close()

    def give_up(self) -> None:
        """Nobody plays on: the rest of the run goes without people."""
        for program in self.programs:
            program.leave()
        self.programs = []

    # Looking

    def _look(self) -> None:
        """What administrators see is what happened."""
        if not self._is_so(self.life):
            raise Disagreement(f"there is {self._seen()}\n  instead of {vars(self.life)}")
        for wipe, listed in self._pairs(self.life):
            wipe.id = listed["id"]
            # One that is pending never waits again.
            if wipe.phase == "waiting" and listed["phase"] == "pending":
                wipe.phase = "pending"

    def _listed_accounts(self) -> list[dict[str, Any]]:
        return [one for app in LIFE_APPS for one in self._call("Accounts", app=app)["accounts"]]

    def _seen(self) -> str:
        words = ("uid", "app", "account", "state", "sources")
        accounts = [tuple(one[word] for word in words) for one in self._listed_accounts()]
        return f"{accounts} {self._call('Wipes')['wipes']}"

    def _is_so(self, life: Life) -> bool:
        pairs = self._pairs(life)
        if len(pairs) != len(life.wipes) or len(pairs) != len(self._call("Wipes")["wipes"]):
            return False
        phases = {"waiting": ("locked", "pending")}
        if any(listed["phase"] not in phases.get(wipe.phase, (wipe.phase,)) for wipe, listed in pairs):
            return False
        seen: dict[Holder, dict[str, dict[str, Any]]] = {}
        for one in self._listed_accounts():
            seen.setdefault((one["uid"], one["app"]), {})[one["account"]] = one
        holders = set(life.members) | set(seen)
        return all(self._are_so(life, holder, seen.get(holder, {})) for holder in holders)

    def _are_so(self, life: Life, holder: Holder, seen: dict[str, dict[str, Any]]) -> bool:
        if not set(life.of(holder)) <= set(seen) <= set(BOUND):
            return False
        return all(
            one["state"] in life.states(holder, account) | life.states(holder, account, of_program=False)
            and set(one["sources"]) == life.sources(holder, account)
            for account, one in seen.items()
        )

    def _pairs(self, life: Life) -> list[tuple[Wipe, dict[str, Any]]]:
        """The wipes of the model with those of the daemon; both have the oldest first."""
        listed = self._call("Wipes")["wipes"]
        return [
            (wipe, one)
            for wipe, one in zip(life.wipes, listed)
            if [wipe.uid, wipe.app, wipe.account, wipe.cause] == [one.get(word) for word in IDENTITY]
        ]

    # Orders

    def _order(self) -> None:
        self.orders += 1
        account = self.random.choice((*BOUND, *BOUND, PERSONAL, PRIVATE))
        uid = self.random.choice(self.uids)
        draw = self.random.random()
        if draw < 0.25:
            self._look()
        elif draw < 0.4:
            self._end_access((uid, self.random.choice(LIFE_APPS)), account)
        elif draw < 0.6:
            self._wipe(uid, self.random.choice((None, *LIFE_APPS)), account)
        elif draw < 0.85:
            self._restore(uid, account)
        elif draw < 0.9:
            self._approve()
        else:
            self._answer()

    def _end_access(self, holder: Holder, account: str) -> None:
        life = self.life.copy() if self.is_deceived else self.life
        due = life.end_access(holder, account)
        said = self._refusal("DeregisterAccount", account=account, app=holder[1], uid=holder[0], reason=REASON)
        if said != due:
            raise Disagreement(f"the end of {account} of {holder} was answered {said} instead of {due}")

    def _wipe(self, uid: int, app: str | None, account: str) -> None:
        """A preview changes nothing; its code begins this wipe, once, and no other code does."""
        wanted = {"account": account, "uid": uid, "reason": REASON, **({"app": app} if app else {})}
        having = {one for one in LIFE_APPS if account in self.life.of((uid, one)) and app in (None, one)}
        code = self._preview(having, wanted)
        if code is None or self.random.random() < 0.2:
            return
        if self._refusal("WipeAccount", confirm="aaaaaa", **wanted) != "badCode":
            raise Disagreement("a code that was never given begins a wipe")
        due = self.life.wipe_refusals(uid, app, account)
        for refusals in (due, {"badCode"}):
            said = self._refusal("WipeAccount", confirm=code, **wanted)
            if said not in refusals:
                raise Disagreement(f"the wipe of {account} of {uid} {app} was answered {said} instead of {refusals}")
            if said is None:
                self.life.wipe(uid, app, account)

    def _preview(self, having: set[str], wanted: dict[str, Any]) -> str | None:
        """The code, and nothing is named but this account's own; None where no app has the account."""
        preview = self._admin("WipeAccount", **wanted)
        if "error" in preview and not having:
            return None
        said = self._parameters(preview)
        paths = {place.split(": ")[1] for place in said["directories"]}
        own = {f"{DATA_DIRECTORY}/{app}/{said['account']}" for app in said["apps"]}
        if not having <= set(said["apps"]) <= set(LIFE_APPS) or not paths <= own:
            raise Disagreement(f"the preview of {wanted} is {said}; {having} have it")
        return str(said["code"])

    def _restore(self, uid: int, account: str) -> None:
        due = self.life.restore(uid, account)
        said = self._refusal("RestoreAccount", account=account, uid=uid, reason=REASON)
        if said not in due:
            raise Disagreement(f"taking back {account} of {uid} was answered {said} instead of {due}")

    def _approve(self) -> None:
        """Nobody agrees twice, and who did not log in does not agree at all; one login is enough here."""
        self._look()
        ids = ["w-0-0", *(wipe.id for wipe in self.life.wipes)]
        chosen = self.random.choice(ids)
        said = self._refusal("ApproveWipe", id=chosen)
        if said not in ("noLogin", "noWipe" if chosen == ids[0] else "sameApprover", None):
            raise Disagreement(f"agreeing to {chosen} was answered {said}")

    # The one wipe that goes to its end

    def _destroy(self) -> None:
        """An account of the first person, whom the machine knows, is removed at once from both apps."""
        self.has_destroyed = True
        uid = self.uids[0]
        for wipe in list(self.life.wipes):
            if wipe.cause == "admin" or (wipe.uid, wipe.account) == (uid, FIRST):
                self._restore(wipe.uid, wipe.account)
        for program in self.programs:
            if program.uid == uid:
                program.register(FIRST)
        self._parameters(self._admin("Reload", checkedIn=True))
        wanted = {"account": FIRST, "uid": uid, "reason": REASON, "now": True}
        code = self._preview(set(LIFE_APPS), wanted)
        self.life.wipe(uid, None, FIRST)
        begun = self._parameters(self._admin("WipeAccount", confirm=code, **wanted))["wipe"]["id"]
        eventually(lambda: self._listed(begun)["phase"] == "asking", "the apps are asked")
        [wipe] = [wipe for wipe in self.life.wipes if (wipe.uid, wipe.account, wipe.app) == (uid, FIRST, None)]
        wipe.id = begun
        self.life.begin(wipe, {part["app"] for part in self._listed(begun)["apps"]})
        for program in self._asked(wipe):
            eventually(lambda: program.hears_of(begun), f"{program.name} is asked")

    def _listed(self, request: str) -> dict[str, Any]:
        return next(one for one in self._call("Wipes")["wipes"] if one["id"] == request)

    def _asked(self, wipe: Wipe) -> list[Program]:
        return [program for program in self.programs if program.uid == wipe.uid and program.holder[1] in wipe.answers]

    def _answer(self) -> None:
        """Somebody answers for another, then an app for itself, at last once too often. Some apps never answer."""
        wipe = next((wipe for wipe in self.life.wipes if wipe.phase == "asking"), None)
        if wipe is None:
            return
        for other in self.programs:
            if other.uid != wipe.uid:
                self._complete(other, wipe, "done", "UnknownRequest")
        owing = [program for program in self._asked(wipe) if not wipe.answers[program.holder[1]]]
        if not owing or self.random.random() < 0.5:
            return
        program = self.random.choice(owing)
        result = self.random.choice(("done", "refused", "failed"))
        self._complete(program, wipe, result, None)
        if result == "done":
            self.life.answer(wipe, program.holder[1], result)
        else:
            wipe.answers[program.holder[1]] = result
            self._clean(program, wipe)
        self._complete(program, wipe, "done", "RequestIsOver" if wipe in self.life.wipes else "UnknownRequest")

    def _complete(self, program: Program, wipe: Wipe, result: str, error: str | None) -> None:
        reply = program.wire.call(f"{ACCOUNTS}.Complete", request=wipe.id, result=result)
        over = {"account": wipe.account, "state": "wiped", "result": "wipeReceived"}
        if reply.get("error") != (f"{GUARD}.{error}" if error else None) or (not error and reply["parameters"] != over):
            raise Disagreement(f"{program.name}: {result} of {wipe} was answered {reply} instead of {error}")

    def _clean(self, program: Program, wipe: Wipe) -> None:
        """The helper's order names the directory of this account alone; its report counts once, from this person."""
        order = eventually(lambda: self._order_of(program, wipe), "the helper has an order")
        place = f"{DATA_DIRECTORY}/{program.holder[1]}/{wipe.account}"
        if (order["uid"], order["account"], order["directories"]) != (wipe.uid, wipe.account, [place]):
            raise Disagreement(f"the order of {wipe} is {order}")
        report = {"request": order["request"], "removed": 2, "kept": 1}
        for other in self.programs:
            if other.uid != wipe.uid and other.wire.call(f"{ACCOUNTS}.FilesRemoved", **report).get("error") != (
                f"{GUARD}.UnknownRequest"
            ):
                raise Disagreement(f"{other.name} reports on files of {wipe}")
        self._parameters(program.wire.call(f"{ACCOUNTS}.FilesRemoved", **report))
        self.life.answer(wipe, program.holder[1], "cleaned")

    def _order_of(self, program: Program, wipe: Wipe) -> dict[str, Any] | None:
        files = (self.house.guard_socket.parent / f"wipe/{wipe.uid}").glob(f"{wipe.id}-*.json")
        orders = [json.loads(file.read_text()) for file in files]
        return next((order for order in orders if order["app"] == program.holder[1]), None)

    # The wire

    def _admin(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.admin.call(f"{ADMIN}.{method}", **parameters)

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._parameters(self._admin(method, **parameters))

    def _parameters(self, reply: dict[str, Any]) -> dict[str, Any]:
        if "error" in reply:
            raise Disagreement(f"an order was answered {reply}")
        return dict(reply["parameters"])

    def _refusal(self, method: str, **parameters: Any) -> str | None:
        """Why the daemon does not carry an order out; None when it does."""
        reply = self._admin(method, **parameters)
        return str(reply["parameters"]["why"]) if "error" in reply else None
