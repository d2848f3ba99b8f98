"""Static rules that the daemon exports, and what it tells of the organisation when a handle attaches."""

from typing import Any

from case import ClientCase
from fake import ATTACHED, Peer, bytes_of
from test_vectors import cases


class Rules(ClientCase):
    def test_a_document_is_read_as_the_vectors_say(self) -> None:
        for case in cases("rules.json"):
            with self.subTest(case["name"]):

                def serve(peer: Peer, case: dict[str, Any] = case) -> None:
                    peer.attach()
                    for step in case["talk"]:
                        peer.call()
                        said = {"parameters": step["reply"]} if "reply" in step else step
                        peer.send(bytes_of({key: said[key] for key in ("error", "parameters") if key in said}))
                    peer.oblige()

                daemon = self.fake(serve)
                driver = self.driver().new()
                driver.start()
                found = driver("rules", **case["ask"])
                while found["said"] == "later":
                    found = driver("rules", **case["ask"])
                means = case["means"]
                self.assertEqual({key: found.get(key) for key in means}, means)
                self.assertEqual(found["said"], "refused" if "error" in means else "done")
                asked = [call["parameters"] for call in daemon.peers[0].calls if call["method"].endswith("ExportRules")]
                self.assertEqual(asked, [step["sent"] for step in case["talk"]])
                daemon.close()


class Organization(ClientCase):
    def told(self, **parameters: Any) -> Any:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(ATTACHED | parameters)
            peer.oblige()

        daemon = self.fake(serve)
        driver = self.driver().new()
        self.assertFalse(driver("organization")["known"])
        self.assertTrue(driver.start())
        found = driver("organization")
        daemon.close()
        return found

    def test_what_the_policy_states_is_told(self) -> None:
        stated = {"name": "Contoso AG", "contactLink": "mailto:help@contoso.com", "darkColor": "#88bbff"}
        found = self.told(organization=stated)
        self.assertTrue(found["known"])
        self.assertEqual(found, stated | {"known": True})

    def test_what_is_no_organization_says_nothing(self) -> None:
        for wrong in ([], "Contoso", {"name": 7}, {}, None):
            with self.subTest(wrong):
                self.assertFalse(self.told(organization=wrong)["known"])


class Missing(ClientCase):
    def told(self, missing: Any) -> dict[str, str]:
        def serve(peer: Peer) -> None:
            peer.call()
            peer.reply(ATTACHED | {"missing": missing})
            peer.oblige()

        daemon = self.fake(serve)
        driver = self.driver().new()
        self.assertEqual(driver("missing"), {})
        self.assertTrue(driver.start())
        found: dict[str, str] = driver("missing")
        daemon.close()
        return found

    def test_features_that_were_not_claimed_are_told(self) -> None:
        both = [{"feature": "wrap", "cost": "copies are blocked"}, {"feature": "warn", "cost": "people get a block"}]
        self.assertEqual(self.told(both), {"wrap": "copies are blocked", "warn": "people get a block"})
        self.assertEqual(self.told([{"feature": "later"}, {"cost": "x"}, 7]), {"later": ""})

    def test_what_is_no_list_says_nothing(self) -> None:
        for wrong in ([], {}, "wrap", None):
            with self.subTest(wrong):
                self.assertEqual(self.told(wrong), {})
