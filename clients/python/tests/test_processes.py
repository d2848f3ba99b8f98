"""Programs that fork with a guard in their hands, have no descriptors left, or lost their standard ones."""

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from case import URL, FakeCase
from fake import ATTACHED, Peer
from webviewguard import Guard
from webviewguard._line import Line

QUESTIONS = 100


def echoes(peer: Peer) -> None:
    """Answers each question with its viewer as the reason."""
    peer.attach(answerMs=20_000)
    while True:
        call = peer.call()
        peer.answer(call, reason=call["parameters"].get("event", {}).get("viewer", ""))


def names_instances(peer: Peer) -> None:
    """Begins an instance for each connection that names none."""
    token = peer.call()["parameters"].get("instance") or f"T{len(peer._daemon.peers)}"
    peer.reply(ATTACHED | {"instance": token, "contract": peer.contract | {"answerMs": 20_000}})
    peer.oblige()


class ProcessCase(FakeCase):
    def in_a_child(self, work: Callable[[], Any]) -> Callable[[], str]:
        """Has a child of fork work; the result waits for it, and gives what came of it."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                said = str(work())
            except BaseException as problem:  # The child must never go on as a test.
                said = repr(problem)
            os.write(writer, said.encode())
            os._exit(0)
        os.close(writer)

        def said_at_last() -> str:
            with os.fdopen(reader) as pipe:
                said = pipe.read()
            os.waitpid(child, 0)
            return said

        return said_at_last


class Forks(ProcessCase):
    def echoed(self, guard: Guard, who: str) -> int:
        """How many questions were answered with what was asked."""
        asked = [f"{who}{number}" for number in range(QUESTIONS)]
        return sum(guard.navigate(viewer=viewer, url="https://contoso.com/").reason == viewer for viewer in asked)

    def test_parent_and_child_are_never_answered_what_the_other_asked(self) -> None:
        self.play(echoes)
        guard = self.guard()
        guard.start()
        said = self.in_a_child(lambda: self.echoed(guard, "child"))
        self.assertEqual(self.echoed(guard, "parent"), QUESTIONS)
        self.assertEqual(said(), str(QUESTIONS))
        self.assertEqual(self.problems, [])

    def test_a_child_that_ends_its_guard_leaves_that_of_its_parent(self) -> None:
        self.play(echoes)
        guard = self.guard()
        guard.start()
        self.assertEqual(self.in_a_child(guard.close)(), "None")
        with guard.listen(policy=lambda news: None):
            self.assertEqual(self.in_a_child(guard.close)(), "None")
            self.assertEqual(self.at_once_or_later(guard), QUESTIONS)
        self.assertEqual(len(self.fake.peers), 2)

    def at_once_or_later(self, guard: Guard) -> int:
        """Asks without waiting; only the descriptor says when there are answers."""
        heard: list[str] = []
        for number in range(QUESTIONS):
            guard.decide_later("navigate", lambda decision: heard.append(decision.reason), viewer=str(number))
        while len(heard) < QUESTIONS:
            self.wait_for_news_of(guard)
            guard.process()
        return sum(heard[number] == str(number) for number in range(QUESTIONS))

    def test_the_descriptor_of_a_child_keeps_its_number_and_tells_of_its_own_answers(self) -> None:
        self.play(echoes)
        guard = self.guard()
        guard.start()
        number = guard.fileno()
        said = self.in_a_child(lambda: (self.at_once_or_later(guard), guard.fileno()))
        self.assertEqual(self.at_once_or_later(guard), QUESTIONS)
        self.assertEqual(said(), str((QUESTIONS, number)))

    def test_a_child_is_a_program_of_its_own_that_says_everything_again(self) -> None:
        """Were it of its parent's instance, what it said would count for the windows of its parent."""
        self.play(names_instances)
        guard = self.guard()
        guard.start()
        guard.set_identity("process", account="work@contoso.com")
        guard.register_viewer("v1", viewer_class="documents")
        said = self.in_a_child(lambda: (self.ask(guard).reason, guard.instance))
        self.assertEqual(said(), str(("internal", "T2")))
        attach, identity, viewer = self.fake.peers[1].calls[:3]
        self.assertNotIn("instance", attach["parameters"])
        self.assertEqual(identity["parameters"]["account"], "work@contoso.com")
        self.assertEqual(viewer["parameters"]["viewer"], "v1")
        self.assertEqual(guard.instance, "T1")

    def test_a_program_that_joined_another_joins_it_again_in_its_child(self) -> None:
        self.play(names_instances)
        guard = self.guard(instance="theirs")
        guard.start()
        self.assertEqual(self.in_a_child(lambda: self.ask(guard).reason)(), "internal")
        self.assertEqual([peer.calls[0]["parameters"]["instance"] for peer in self.fake.peers], ["theirs"] * 2)

    def test_in_a_scope_a_child_asks_by_nobody_elses_connection(self) -> None:
        self.play(echoes)
        guard = self.guard()
        guard.start()
        with guard.as_account("work@contoso.com"):
            said = self.in_a_child(lambda: self.echoed(guard, "child"))
            self.assertEqual(self.echoed(guard, "parent"), QUESTIONS)
            self.assertEqual(said(), str(QUESTIONS))
        scopes = [peer for peer in self.fake.peers if any(call["method"] == "SetIdentity" for call in peer.calls)]
        self.assertEqual(len(scopes), 2)

    def test_a_child_hears_no_news_of_its_parent(self) -> None:
        self.play(lambda peer: tells(peer))
        guard = self.guard()
        guard.start()
        heard: list[int] = []
        with guard.listen(policy=lambda news: heard.append(news.generation)):
            for _ in range(3):
                self.in_a_child(guard.process)()
            while len(heard) < 20:
                guard.wait(1)
        self.assertEqual(heard, list(range(1, 21)))


