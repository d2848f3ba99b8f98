"""A hostile page, and another extension, against the extension's own messages, pages and storage."""

import json
import tempfile
from pathlib import Path
from typing import Any

from browser import Tab
from devtools import Message
from driver import Viewer
from test_accounts import ChromiumAccount, ChromiumCase

from installation import Installation
from rig.account_story import WORK, AccountBrowser, AccountStory

# All that our own pages ask, and more.
MESSAGES: tuple[dict[str, Any], ...] = (
    {"page": "status"}, {"page": "configuration"}, {"page": "account"}, {"page": "signIn"},
    {"page": "explain", "token": "x"}, {"page": "open", "token": "x"}, {"page": "__proto__"},
    {"question": "navigate", "url": "http://127.0.0.1/"}, {"question": "identity", "account": ""},
    {"question": "register", "account": "x"}, {"call": "identity", "account": ""},
)  # fmt: skip
ASK = "chrome.runtime.sendMessage({}).then(said => said === undefined ? 'nothing' : JSON.stringify(said), () => 'nothing')"
# As hard as a page can: `document.open` takes away the listeners of others, ours too, and then it is the first.
STAY = """
document.open(); document.write('<title>busy</title><p>stay'); document.close();
addEventListener('beforeunload', event => { event.preventDefault(); event.stopImmediatePropagation(); }, true);
addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay'; });
onbeforeunload = () => 'stay';
document.onclick = () => { document.title = 'clicked'; };
"""


class WithStranger(ChromiumAccount):
    """Beside ours there is another extension, with all the permissions that it wants."""

    def make_viewer(self, installation: Installation, account: str) -> Viewer:
        stranger = Path(tempfile.mkdtemp(prefix="stranger-", dir=installation.directory))
        manifest = {"manifest_version": 3, "name": "stranger", "version": "1", "permissions": ["tabs", "storage"]}
        (stranger / "manifest.json").write_text(json.dumps(manifest | {"background": {"service_worker": "worker.js"}}))
        (stranger / "worker.js").write_text("")
        (stranger / "page.html").write_text("<!doctype html><title>stranger</title>")
        flag = f"--load-extension={installation.extension},{stranger}"
        return Viewer(installation, account, flag, DownloadDirectory=self.downloads)


class Hostile(ChromiumCase, AccountStory):
    browser: WithStranger
    world: tuple[Tab, int] | None = None

    def make_browser(self, installation: Installation, account: str, downloads: Path) -> AccountBrowser:
        return WithStranger(installation, account, downloads)

    def content_world(self) -> tuple[Tab, int]:
        """The tab of the site, and the world of our content scripts in it: a page that broke out of its own can be there."""
        tab, worlds = self.browser.viewer.tab, []
        heard = tab.devtools.on_event

        def note(event: Message) -> None:
            if event["method"] == "Runtime.executionContextCreated" and event.get("sessionId") == tab.session:
                context = event["params"]["context"]
                if self.installation.id in context["origin"]:
                    worlds.append(context["id"])
            heard(event)

        tab.devtools.on_event = note
        tab.call("Runtime.enable")
        self.wait(lambda: worlds or tab.value("1") and worlds, "our content scripts are there")
        return tab, worlds[-1]

    def in_world(self, source: str) -> Any:
        self.world = self.world or self.content_world()
        tab, world = self.world
        return tab.call("Runtime.evaluate", expression=source, contextId=world, awaitPromise=True)["result"].get("value")

    def test_a_content_script_gets_no_answer_of_our_pages(self) -> None:
        self.visit()
        before = len(self.said("register"))
        for message in MESSAGES:
            self.assertEqual(self.in_world(ASK.replace("{}", json.dumps(message))), "nothing", message)
        self.assertEqual(len(self.said("register")), before)

    def test_a_content_script_reads_and_writes_nothing_that_we_keep(self) -> None:
        """A contract that lets everything pass could be put there, and a sign-out taken away."""
        self.visit()
        for source in (
            "chrome.storage.local.get()", "chrome.storage.local.set({ contract: { navigation: 'open' } })",
            "chrome.storage.local.remove('departed')", "chrome.storage.local.clear()",
        ):  # fmt: skip
            self.assertEqual(self.in_world(f"{source}.then(() => 'done', () => 'refused')"), "refused", source)

    def test_a_page_opens_none_of_our_pages(self) -> None:
        self.visit()
        tab = self.browser.viewer.tab
        for page in ("account.html", "status.html", "blocked.html?x"):
            url = f"chrome-extension://{self.installation.id}/{page}"
            framed = (
                f"new Promise(done => {{ const f = document.createElement('iframe'); f.src = {json.dumps(url)};"
                " f.onload = () => { try { done(String(f.contentDocument?.title ?? 'foreign')); } catch { done('foreign'); } };"
                " document.body.append(f); })"
            )
            tab.value(framed)
            fetched = tab.value(f"fetch({json.dumps(url)}).then(() => 'read', () => 'refused')")
            self.assertEqual(fetched, "refused", page)
            opened = tab.value(f"(w => w ? 'opened' : 'refused')(window.open({json.dumps(url)}))")
            self.assertIn(opened, ("opened", "refused"))
        # The tab may be there, and shows the browser's own error.
        self.assertNotIn("The account of this browser profile", self.browser.text("account.html"))
        self.assertNotIn("This page does not open here", self.browser.text("blocked.html"))

    def test_another_extension_is_not_heard(self) -> None:
        workers = self.browser.viewer.browser.targets("service_worker")
        other = next(worker["url"] for worker in workers if self.installation.id not in worker["url"])
        page = self.browser.viewer.browser.page(other.replace("worker.js", "page.html"))
        self.wait(lambda: page.value("document.title") == "stranger", "its page is there")
        own = json.dumps(self.installation.id)
        for message in MESSAGES:
            asked = f"chrome.runtime.sendMessage({own}, {json.dumps(message)}).then(s => 'said ' + s, () => 'refused')"
            self.assertEqual(page.value(asked), "refused", message)
        connected = f"new Promise(d => chrome.runtime.connect({own}).onDisconnect.addListener(() => d('ended')))"
        self.assertEqual(page.value(connected), "ended")

    def test_a_page_that_wants_to_stay_is_closed_all_the_same(self) -> None:
        """A page that was clicked may ask its user whether to leave; that keeps no account signed in."""
        self.visit()
        tab = self.browser.viewer.tab
        tab.call("Page.bringToFront")
        tab.value(f"(() => {{ {STAY} }})()")
        tab.mouse("mousePressed", 300, 300, "left")
        tab.mouse("mouseReleased", 300, 300, "left")
        self.wait(lambda: tab.value("document.title") == "clicked", "the page was clicked")
        self.sign_out()
        self.is_refused()
        self.reply("register", account=WORK.lower(), state="enrolled", result="unchanged")
        self.browser.press("account.html", "sign-in")
        self.reads("account.html", "signed in again")
        self.assertEqual(self.visit(), set())


# The story itself is told once.
for name in [name for name in dir(AccountStory) if name.startswith("test_")]:
    setattr(Hostile, name, None)


def cases() -> list[type[ChromiumCase]]:
    return [Hostile]
