"""The versions that the client tells with Attach, and conditions of the real daemon about them."""

import asyncio

from real import PATIENT, WORK, Daemon, RealCase, versioned
from webviewguard import Guard, __version__
from webviewguard.asyncio import AsyncGuard

URL = "https://contoso.com/"
# The condition, the version that the app tells, and the reason for which the account may not be shown.
ROWS = (
    (("clientVersion", "equals", __version__), None, None),
    (("clientVersion", "greater", __version__), "99", "accountNotCompliant"),
    (("appVersion", "atLeast", "2.0"), "2.1.0", None),
    (("appVersion", "atLeast", "2.0"), "1.9", "accountNotCompliant"),
    (("appVersion", "atLeast", "2.0"), None, "notChecked"),
)


class Versions(RealCase):
    """Each condition has a daemon of its own."""

    def setUp(self) -> None:
        pass

    def test_conditions_judge_the_versions_that_are_told(self) -> None:
        for condition, version, reason in ROWS:
            with self.subTest(condition, version=version):
                configuration = versioned(*condition)
                configuration.files["webviewguard.yaml"] = PATIENT
                daemon = Daemon(configuration)
                self.addCleanup(daemon.remove)
                daemon.start()
                expected = reason, reason or "internal"
                self.assertEqual(self._shown(daemon, version), expected)
                self.assertEqual(asyncio.run(self._shown_later(daemon, version)), expected)
                daemon.stop()

    def _shown(self, daemon: Daemon, version: str | None) -> tuple[str | None, str]:
        """Why the account may not be shown, and why its own page loads or does not."""
        with Guard(path=daemon.guard_socket, version=version) as guard:
            self.assertTrue(guard.start())
            identity = guard.set_identity("process", account=WORK)
            guard.register_viewer("v", viewer_class="documents")
            return identity.reason, guard.navigate(viewer="v", url=URL, frame="main").reason

    async def _shown_later(self, daemon: Daemon, version: str | None) -> tuple[str | None, str]:
        async with AsyncGuard(path=daemon.guard_socket, version=version) as guard:
            identity = await guard.set_identity("process", account=WORK)
            await guard.register_viewer("v", viewer_class="documents")
            return identity.reason, (await guard.navigate(viewer="v", url=URL, frame="main")).reason
