"""Sign-in in WebKitGTK: see rig/webkit/signing_in.py."""

import os
from pathlib import Path
from typing import Any, ClassVar

import signing_in
from gtk_driver import IS_GTK4, GtkDriver
from rig.policy import APP, WORK
from toolkit import WebKit, WvgWebKit, make_view


class SigningInToEntra(signing_in.SigningIn):
    views: ClassVar[dict[str, Any]]

    @classmethod
    def runtime(cls) -> Path:
        return Path(os.environ["XDG_RUNTIME_DIR"])

    @classmethod
    def begin_browser(cls) -> None:
        proxy = cls.begin_tunnel()
        guard = WvgWebKit.Guard.new(APP, str(cls.daemon.guard_socket))
        cls.addClassCleanup(guard.close)
        cls.problems = []
        guard.connect("problem", lambda _, text: cls.problems.append(text))
        guard.connect("refused", lambda *_: True)
        cls.views = {}
        for name in ("documents", "free"):
            cls.views[name] = view = make_view(cls.directory / name)
            _trust(view, proxy)
            if not guard.set_account(name, WORK) or not guard.add(view, name, name):
                raise RuntimeError(guard.get_error())

    def lead(self, url: str, viewer_class: str) -> None:
        self.views[viewer_class].load_uri(url)

    def wait(self, holds: Any, what: str) -> None:
        GtkDriver.wait(self, holds, what)  # type: ignore[arg-type]

    def script(self, source: str) -> None:
        self.views["documents"].evaluate_javascript(source, -1, None, None, None, None)

    def reload(self) -> None:
        self.views["documents"].reload()

    def is_shown(self, mark: str) -> bool:
        view = self.views["documents"]
        return mark in (view.get_uri() or "") and not view.is_loading()


def _trust(view: Any, proxy: str) -> None:
    """Leads it through the tunnel, whose certificate nobody knows."""
    settings = WebKit.NetworkProxySettings.new(proxy, None)
    keeper = view.get_network_session() if IS_GTK4 else view.get_context().get_website_data_manager()
    (keeper.set_proxy_settings if IS_GTK4 else keeper.set_network_proxy_settings)(WebKit.NetworkProxyMode.CUSTOM, settings)
    keeper.set_tls_errors_policy(WebKit.TLSErrorsPolicy.IGNORE)

