"""Asks before every navigation, every hop of a redirect and every new window. The engine waits, the loop does not."""

from typing import TYPE_CHECKING, Any

from frames import MAIN
from gi.repository import GLib, WebKit2
from webviewguard import Decision

if TYPE_CHECKING:
    from viewer import Viewer


class Navigation:
    """The hooks of one viewer that lead to another page."""

    def __init__(self, viewer: "Viewer") -> None:
        self.viewer = viewer
        # Where the hop under way comes from, and the last new window that was allowed.
        self._came_from: str | None = None
        self._allowed_window: str | None = None
        viewer.view.connect("decide-policy", self._decide_policy)
        viewer.view.connect("create", self._create)
        viewer.view.connect("load-changed", self._load_changed)
        viewer.view.connect("load-failed", self._load_failed)

    def _decide_policy(
        self, _view: WebKit2.WebView, policy: WebKit2.PolicyDecision, kind: WebKit2.PolicyDecisionType
    ) -> bool:
        if kind == WebKit2.PolicyDecisionType.RESPONSE:
            return self._decide_response(policy)
        action = policy.get_navigation_action()
        url = action.get_request().get_uri() or "about:blank"
        if self.viewer.block_page.is_pressed(url, action):
            policy.ignore()
            return True
        event = self._event(action, url, kind == WebKit2.PolicyDecisionType.NEW_WINDOW_ACTION)
        if event["frame"] == MAIN and not event["new_window"]:
            self.viewer.moves += 1
        moves = self.viewer.moves

        def settled(allowed: bool, decision: Decision) -> None:
            self._settled(policy, event, allowed, decision, moves == self.viewer.moves)

        self.viewer.ask("navigate", settled, **event)
        return True

    def _event(self, action: WebKit2.NavigationAction, url: str, is_new_window: bool) -> dict[str, Any]:
        viewer = self.viewer
        is_first = not viewer.has_shown_anything and not is_new_window
        frame = MAIN if is_new_window else viewer.frames.frame_of(action, is_first)
        came_from = self._source(action, frame)
        if not action.is_redirect() and not is_new_window and viewer.is_own_load(action):
            frame, came_from = MAIN, None
        same = "#" in url and url.partition("#")[0] == viewer.document.partition("#")[0] and not action.is_redirect()
        return {
            "url": url,
            "source": came_from or None,
            "frame": frame,
            "hop": action.is_redirect(),
            "gesture": "yes" if action.is_user_gesture() else "no",
            "method": action.get_request().get_http_method() or "GET",
            "new_window": is_new_window,
            "same_document": same and action.get_navigation_type() != WebKit2.NavigationType.RELOAD,
        }

    def _source(self, action: WebKit2.NavigationAction, frame: str) -> str | None:
        """The page or hop that leads there. Of a frame it is known by what the engine tells the site; else unknown,
        since a rule may let pass what comes from the right page. What asks no site is made by the page that is shown.
        """
        if frame == MAIN:
            return self._came_from if action.is_redirect() else self.viewer.document
        headers = action.get_request().get_http_headers()
        if action.get_request().get_uri().startswith(("about:", "data:", "blob:")):
            return self.viewer.document
        return headers.get_one("Referer") if headers and not action.is_redirect() else None

    def _settled(
        self, policy: WebKit2.PolicyDecision, event: dict[str, Any], allowed: bool, decision: Decision, is_latest: bool
    ) -> None:
        if not allowed or self.viewer.is_closed:
            policy.ignore()
            is_page = event["frame"] == MAIN and not event["new_window"]
            self.viewer.was_refused(decision, event["url"], is_page=is_page, is_latest=is_latest)
            return
        if event["new_window"]:
            self._allowed_window = event["url"]
        elif event["frame"] == MAIN:
            self._came_from = event["url"]
        policy.use()

    def _decide_response(self, policy: WebKit2.ResponsePolicyDecision) -> bool:
        headers = policy.get_response().get_http_headers()
        disposition = (headers.get_one("Content-Disposition") if headers else None) or ""
        if disposition.lower().startswith("attachment") or not policy.is_mime_type_supported():
            policy.download()
        else:
            policy.use()
        return True

    # New windows

    def _create(self, _view: WebKit2.WebView, action: WebKit2.NavigationAction) -> WebKit2.WebView | None:
        """The engine wants the view at once, and the answer takes a moment: so it gets one that nobody sees and that
        loads nothing before it is allowed."""
        url = action.get_request().get_uri() or "about:blank"
        if not self.viewer.window.settings.popups:
            self.viewer.window.tell("Your organization does not let pages open windows here.")
            return None
        opened = self.viewer.open_popup()
        if opened is None:
            return None
        popup: Viewer = opened
        if url == self._allowed_window:
            self._allowed_window = None
            popup.allow()
            return popup.view
        event = self._event(action, url, is_new_window=True)

        def settled(allowed: bool, decision: Decision) -> None:
            if allowed:
                popup.allow()
            else:
                popup.close()
                self.viewer.was_refused(decision, url, is_page=False)

        self.viewer.ask("navigate", settled, **event)
        return popup.view

    # What became of it

    def _load_changed(self, view: WebKit2.WebView, event: WebKit2.LoadEvent) -> None:
        if event == WebKit2.LoadEvent.COMMITTED:
            self.viewer.shows(view.get_uri() or "about:blank")

    def _load_failed(
        self, _view: WebKit2.WebView, _event: WebKit2.LoadEvent, _url: str, error: GLib.Error
    ) -> bool:
        """What the guard stopped needs no page of the engine's own."""
        was_stopped = WebKit2.PolicyError.FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE
        return bool(error.matches(WebKit2.policy_error_quark(), was_stopped))
