"""What the hooks of QtWebEngine 5.15 see, as JSON: run by test_qt5.py, since a process has one Qt.

For each way: whether the server was reached, and whether the interceptor and `acceptNavigationRequest` heard of it.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ.update(QTWEBENGINE_DISABLE_SANDBOX="1", QT_LOGGING_RULES="*=false")
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = "--disable-gpu"

from PyQt5.QtCore import QUrl  # noqa: E402
from PyQt5.QtTest import QTest  # noqa: E402
from PyQt5.QtWebEngineCore import QWebEngineUrlRequestInterceptor  # noqa: E402
from PyQt5.QtWebEngineWidgets import QWebEnginePage, QWebEngineProfile, QWebEngineView  # noqa: E402
from PyQt5.QtWidgets import QApplication  # noqa: E402

reached, intercepted, accepted, windows = [], [], [], []


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        reached.append(self.path)
        hop = self.path.startswith("/hop-")
        self.send_response(302 if hop else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Location", self.path.replace("/hop-refused", "/refused").replace("/hop-", "/goal-")) if hop else None
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"<p>x")

    def log_message(self, *_):
        pass


class Interceptor(QWebEngineUrlRequestInterceptor):
    def interceptRequest(self, info):
        intercepted.append(info.requestUrl().path())
        info.block(info.requestUrl().path().startswith(("/goal-", "/blocked-")))


class Page(QWebEnginePage):
    def acceptNavigationRequest(self, url, kind, is_main_frame):
        accepted.append(url.path())
        return url.path() != "/refused-page"

    def createWindow(self, kind):
        windows.append(Page(self.profile(), self))
        return windows[-1]


def heard(path):
    return {"reached": path in reached, "interceptor": path in intercepted, "accept": path in accepted}


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}"
    app = QApplication(sys.argv[:1])
    profile = QWebEngineProfile()
    interceptor = Interceptor()
    profile.setUrlRequestInterceptor(interceptor)
    page, view = Page(profile, profile), QWebEngineView()
    view.setPage(page)
    view.show()
    ended = []
    page.loadFinished.connect(ended.append)

    def until(holds, seconds=30):
        for _ in range(seconds * 100):
            if holds():
                return True
            QTest.qWait(10)
        return False

    page.load(QUrl(site + "/"))
    until(lambda: ended)
    page.runJavaScript(f"new WebSocket('{site}/blocked-socket'.replace('http', 'ws'))")
    until(lambda: "/blocked-socket" in reached)
    page.runJavaScript(f"fetch('{site}/hop-fetch').catch(() => 0)")
    until(lambda: "/goal-fetch" in intercepted)
    page.runJavaScript(f"window.open('{site}/window')")
    until(lambda: "/window" in reached)
    page.load(QUrl(site + "/hop-page"))
    until(lambda: "/goal-page" in intercepted or "/goal-page" in reached)
    page.load(QUrl(site + "/hop-refused-page"))
    until(lambda: "/refused-page" in accepted)
    page.load(QUrl(site + "/behind"))
    until(lambda: "/behind" in reached)
    QTest.qWait(300)
    said = {path[1:]: heard(path) for path in ("/blocked-socket", "/goal-fetch", "/window", "/goal-page", "/refused-page")}
    said["signals"] = [name for name in ("newWindowRequested", "navigationRequested") if hasattr(page, name)]
    print(json.dumps(said), flush=True)
    assert app
    os._exit(0)


main()
