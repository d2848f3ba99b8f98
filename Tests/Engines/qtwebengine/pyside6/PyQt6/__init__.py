"""PySide6 under the names of PyQt6, for which the tests and the examples are written. See ../../binding.py."""

import importlib
import sys

for _name in ("QtCore", "QtGui", "QtWidgets", "QtTest", "QtWebEngineCore", "QtWebEngineWidgets"):
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = importlib.import_module(f"PySide6.{_name}")
