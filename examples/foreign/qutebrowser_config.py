"""qutebrowser (Qt 5.15) under the guard, by its own configuration and nothing else.

    qutebrowser --config-py qutebrowser_config.py https://portal.contoso.com/

The request interceptor of qutebrowser hears of every page, hop, frame and resource before it is requested, and not of its
tab: all tabs are one viewer here. WebSockets go past it, and hops may be under way when it hears of them, so the engine's
own name resolution closes the hosts that rules close. Clips and downloads of allowed hosts are not covered: qutebrowser has no hook for them.
"""

import subprocess

from qutebrowser.api import interceptor, message
from webviewguard import Guard

config.load_autoconfig(False)  # noqa: F821
guard = Guard(app="com.contoso.browser", features=())
guard.start()
guard.set_identity("process", account="work@contoso.com")
guard.register_viewer("tabs", viewer_class="documents")


# WebSockets come to no hook of Qt 5.15: names of hosts that rules close are not resolved.
c.qt.args = ["host-resolver-rules=" + guard.rules("chromium-host-rules", "documents").document]  # noqa: F821
FRAMES = {"main_frame": "main", "preload_main_frame": "main", "sub_frame": "sub", "preload_sub_frame": "sub"}
QUTE = ("qute", "data", "about", "chrome", "devtools", "view-source")


def encoded(url):
    return bytes(url.toEncoded()).decode()


def judge(request):
    if request.request_url.scheme() in QUTE:
        return
    frame = FRAMES.get(request.resource_type.name, "resource") if request.resource_type else "main"
    source = encoded(request.first_party_url) if request.first_party_url else None
    decision = guard.navigate(viewer="tabs", url=encoded(request.request_url), source=source or None, frame=frame)
    if decision.allowed:
        return
    request.block()
    offer = decision.opens_now
    if offer and offer.argv:
        subprocess.Popen(offer.argv, start_new_session=True)
    elif frame != "resource":
        message.error(decision.message or decision.reason)


interceptor.register(judge)
