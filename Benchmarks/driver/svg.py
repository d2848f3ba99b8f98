"""Drawing with logarithmic axes, as plain SVG."""

import math
from dataclasses import dataclass
from html import escape

INK, FAINT, GRID = "#1f2328", "#59636e", "#d8dee4"
FONT = "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\""


def text(x: float, y: float, words: str, size: int = 13, anchor: str = "start", color: str = INK, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}"{weight}>'
        f"{escape(words)}</text>")


def line(x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1, dash: str = "") -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
        f'stroke-width="{width}"{dashes}/>')


def rectangle(x: float, y: float, width: float, height: float, color: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="{color}"/>'


def curve(points: list[tuple[float, float]], color: str, width: float = 2, dash: str = "", dots: bool = True) -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    drawn = f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"{dashes}/>'
    if dots:
        drawn += "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points)
    return drawn


@dataclass
class LogScale:
    """Maps values from `low` to `high`, by their logarithms, to places from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        value = min(self.high, max(self.low, value))
        part = (math.log10(value) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        return self.start + part * (self.end - self.start)

    @property
    def decades(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [10.0**exponent for exponent in range(first, last + 1)]


def spread_labels(places: list[float], gap: float) -> list[float]:
    """The places, pushed apart where they are closer than `gap`; in the order given."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = [places[index] for index in order]
    for _ in range(200):
        for index in range(1, len(moved)):
            overlap = gap - (moved[index] - moved[index - 1])
            if overlap > 0:
                moved[index - 1] -= overlap / 2
                moved[index] += overlap / 2
    result = [0.0] * len(places)
    for index, place in zip(order, moved):
        result[index] = place
    return result


def document(width: int, height: int, title: str, parts: list[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" {FONT}>\n<title>{escape(title)}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n')


def short(value: float) -> str:
    """A number as a label of an axis: `10`, `1k`, `1.5M`."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def duration(nanoseconds: float) -> str:
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"
