"""One id for the several questions of one click."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import NamedTuple

TOGETHER_SECONDS = 1.0
POPUP_SECONDS = 10.0


class _Action(NamedTuple):
    id: str
    began: float


class Actions:
    """Groups navigations: the same viewer and URL within a second of the first, and a popup's first navigation with
    the question of its opener that made it."""

    def __init__(self) -> None:
        self._prefix = secrets.token_hex(4)
        self._count = 0
        # A plain dictionary looks at every key that was deleted before the first that is there.
        self._recent: OrderedDict[tuple[str, str], _Action] = OrderedDict()
        self._windows: OrderedDict[tuple[str, str], _Action] = OrderedDict()
        self._openers: dict[str, str] = {}

    def registered(self, viewer: str, opener: str | None) -> None:
        """A viewer is new; its first navigation may belong to a question of its opener."""
        if opener is not None:
            self._openers[viewer] = opener

    def forgotten(self, viewer: str) -> None:
        self._openers.pop(viewer, None)

    def id(self, viewer: str, url: str, is_new_window: bool, now: float) -> str:
        """The id for a navigation that the app gave none."""
        self._drop_old(now)
        key = (viewer, url)
        action = self._recent.get(key)
        if action is None:
            action = self._recent[key] = _Action(self._of_opener(viewer, url) or self._new_id(), now)
        if is_new_window:
            self._windows.pop(key, None)
            self._windows[key] = _Action(action.id, now)
        return action.id

    def _of_opener(self, viewer: str, url: str) -> str | None:
        opener = self._openers.pop(viewer, None)
        action = None if opener is None else self._windows.pop((opener, url), None)
        return None if action is None else action.id

    def _new_id(self) -> str:
        self._count += 1
        return f"{self._prefix}-{self._count}"

    def _drop_old(self, now: float) -> None:
        for actions, seconds in ((self._recent, TOGETHER_SECONDS), (self._windows, POPUP_SECONDS)):
            # The oldest stand first.
            while actions and now - next(iter(actions.values())).began >= seconds:
                del actions[next(iter(actions))]
