"""Which of Qt's two bindings for Python the tests run with: PyQt6 of Debian, or PySide6 of PyPI.

The tests and the examples are written for PyQt6. The Python that is made here for PySide6 finds PySide6 under that name
too. The pack itself finds PySide6 under its own.
"""

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[2] / ".build/pyside6"
# Not 6.12.0: with Python before 3.12 each of its calls that returns nothing takes away a reference to None, and after
# some thousands of them Python ends the process.
PACKAGES = ("PySide6-Essentials==6.11.3", "PySide6-Addons==6.11.3")
BINDINGS = ("pyqt6", "pyside6")


def python(binding: str) -> str:
    """The Python that has a binding; that of PySide6 is made when it is not there. Raises RuntimeError without one."""
    if binding not in BINDINGS:
        raise RuntimeError(f"`{binding}` is neither of {', '.join(BINDINGS)}")
    if binding == "pyqt6":
        return sys.executable
    found = BUILD / "bin/python"
    if not found.exists():
        _make()
    return str(found)


def _make() -> None:
    """A Python with PySide6 and the system's own packages: the client seals with one of them."""
    venv.create(BUILD, system_site_packages=True, with_pip=True)
    install = [str(BUILD / "bin/python"), "-m", "pip", "install", "--quiet", *PACKAGES]
    if subprocess.run(install, check=False).returncode:
        shutil.rmtree(BUILD)
        raise RuntimeError("PySide6 cannot be installed from PyPI")
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(BUILD)}))
    (packages / "pyqt6_name.pth").write_text(f"{HERE / 'pyside6'}\n")
