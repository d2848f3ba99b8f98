"""A program of pywebview that does what each line says; a window is opened when it is first named. `WINDOW load URL` is
answered with the milliseconds that it took, `WINDOW value SCRIPT` with the value of a script, both as JSON and in one line.
With ACCOUNT, SOCKET and APP it is guarded.

driven_program.py [ACCOUNT SOCKET APP]
"""

import json
import sys
import time
from typing import Any

import webview
from webviewguard import pywebview

# A page that never comes is no page.
PATIENCE_SECONDS = 20.0


def window(number: int) -> webview.Window:
    while len(webview.windows) <= number:
        opened = webview.create_window("Driven", html="<p>ready</p>", width=640, height=800)
        opened.events.shown.wait(PATIENCE_SECONDS)
    return webview.windows[number]


def load(shown: webview.Window, url: str) -> float:
    began = time.perf_counter()
    shown.load_url(url)
    shown.events.loaded.wait(PATIENCE_SECONDS)
    return (time.perf_counter() - began) * 1000


def value(shown: webview.Window, script: str) -> Any:
    """Of the engine itself: what pywebview offers to programs runs `eval` in the page, which a notice does not allow."""
    return webview.guilib.BrowserView.instances[shown.uid].evaluate_js(script, True)


def obey() -> None:
    for line in sys.stdin:
        number, act, about = line.split(" ", 2)
        print(json.dumps({"load": load, "value": value}[act](window(int(number)), json.loads(about))), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        pywebview.guard(sys.argv[3], account=sys.argv[1], viewer_class="documents", socket=sys.argv[2])
    webview.create_window("Driven", html="<p>ready</p>", width=640, height=800)
    webview.start(obey)
