#!/usr/bin/python3
"""A browser without a face: loads what standard input asks for, a JSON object a line, and says when all is settled.

  {"rules": DOCUMENT}                 what the content blocker is from now on
  {"kind": "page", "urls": [...]}     loads them: as pages one by one, as frames, images or sockets of a page together
"""

import json
import sys
import tempfile

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, Gtk, WebKit2  # noqa: E402

START = "http://start.test/"
LOAD = """
<!doctype html><body><script>
const kind = %s, urls = %s, settle = [];
for (const url of urls) settle.push(new Promise(done => {
  setTimeout(done, kind == 'frame' ? 1500 : 8000);
  if (kind == 'socket') {
    try { const it = new WebSocket(url); it.onclose = it.onerror = it.onopen = done; } catch { done(); }
  } else {
    const it = document.createElement(kind == 'frame' ? 'iframe' : 'img');
    it.onload = it.onerror = done;
    it.src = url;
    document.body.append(it);
  }
}));
Promise.all(settle).then(() => { document.title = 'settled'; });
</script>
"""


class Browser:
    """One view, one content blocker, one line at a time."""

    def __init__(self, proxy: str) -> None:
        context = WebKit2.WebContext.new_ephemeral()
        data = context.get_website_data_manager()
        data.set_tls_errors_policy(WebKit2.TLSErrorsPolicy.IGNORE)
        data.set_network_proxy_settings(
            WebKit2.NetworkProxyMode.CUSTOM, WebKit2.NetworkProxySettings.new(proxy, None)
        )
        self._content = WebKit2.UserContentManager()
        self._view = WebKit2.WebView(web_context=context, user_content_manager=self._content)
        self._view.connect("load-changed", self._changed)
        self._view.connect("load-failed", self._failed)
        self._view.connect("notify::title", self._titled)
        self._store = WebKit2.UserContentFilterStore.new(tempfile.mkdtemp(prefix="wvg-filters-"))
        self._loop = GLib.MainLoop()
        self._waits_for_title = False
        window = Gtk.OffscreenWindow()
        window.add(self._view)
        window.show_all()

    def set_rules(self, document: str) -> None:
        """Compiles the rules and puts them in force."""
        found = []

        def saved(store: WebKit2.UserContentFilterStore, result: object) -> None:
            try:
                found.append(store.save_finish(result))
            except GLib.Error as error:
                found.append(error)
            self._loop.quit()

        self._store.save("export", GLib.Bytes.new(document.encode()), None, saved)
        self._loop.run()
        if isinstance(found[0], GLib.Error):
            raise found[0]
        self._content.remove_all_filters()
        self._content.add_filter(found[0])

    def load(self, kind: str, urls: list[str]) -> None:
        """Loads them and waits until nothing more comes."""
        self._waits_for_title = kind != "page"
        if self._waits_for_title:
            self._view.load_html(LOAD % (json.dumps(kind), json.dumps(urls)), START)
            self._loop.run()
            return
        for url in urls:
            self._view.load_uri(url)
            self._loop.run()

    def _changed(self, view: WebKit2.WebView, event: WebKit2.LoadEvent) -> None:
        if event == WebKit2.LoadEvent.FINISHED and not self._waits_for_title:
            GLib.idle_add(self._loop.quit)

    def _failed(self, *_: object) -> bool:
        return True

    def _titled(self, view: WebKit2.WebView, *_: object) -> None:
        if self._waits_for_title and view.get_title() == "settled":
            self._loop.quit()


def main() -> None:
    """Answers each line with `{}` or `{"error": TEXT}`."""
    browser = Browser(sys.argv[1])
    for line in sys.stdin:
        asked, answer = json.loads(line), {}
        try:
            if "rules" in asked:
                browser.set_rules(asked["rules"])
            else:
                browser.load(asked["kind"], asked["urls"])
        except GLib.Error as error:
            answer = {"error": error.message}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
