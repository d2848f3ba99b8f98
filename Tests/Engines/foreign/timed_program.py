"""A program of pywebview that loads each URL of a line, and answers with the milliseconds that it took. With ACCOUNT and
SOCKET it is guarded.

timed_program.py [ACCOUNT SOCKET]
"""

import sys
import time

import webview
from webviewguard import pywebview


def obey(window: webview.Window) -> None:
    for line in sys.stdin:
        began = time.perf_counter()
        window.load_url(line.strip())
        window.events.loaded.wait()
        print((time.perf_counter() - began) * 1000, flush=True)
    window.destroy()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        pywebview.guard("com.contoso.portal", account=sys.argv[1], viewer_class="documents", socket=sys.argv[2])
    shown = webview.create_window("Timed", html="<p>ready</p>", width=640, height=800)
    webview.start(obey, shown)
