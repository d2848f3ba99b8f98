"""The little browser on WPE as a process of its own, which does what it reads line by line."""

import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from daemon import eventually
from engine import BROWSER, VERSION, environment
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.policy import PERSONAL, WORK

__all__ = ["PRIVATE_VIEWER", "WORK_VIEWER", "WpeDriver"]

PATIENCE_SECONDS = 20.0
# Long after a page is shown: then the engine lost it.
LOST_SECONDS = 4.0
# As WPE counts them.
BUTTONS = {"left": 1, "middle": 3, "right": 2}
POSITION = """(() => {{
  const shape = document.getElementById("{element}").getBoundingClientRect();
  return [shape.x + shape.width / 2, shape.y + shape.height / 2];
}})()"""


class Person:
    """Answers the guard's requests as the test says, and remembers what was said."""

    def __init__(self, driver: "WpeDriver") -> None:
        self._driver = driver
        self._lines: list[dict[str, str]] = []

    def begin(self) -> None:
        """A test begins."""
        self._lines.clear()

    def hear(self, line: dict[str, str]) -> None:
        self._lines.append(line)

    def asked_for(self, *, place: str = "", reason: str = "", file: str = "") -> None:
        self._driver.call("place", text=place)
        self._driver.call("reason", text=reason)
        self._driver.call("file", text=file)

    def _of(self, what: str) -> list[str]:
        return [line["text"] for line in self._lines if line["what"] == what]

    @property
    def said(self) -> list[str]:
        return self._of("refused")

    @property
    def problems(self) -> list[str]:
        return self._of("problem")


class WpeDriver:
    """The rig's driver: two views of one program, which show two accounts."""

    engine = f"WPE WebKit {VERSION}"
    export = "webkit-content-blocker"

    def __init__(self, socket: Path, *words: str, runtime: Path | None = None) -> None:
        """`words` are the accounts of both views, and more that browser.c takes. An agent listens in `runtime`."""
        self.home = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.home.chmod(0o700)
        self._numbers, self._answers = iter(range(1, 1 << 30)), dict[int, Any]()
        self.person = Person(self)
        self.process = subprocess.Popen(
            [str(BROWSER), str(socket), *(words or (WORK, PERSONAL))], env=environment(self.home, runtime or self.home),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            answer = json.loads(line)
            if "id" in answer:
                self._answers[answer["id"]] = answer["value"]
            else:
                self.person.hear(answer)

    def call(self, what: str, view: str = "", text: str = "", **more: int) -> Any:
        """What the browser answers. It always does within moments, whatever the daemon does."""
        number = next(self._numbers)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"id": number, "do": what, "view": view, "text": text, **more}) + "\n")
        self.process.stdin.flush()
        self.wait(lambda: number in self._answers or self.process.poll() is not None, f"an answer to `{what}`")
        return self._answers.pop(number)

    # Pages

    def begin(self, viewer: str, url: str) -> None:
        self.call("load", viewer, url)

    def load(self, viewer: str, url: str) -> None:
        """Shows a page. This engine loses one whose answer comes while another page arrives: then it is loaded again."""
        path = "/" + url.partition("://")[2].partition("/")[2]
        painted = "document.title + ' ' + (document.documentElement.dataset.painted || '')"
        for seconds in (LOST_SECONDS, LOST_SECONDS, PATIENCE_SECONDS):
            self.begin(viewer, url)
            with suppress(TimeoutError):
                self.wait(lambda: self.script(viewer, painted) == f"{path} yes", f"`{path}` is shown", seconds)
                return
        raise TimeoutError(f"`{path}` is not shown")

    def script(self, viewer: str, source: str) -> Any:
        return self.call("script", viewer, source)

    def title(self, viewer: str) -> str:
        return str(self.script(viewer, "document.title") or "")

    # The person

    def click(self, viewer: str, element: str, button: str = "left") -> None:
        x, y = self.script(viewer, POSITION.format(element=element))
        self.call("click", viewer, x=int(x), y=int(y), button=BUTTONS[button])

    def press(self, viewer: str, key: str) -> None:
        self.call("press", viewer, key)

    # Time

    def wait(self, holds: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> Any:
        return eventually(holds, what, seconds)

    def settle(self, seconds: float = 0.3) -> None:
        """Lets the browser work for a while: for what must not happen."""
        time.sleep(seconds)

    def close_popups(self) -> None:
        self.call("close-popups")

    def close(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
