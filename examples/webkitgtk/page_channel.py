"""The scripts that run in every page, and the channel by which only they reach the browser."""

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gi.repository import WebKit2

# Those of the library for C, which does all of this in any program.
SCRIPTS = Path(__file__).resolve().parents[2] / "clients/c/webkitgtk"
WORLD = "webviewguard"
Reply = Callable[[dict[str, Any]], None]


class PageChannel:
    """One for each window, with the popups of its pages: WebKit gives those the content manager of their opener.

    `heard` gets what the script only tells. What it asks comes by `answers`, in the view that it runs in.
    """

    def __init__(self, directory: Path, heard: Callable[[dict[str, Any]], None]) -> None:
        # Scripts of the page may call `prompt`, too, but do not know the word that makes it a question.
        self._secret = secrets.token_hex()
        self._heard = heard
        # No window has the cookies of another. (A context without a directory shows no notifications.)
        where = {"base_data_directory": str(directory / "data"), "base_cache_directory": str(directory / "cache")}
        self.context = WebKit2.WebContext.new_with_website_data_manager(WebKit2.WebsiteDataManager(**where))
        self.content = WebKit2.UserContentManager()
        self.content.connect("script-message-received::guard", self._received)
        self.content.register_script_message_handler_in_world("guard", WORLD)
        frames = WebKit2.UserContentInjectedFrames.ALL_FRAMES, WebKit2.UserScriptInjectionTime.START
        script = (SCRIPTS / "page_script.js").read_text().replace("@SECRET@", self._secret)
        patch = (SCRIPTS / "clipboard_patch.js").read_text()
        self.content.add_script(WebKit2.UserScript.new_for_world(script, *frames, WORLD, None, None))
        self.content.add_script(WebKit2.UserScript.new(patch, *frames, None, None))

    def answers(self, dialog: WebKit2.ScriptDialog, asked: Callable[[dict[str, Any], Reply], None]) -> bool:
        """Whether a dialog is a question of the script. The script waits until it is answered, nobody else does."""
        is_prompt = dialog.get_dialog_type() == WebKit2.ScriptDialogType.PROMPT
        if not is_prompt or not secrets.compare_digest(dialog.get_message().encode(), self._secret.encode()):
            return False

        def reply(answer: dict[str, Any]) -> None:
            dialog.prompt_set_text(json.dumps(answer))
            dialog.close()

        asked(json.loads(dialog.prompt_get_default_text()), reply)
        return True

    def _received(self, _content: WebKit2.UserContentManager, message: WebKit2.JavascriptResult) -> None:
        self._heard(json.loads(message.get_js_value().to_string()))


def settings() -> WebKit2.Settings:
    """What the engine must do and leave, so that nothing goes past its hooks."""
    settings = WebKit2.Settings()
    settings.set_javascript_can_open_windows_automatically(True)
    # What goes from browser to browser has no hook at all.
    settings.set_enable_webrtc(False)
    settings.set_enable_dns_prefetching(False)
    # A navigation API tells the script which frame navigates. The asynchronous clipboard fires no event.
    features = WebKit2.Settings.get_all_features()
    wanted = {"NavigationAPI": True, "AsyncClipboardAPI": False, "LinkPreconnect": False}
    for feature in map(features.get, range(features.get_length())):
        if feature.get_identifier() in wanted:
            settings.set_feature_enabled(feature, wanted[feature.get_identifier()])
    return settings
