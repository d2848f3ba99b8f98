"""What the tests of every WebKit stand on: the records since a test began, and what a person does."""

from typing import Any

from rig.case import BrowserCase
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.records import Record

__all__ = ["PRIVATE_VIEWER", "WORK_VIEWER", "WebKitCase"]


class WebKitCase(BrowserCase):
    """A browser with a work view and a private one, which a person uses."""

    driver: Any

    def begin_test(self) -> None:
        """Forgets what was said and decided before."""
        self._before = len(self.records.all)
        self.driver.person.begin()

    def asked(self, event: str, **members: Any) -> list[Record]:
        """The decisions on such events since the test began, with these members."""
        found = self.records.of(event, self._before)
        return [record for record in found if all(record.get(name) == value for name, value in members.items())]

    def until_asked(self, event: str, count: int = 1, **members: Any) -> Record:
        what = f"{event} {members} is decided"
        self.driver.wait(lambda: len(self.asked(event, **members)) >= count, what)
        return self.asked(event, **members)[-1]

    def leave_for(self, path: str, viewer: str) -> None:
        """Has a page's script lead to a path of its host."""
        self.driver.script(viewer, f"void (location.href = {path!r})")

    def until_notice(self, words: str, viewer: str = WORK_VIEWER) -> None:
        """Waits until the notice is shown in place of a page, with these words on it."""
        text = "document.body ? document.body.innerText : ''"
        self.driver.wait(lambda: words in str(self.driver.script(viewer, text)), f"the notice says `{words}`")

    # The clipboard

    def focus(self, viewer: str, element: str) -> None:
        self.driver.click(viewer, element)
        has_focus = f"document.hasFocus() && document.activeElement.id === '{element}'"
        self.driver.wait(lambda: self.driver.script(viewer, has_focus), f"`{element}` has the focus")

    def select_all(self, viewer: str, element: str = "text") -> None:
        """Nothing is marked before, so that all is marked when the click and the key have come."""
        field = f"document.getElementById('{element}')"
        self.driver.script(viewer, f"{field}.setSelectionRange(0, 0)")
        self.focus(viewer, element)
        self.driver.press(viewer, "a")
        whole = f"{field}.selectionEnd - {field}.selectionStart === {field}.value.length"
        self.driver.wait(lambda: self.driver.script(viewer, whole), "all is marked")

    def copy(self, viewer: str, key: str = "c") -> Record:
        count = len(self.asked("copy", selection="clipboard"))
        self.select_all(viewer)
        self.driver.press(viewer, key)
        return self.until_asked("copy", count + 1, selection="clipboard")

    def copy_rich(self) -> Record:
        """Copies what has markup."""
        self.focus(WORK_VIEWER, "rich")
        self.driver.press(WORK_VIEWER, "a")
        self.driver.press(WORK_VIEWER, "c")
        return self.until_asked("copy", selection="clipboard")

    def paste(self, viewer: str, element: str = "other") -> str:
        """Pastes into an empty field, and returns what is there then."""
        count = len(self.asked("paste"))
        self.driver.script(viewer, f"document.getElementById('{element}').value = ''")
        self.focus(viewer, element)
        self.driver.press(viewer, "v")
        self.until_asked("paste", count + 1)
        self.driver.settle()
        return self.value(viewer, element)

    def value(self, viewer: str, element: str) -> str:
        return str(self.driver.script(viewer, f"document.getElementById('{element}').value"))
