"""What every hook of the engine has in common: where it fails, the answer is no, and no page ends in the middle of it."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

Hook = TypeVar("Hook", bound=Callable[..., Any])


class Hooks:
    """Counts the hooks that are at work. A dialog in one runs the event loop, in which somebody may sign out. The engine
    still needs the page then, and ends the process where it is gone."""

    def __init__(self) -> None:
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1

    @property
    def at_work(self) -> bool:
        return self._depth > 0


def refusing(answer: Any = None) -> Callable[[Hook], Hook]:
    """Makes a method a hook of the engine: where it raises, or the app's own code that it calls, this is the answer.
    PyQt6 would end the process, and PySide6 would let the engine go on as if nobody had been asked. The object has an
    `embedder`, or is one.

        @refusing(False)
        def acceptNavigationRequest(self, url, kind, is_main_frame): ...
    """

    def make(hook: Hook) -> Hook:
        @functools.wraps(hook)
        def safely(self: Any, *arguments: Any) -> Any:
            try:
                with getattr(self, "embedder", self).hooks:
                    return hook(self, *arguments)
            except Exception:
                logging.getLogger(__name__).exception("%s: refused", hook.__name__)
                return answer(self, *arguments) if callable(answer) else answer

        return cast(Hook, safely)

    return make
