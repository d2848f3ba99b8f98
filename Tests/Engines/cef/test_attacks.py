"""Pages that want to leak: what they do to the guard's script, and what they ask Chromium for beside CEF's hooks."""

import json
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from cef_case import CefCase

from rig import clipboard
from rig.case import numbers
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host

SECRET = "for contoso only"
FIELD = f"<textarea id=text>{SECRET}</textarea>"
NEW_FRAME = "const frame = document.body.appendChild(document.createElement('iframe')).contentWindow;"
# A listener that comes before the guard's lets nobody hear of a copy.
HOLD = "window.addEventListener('copy', event => { heard.push('held'); event.stopImmediatePropagation(); }, true);"
LEAVES = f"customElements.define('x-leaves', class extends HTMLElement {{ disconnectedCallback() {{ {HOLD} }} }});"
REWRITE = f"document.open(); document.write(`{FIELD}`); document.close();"
# What a page does before it copies; `heard` is there.
REWRITES = {
    "a script that is written": f"document.write(`{FIELD}<script>{HOLD} text.select();"
    " document.execCommand('copy');<` + `/script>`); document.close();",
    "written by the hand of a frame": f"{NEW_FRAME} frame.Document.prototype.write.call(document, `{FIELD}`);"
    " document.close();",
    "a frame that went": f"{NEW_FRAME} const add = frame.addEventListener, open = frame.Document.prototype.open;"
    f" frame.frameElement.remove(); open.call(document); add.call(window, 'copy', () => heard.push('held'), true);"
    f" document.appendChild(document.createElement('html')).innerHTML = `<body>{FIELD}</body>`;",
    "a frame that goes": f"{NEW_FRAME} frame.addEventListener('pagehide', () => {{ {HOLD} }}); {REWRITE}",
    "an element that goes": f"{LEAVES} document.body.append(document.createElement('x-leaves')); {REWRITE}",
    "no stack": f"""const deep = () => {{
        try {{ deep(); }} catch (problem) {{ try {{ document.open(); }} catch {{}} {HOLD} throw problem; }} }};
      try {{ deep(); }} catch {{}}
      document.documentElement || document.appendChild(document.createElement("html"));
      document.documentElement.innerHTML = `<body>{FIELD}</body>`;""",
}
COPY = "text.focus(), text.select(), document.execCommand('copy')"


class Listeners(CefCase):
    """Listeners of pages that come before the guard's. Of an app that wraps no clips nothing managed is copied."""

    environment: ClassVar[dict[str, str]] = {"BROWSER_CLAIMS_LITTLE": "yes"}
    rewrites: ClassVar[dict[str, str]] = REWRITES

    def copies(self, viewer: str, rewrite: str) -> Any:
        """What the page's own listeners heard; a copy that is refused comes to none."""
        clipboard.write("clipboard", "nothing yet")
        self.show("/clipboard", viewer)
        self.driver.click(viewer, "text")
        self._before = len(self.records.all)
        self.driver.script(viewer, f"window.heard = []; (() => {{ {rewrite} }})()")
        self.driver.script(viewer, f"window.addEventListener('copy', () => heard.push('copy')); {COPY}")
        return self.driver.script(viewer, "heard")

    def asked(self) -> list[str]:
        records = self.records.of("copy", self._before)
        return [record["outcome"] for record in records if record.get("selection") == "clipboard"]

    def test_private_pages_copy(self) -> None:
        for name, rewrite in self.rewrites.items():
            with self.subTest(name):
                self.assertTrue(self.copies(PRIVATE_VIEWER, rewrite) or name == "a frame that went")
                self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == SECRET, "it is copied", 10)

    def test_no_managed_page_copies(self) -> None:
        for name, rewrite in self.rewrites.items():
            with self.subTest(name):
                self.assertEqual(self.copies(WORK_VIEWER, rewrite), [])
                self.driver.wait(self.asked, "the copy is asked about")
                self.assertEqual(set(self.asked()), {"block"})
                self.assertEqual(clipboard.read("clipboard", "UTF8_STRING"), "nothing yet")

    def test_listeners_of_pages_are_as_they_were(self) -> None:
        self.show("/clipboard")
        kept = self.driver.script(WORK_VIEWER, """(() => {
          const heard = [], about = { handleEvent: event => heard.push(event.type) };
          addEventListener("copy", about, { once: true });
          document.body.addEventListener({ toString: () => "cut" }, about);
          document.body.addEventListener("paste", null);
          for (const type of ["copy", "copy", "cut"]) document.body.dispatchEvent(new Event(type, { bubbles: true }));
          try { addEventListener("copy"); } catch (problem) { heard.push(problem.name); }
          about.when = 1;
          window.when = 2;
          heard.push(about.when, window.when);
          return [heard, addEventListener.name, addEventListener.length, Object.keys(window).includes("webviewguard")];
        })()""")
        self.assertEqual(kept, [["copy", "cut", "TypeError", 1, 2], "addEventListener", 2, False])


