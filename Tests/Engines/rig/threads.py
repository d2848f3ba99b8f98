"""A thread of a guarded program that asks over a connection of its own."""

import threading

from webviewguard import Decision, Guard

from rig.case import BrowserCase
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.policy import APP


def asked_from_a_thread(case: BrowserCase, instance: "str | None") -> dict[str, Decision]:
    """What a thread that joined the program's instance is answered about a blocked page, for each of its viewers."""
    answers: dict[str, Decision] = {}

    def asks() -> None:
        guard = Guard(app=APP, path=case.daemon.guard_socket, instance=instance)
        guard.start()
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            url = case.site.url("/joined", Host.BLOCKED)
            answers[viewer] = guard.decide("navigate", viewer=viewer, url=url, frame="main")
        guard.close()

    thread = threading.Thread(target=asks)
    thread.start()
    case.driver.wait(lambda: not thread.is_alive(), "the thread has its answers")
    return answers