def tells(peer: Peer) -> None:
    peer.attach()
    while peer.call()["method"] != "Subscribe":
        peer.reply({})
    for generation in range(1, 21):
        peer.reply({"topic": "policy", "generation": generation, "digest": str(generation)}, continues=True)
    peer.stay_silent()


@contextmanager
def no_descriptors() -> Iterator[None]:
    """No descriptor can be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 128), hard))
    taken: list[int] = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        pass
    try:
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Descriptors(ProcessCase):
    def test_without_a_descriptor_there_is_an_answer_all_the_same(self) -> None:
        """An app's hook that raises may let the engine go on."""
        self.play()
        guard = self.guard()
        with no_descriptors():
            self.is_contract(self.ask(guard))
        self.assertIn("open files", str(self.problems[0]))

    def test_a_program_that_closes_what_is_not_its_own_has_answers_all_the_same(self) -> None:
        """As programs do that become daemons; and the numbers may be those of other files then, which stay as they are."""
        self.play(echoes)
        for lost in ({"socket"}, {"poll"}, {"bell", "rope"}, {"socket", "poll", "bell", "rope"}):
            for is_reused in (False, True):
                with self.subTest(lost, is_reused=is_reused):
                    guard = self.guard()
                    guard.start()
                    line = guard._engine.line

                    def without(line: Line = line, guard: Guard = guard) -> list[object]:
                        self.ask(guard)
                        numbers = [getattr(line, f"_{name}").fileno() for name in lost]
                        others = [self.replaced(number) if is_reused else os.close(number) for number in numbers]
                        answers = []
                        # A busy machine may need more than one.
                        while len(answers) < 4 or (answers[-1] != "after" and len(answers) < 400):
                            answers.append(guard.navigate(viewer="after", url=URL).reason)
                            self.rest(guard)
                        guard.close()
                        stays = [other is None or os.read(number, 9) == b"mine" for other, number in zip(others, numbers)]
                        return [*(answer in ("noAnswer", "after") for answer in answers), answers[-1] == "after", *stays]

                    self.assertEqual(set(self.in_a_child(without)()[1:-1].split(", ")), {"True"})

    def replaced(self, number: int) -> int:
        """Puts a file of the app in the place of a descriptor, with something to read in it; gives its other end."""
        reader, writer = os.pipe()
        os.dup2(reader, number)
        os.close(reader)
        os.write(writer, b"mine")
        return writer

    def test_no_program_that_is_started_gets_the_connection(self) -> None:
        self.play()
        guard = self.guard()
        guard.start()
        opened = [guard._engine.line._socket, guard, guard._engine.line._bell, guard._engine.line._rope]
        self.assertEqual([os.get_inheritable(each.fileno()) for each in opened if each], [False] * 4)

    def test_what_a_program_without_output_prints_does_not_go_to_the_daemon(self) -> None:
        self.play()
        guard = self.guard()

        def without() -> int:
            for number in range(3):
                os.close(number)
            self.assertEqual(self.ask(guard).reason, "internal")
            connection = guard._engine.line._socket
            return connection.fileno() if connection else -1

        self.assertGreater(int(self.in_a_child(without)()), 2)
