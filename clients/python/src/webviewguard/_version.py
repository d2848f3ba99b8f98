"""The version of this library: the only place that states it."""

VERSION = "0.1.0"
