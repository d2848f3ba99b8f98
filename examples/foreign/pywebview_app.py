"""A program of pywebview under the guard, on GTK or on Qt: the guard's are the two lines that name it.

    PYWEBVIEW_GUI=qt QT_API=pyqt6 python3 pywebview_app.py https://portal.contoso.com/
"""

import sys

import webview
from webviewguard import pywebview

pywebview.guard("com.contoso.portal", account="work@contoso.com", viewer_class="documents")
webview.create_window("Portal", sys.argv[1])
webview.start()