# Another way to listen, which Chromium has since 135.
OBSERVE = HOLD.replace("addEventListener('copy', ", "when('copy', { capture: true }).subscribe(").replace(", true);", ");")


class Observers(Listeners):
    """The same by observables: they add listeners by no function of the page."""

    switches: ClassVar[tuple[str, ...]] = ("--enable-blink-features=ObservableAPI",)
    rewrites: ClassVar[dict[str, str]] = {name: way.replace(HOLD, OBSERVE) for name, way in REWRITES.items() if HOLD in way}


# What Chromium's own process loads for a page, and answers when it has: `u` is where.
BESIDE = {
    "the methods of a payment": "new PaymentRequest([{ supportedMethods: u }], { total: { label: 'plan',"
    " amount: { currency: 'EUR', value: '1' } } }).canMakePayment()",
    "a provider of accounts": "navigator.credentials.get({ identity: {"
    " providers: [{ configURL: u, clientId: 'plan' }] } })",
}


class Beside(CefCase):
    """What no hook shows: it is closed for the whole program."""

    def test_chromium_loads_nothing_for_a_page_by_itself(self) -> None:
        for name, source in BESIDE.items():
            with self.subTest(name):
                self.show("/")
                goal = f"/beside-{next(numbers)}"
                goes = f"(async u => {{ {source} }})({json.dumps(self.site.url(goal, Host.BLOCKED))})"
                done = self.driver.script(WORK_VIEWER, f"{goes}.then(() => 'done', problem => 'refused')")
                self.assertIn(done, ("done", "refused"))
                self.show("/")
                self.assertFalse(self.site.was_asked(goal))
                has = "'PaymentRequest' in window || 'IdentityCredential' in window"
                self.assertFalse(self.driver.script(WORK_VIEWER, has))

    def test_no_page_writes_into_files_of_the_user(self) -> None:
        """The engine would ask the user alone. A page's own storage is as it was."""
        self.show("/clipboard")
        pickers = ("showOpenFilePicker", "showSaveFilePicker", "showDirectoryPicker")
        for where in ("window", "document.getElementById('inner').contentWindow"):
            there = f"{json.dumps(pickers)}.filter(one => one in {where})"
            self.assertEqual(self.driver.script(WORK_VIEWER, there), [])
        own = """(async () => {
          const file = await (await navigator.storage.getDirectory()).getFileHandle("plan", { create: true });
          const stream = await file.createWritable();
          await stream.write("plan");
          await stream.close();
          return (await file.getFile()).text();
        })()"""
        self.assertEqual(self.driver.script(WORK_VIEWER, own), "plan")


class ChromeBeside(Beside):
    style = "chrome"


# A name that turns letters round, breaks lines and rings, and the name under which the file is kept.
DECEIVING, HONEST = "/file/cod%E2%80%AEgpj%E2%80%A8%C2%85.exe", "cod_gpj__.exe"


class Names(CefCase):
    """The names that sites suggest for their files, as the program's own handler gets them."""

    place: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        kept = tempfile.TemporaryDirectory(prefix="wvg-")
        cls.addClassCleanup(kept.cleanup)
        cls.place = Path(kept.name)
        cls.environment = {"BROWSER_KEEPS": kept.name}
        super().setUpClass()

    def test_a_name_turns_no_letters_round(self) -> None:
        for viewer in (PRIVATE_VIEWER, WORK_VIEWER):
            with self.subTest(viewer=viewer):
                self.show("/", viewer)
                self.driver.script(viewer, f"void (location.href = {json.dumps(DECEIVING)})")
                self.driver.wait(lambda: (self.place / HONEST).exists(), f"`{HONEST}` is there")
                self.assertEqual([file.name for file in self.place.iterdir()], [HONEST])
                (self.place / HONEST).unlink()


class ChromeNames(Names):
    style = "chrome"


def cases() -> list[Any]:
    return [Listeners, Observers, Beside, ChromeBeside, Names, ChromeNames]
