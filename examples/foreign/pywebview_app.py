"""A program of pywebview under the guard, on GTK or on Qt: the guard's are the lines that say so.

    PYWEBVIEW_GUI=qt QT_API=pyqt6 python3 pywebview_app.py https://portal.contoso.com/

QtWebEngine shows where an image or a fetch is redirected when the request is under way already. The engine's own name resolution
closes the hosts that rules close; on GTK nothing reads these flags.
"""

import os
import sys

import webview
from webviewguard import Guard, pywebview  # guard

with Guard(app="com.contoso.portal", features=()) as asked:  # guard
    asked.start()  # guard
    hosts = asked.rules("chromium-host-rules", "documents").document  # guard
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = f'--host-resolver-rules="{hosts}"'  # guard
pywebview.guard("com.contoso.portal", account="work@contoso.com", viewer_class="documents")  # guard
webview.create_window("Portal", sys.argv[1])
webview.start()
