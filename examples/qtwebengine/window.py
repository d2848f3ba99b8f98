"""A window of the little browser: an address bar, the usual buttons, whose data it shows, and a line for messages."""

from browser_settings import BrowserSettings, text_on
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWebEngineCore import QWebEnginePage
from PyQt6.QtWidgets import QLabel, QLineEdit, QMainWindow, QMenu, QPushButton, QSizePolicy, QToolBar, QToolButton
from webviewguard import OpenOffer
from webviewguard.qt import GuardedPage, GuardedView

STYLE = """
  QToolBar { spacing: 4px; padding: 5px; border: none; background: #f3f4f6 }
  QToolButton { padding: 4px 9px; border-radius: 5px; font-size: 14px }
  QToolButton:hover { background: #e5e7eb }
  QLineEdit { padding: 5px 10px; border: 1px solid #d1d5db; border-radius: 6px; background: white }
  QLabel#account { padding: 4px 10px; border-radius: 6px; margin-left: 6px; font-weight: bold }
  QLabel#account[managed=true] { background: #dbeafe; color: #1e3a8a }
  QLabel#account[managed=false] { background: #e5e7eb; color: #374151 }
  QLabel#banner { padding: 5px 12px; background: #fef3c7; color: #78350f }
  QStatusBar { background: #f3f4f6; color: #374151 }
"""


class Window(QMainWindow):
    """A view and its frame. Nothing here asks the guard but the picture and the printer: pages do the rest."""

    def __init__(self, page: GuardedPage, account: str, is_managed: bool) -> None:
        super().__init__()
        self.page, self.view = page, GuardedView(page)
        self.setCentralWidget(self.view)
        self.address = QLineEdit(placeholderText="Address")
        self.account = QLabel(account, objectName="account")
        self.account.setProperty("managed", is_managed)
        self.settings = BrowserSettings()
        self._toolbar = self._bar()
        self.addToolBar(self._toolbar)
        self.addToolBarBreak()
        self._bookmarks, self._banner = self._second_bar(), self._third_bar()
        self.setStyleSheet(STYLE)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(900, 640)
        page.urlChanged.connect(lambda _: self._moved())
        page.loadFinished.connect(lambda _: self._moved())
        page.titleChanged.connect(lambda title: self.setWindowTitle(f"{title} – {account}"))
        page.windowCloseRequested.connect(self.close)
        self.offer = QPushButton("Open in your organization’s browser", visible=False)
        self.statusBar().addPermanentWidget(self.offer)
        self.offer.clicked.connect(self._take)
        # Texts of the organisation are text, also where they look like markup.
        plain = Qt.TextFormat.PlainText
        self.standing = QLabel(objectName="standing", wordWrap=True, visible=False, textFormat=plain)
        self.statusBar().addPermanentWidget(self.standing)
        self._offered: OpenOffer | None = None
        page.embedder.people.told.append(self._tell)

    def _bar(self) -> QToolBar:
        bar = QToolBar(movable=False)
        actions = QWebEnginePage.WebAction
        for text, tip, action in (
            ("◀", "Back", actions.Back),
            ("▶", "Forward", actions.Forward),
            ("⟳", "Reload", actions.Reload),
        ):
            button = self.page.action(action)
            button.setIconText(text)
            button.setIcon(type(button.icon())())
            button.setToolTip(tip)
            bar.addAction(button)
        self.home = bar.addAction("Home", lambda: self.page.go(self.settings.home_page))
        self.home.setVisible(False)
        bar.addWidget(self.address)
        self.address.returnPressed.connect(lambda: self.page.go(self.address.text()))
        self.files = QMenu(self)
        self.files.aboutToShow.connect(self._list_files)
        button = QToolButton(text="Files", popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(self.files)
        if self.page.window in self.page.embedder.transfers.own_storage:
            bar.addWidget(button)
        bar.addAction("Picture", self.save_picture)
        bar.addAction("Print", lambda: self.page.embedder.transfers.print_page(self.page))
        bar.addWidget(self.account)
        return bar

    def _second_bar(self) -> QToolBar:
        bar = QToolBar(movable=False, visible=False)
        self.addToolBar(bar)
        self.addToolBarBreak()
        return bar

    def _third_bar(self) -> QToolBar:
        bar = QToolBar(movable=False, visible=False)
        self.banner = QLabel(objectName="banner", textFormat=Qt.TextFormat.PlainText)
        self.banner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(self.banner)
        self.addToolBar(bar)
        return bar

    def configure(self, settings: BrowserSettings) -> None:
        """Looks and works as the account's administrator wants. The values are checked; texts of them are no markup."""
        self.settings = settings
        self.home.setVisible(bool(settings.home_page))
        self.banner.setText(settings.banner)
        self._banner.setVisible(bool(settings.banner))
        self._bookmarks.clear()
        for bookmark in settings.bookmarks:
            # An `&` would be a shortcut of the button.
            action = self._bookmarks.addAction(bookmark.name.replace("&", "&&"))
            action.triggered.connect(lambda _=False, url=bookmark.url: self.page.go(url))
        self._bookmarks.setVisible(bool(settings.bookmarks))
        colour = settings.toolbar_color
        look = f"QToolBar {{ background: {colour} }} QToolButton {{ color: {text_on(colour)} }}" if colour else ""
        hover = " QToolButton:hover { background: rgba(128, 128, 128, 90) }" if colour else ""
        self._toolbar.setStyleSheet(look + hover)
        self.page.may_open_windows = settings.popups
        self.view.setZoomFactor(settings.zoom / 100)

    def _list_files(self) -> None:
        """What the account keeps of its downloads."""
        transfers = self.page.embedder.transfers
        self.files.clear()
        for file in transfers.files(self.page.window):
            action = self.files.addAction(file.name.replace("&", "&&"))
            action.triggered.connect(lambda _=False, file=file: transfers.open(self.page, file))

    def save_picture(self) -> bool:
        return self.page.embedder.transfers.save_picture(self.page, self.view.grab())

    def _moved(self) -> None:
        self.address.setText(self.page.address)
        self.address.setCursorPosition(0)

    def _tell(self, text: str, offer: OpenOffer | None, viewer: str | None) -> None:
        if viewer not in (None, self.page.name):
            return
        self.statusBar().showMessage(text)
        self._offered = offer
        self.offer.setVisible(offer is not None)

    def say(self, text: str) -> None:
        """Says something about the account, for as long as it holds; an empty text takes that back."""
        self.standing.setText(text)
        self.standing.setVisible(bool(text))

    def _take(self) -> None:
        offer, self._offered = self._offered, None
        self.offer.hide()
        if offer:
            self.page.embedder.people.start(offer, self.page.name)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.page.embedder.people.told.remove(self._tell)
        self.view.close()
        super().closeEvent(event)
