"""A program of pywebview that loads what each line says, `WINDOW URL`, and answers with the milliseconds that it took; a
window is opened when it is first named. With ACCOUNT, SOCKET and APP it is guarded.

driven_program.py [ACCOUNT SOCKET APP]
"""

import sys
import time

import webview
from webviewguard import pywebview

# A page that never comes is no page.
PATIENCE_SECONDS = 20.0


def window(number: int) -> webview.Window:
    while len(webview.windows) <= number:
        opened = webview.create_window("Driven", html="<p>ready</p>", width=640, height=800)
        opened.events.shown.wait(PATIENCE_SECONDS)
    return webview.windows[number]


def obey() -> None:
    for line in sys.stdin:
        number, url = line.split()
        shown = window(int(number))
        began = time.perf_counter()
        shown.load_url(url)
        shown.events.loaded.wait(PATIENCE_SECONDS)
        print((time.perf_counter() - began) * 1000, flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        pywebview.guard(sys.argv[3], account=sys.argv[1], viewer_class="documents", socket=sys.argv[2])
    webview.create_window("Driven", html="<p>ready</p>", width=640, height=800)
    webview.start(obey)
