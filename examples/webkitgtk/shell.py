"""What the browser asks of the desktop and of the person in front of it. Nothing here waits."""

from collections.abc import Callable, Sequence
from pathlib import Path

from gi.repository import Gio, GLib, Gtk, WebKit2
from webviewguard import Decision, OpenOffer


class Shell:
    """GTK's dialogs, and the programs that open what may not open here."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.report = report

    def open_elsewhere(self, offer: OpenOffer) -> bool:
        """Starts what the guard offers; the first of its fallbacks that works, when that does not."""
        for attempt in (offer, *offer.fallback):
            try:
                if self._start(attempt):
                    self.report(f"opened `{attempt.url}`")
                    return True
            except GLib.Error as problem:
                self.report(f"cannot open `{attempt.url}`: {problem.message}")
        return False

    def _start(self, offer: OpenOffer) -> bool:
        if offer.argv:
            # No shell reads the arguments: the URL comes from a page.
            GLib.spawn_async(list(offer.argv), flags=GLib.SpawnFlags.SEARCH_PATH)
            return True
        if offer.desktop_id:
            try:
                program = Gio.DesktopAppInfo.new(offer.desktop_id)
            except TypeError:  # There is no such file.
                self.report(f"`{offer.desktop_id}` is not installed")
                return False
            return bool(program.launch_uris([offer.url], None))
        return bool(Gio.AppInfo.launch_default_for_uri(offer.url, None))

    def ask_justification(self, parent: Gtk.Window, decision: Decision, answer: Callable[[str], None]) -> None:
        """Asks why the user goes on; an empty text when not."""
        dialog = Gtk.MessageDialog(
            transient_for=parent, modal=True, buttons=Gtk.ButtonsType.OK_CANCEL, message_type=Gtk.MessageType.WARNING,
            text=decision.message or "Your organization wants to know why you do this.",
        )  # fmt: skip
        entry = Gtk.Entry(activates_default=True, visible=True)
        dialog.get_message_area().add(entry)

        def responded(_dialog: Gtk.Dialog, response: Gtk.ResponseType) -> None:
            text = entry.get_text().strip() if response == Gtk.ResponseType.OK else ""
            dialog.destroy()
            answer(text)

        dialog.connect("response", responded)
        dialog.show()

    def choose_files(self, parent: Gtk.Window, several: bool, chosen: Callable[[Sequence[Path]], None]) -> None:
        """Asks which files a page may have; none when the user gave up."""
        dialog = Gtk.FileChooserNative(title="Upload", transient_for=parent, select_multiple=several)

        def responded(_dialog: Gtk.FileChooserNative, response: Gtk.ResponseType) -> None:
            names = dialog.get_filenames() if response == Gtk.ResponseType.ACCEPT else []
            dialog.destroy()
            chosen([Path(name) for name in names])

        dialog.connect("response", responded)
        dialog.show()

    def choose_place(
        self, parent: Gtk.Window, suggested: str, chosen: Callable[[Path | None], None], first: Path | None = None
    ) -> None:
        """Asks where a file is kept; `first` is a folder to begin with."""
        dialog = Gtk.FileChooserNative(
            title="Save", transient_for=parent, action=Gtk.FileChooserAction.SAVE, do_overwrite_confirmation=True
        )
        dialog.set_current_name(suggested)
        if first is not None:
            dialog.set_current_folder(str(first))

        def responded(_dialog: Gtk.FileChooserNative, response: Gtk.ResponseType) -> None:
            name = dialog.get_filename() if response == Gtk.ResponseType.ACCEPT else None
            dialog.destroy()
            chosen(Path(name) if name else None)

        dialog.connect("response", responded)
        dialog.show()

    def print(self, parent: Gtk.Window, operation: WebKit2.PrintOperation) -> None:
        operation.run_dialog(parent)

    def notify(self, title: str, body: str) -> None:
        notification = Gio.Notification.new(title)
        notification.set_body(body)
        application = Gio.Application.get_default()
        if application:
            application.send_notification(None, notification)
