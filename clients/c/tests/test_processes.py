"""Programs that fork with a handle in their hands, or were started without standard descriptors."""

from case import ClientCase
from fake import ATTACHED, Peer

QUESTIONS = 100


def echoes(peer: Peer) -> None:
    """Answers each question with its viewer as the reason, and begins an instance for each connection that names none."""
    token = peer.call()["parameters"].get("instance") or f"T{len(peer._daemon.peers)}"
    peer.reply(ATTACHED | {"instance": token, "contract": peer.contract | {"answerMs": 20_000}})
    while True:
        call = peer.call()
        peer.answer(call, reason=call["parameters"].get("event", {}).get("viewer", ""))


class Forks(ClientCase):
    def test_parent_and_child_are_never_answered_what_the_other_asked(self) -> None:
        daemon = self.fake(echoes)
        driver = self.driver().new()
        driver.start()
        driver.say("RegisterViewer", viewer="v1")
        for way in ({}, {"later": True}):
            self.assertEqual(driver("fork", count=QUESTIONS, **way), {"parent": QUESTIONS, "child": 0})
        first, *children = daemon.peers
        self.assertEqual(len(children), 2, "each child has a connection of its own")
        for child in children:
            self.assertEqual([call["method"] for call in child.calls[:2]], ["Attach", "RegisterViewer"])
            # Were it of its parent's instance, what it said would count for the windows of its parent.
            self.assertNotIn("instance", child.calls[0]["parameters"])
        self.assertEqual(len(first.calls), 2 + 2 * QUESTIONS)

    def test_a_child_that_frees_its_handle_leaves_that_of_its_parent(self) -> None:
        daemon = self.fake(echoes)
        driver = self.driver().new()
        driver.start()
        driver("subscribe")
        driver("loop", ms=20)
        for _ in range(3):
            self.assertEqual(driver("fork", count=QUESTIONS, later=True, frees=True), {"parent": QUESTIONS, "child": 0})
        self.assertEqual(len(daemon.peers), 2, "the connection for news is the other")

    def test_what_a_program_puts_in_the_place_of_the_connection_is_no_answer_and_stays(self) -> None:
        """As programs do that close all numbers to become daemons, and then open files."""
        self.fake(echoes)
        driver = self.driver().new()
        driver.start()
        self.assertEqual(driver("lose"), {"child": 0})
        self.assertEqual(driver("lose", all=True), {"child": 0})

    def test_what_a_program_without_output_prints_does_not_go_to_the_daemon(self) -> None:
        self.fake(echoes)
        driver = self.driver().new()
        self.assertGreater(driver("bare")["socket"], 2)
