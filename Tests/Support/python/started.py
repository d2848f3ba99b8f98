"""A program that a test starts, and that ends with the test.

    with Started(["sleep", "600"]) as program:
        assert program.poll() is None
    assert program.returncode == -9
"""

import subprocess
from typing import Any


class Started(subprocess.Popen):  # type: ignore[type-arg]
    """`with Popen(…)` waits for the program's own end, also after a failure: a test that failed between never ended when the
    program waited for the test, as xclip does for the owner of a selection. This one is ended with the `with`."""

    def __exit__(self, *failure: Any) -> None:
        self.kill()
        super().__exit__(*failure)
