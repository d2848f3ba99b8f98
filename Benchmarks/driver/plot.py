"""The picture of a run, docs/benchmarks.svg: speed beside the peers, and what more rules cost."""

from pathlib import Path

from . import svg
from .report import Results, Row, figure

WIDTH = 980
OURS, SLOW, MET = "#0969da", "#cf222e", "#1a7f37"
COLORS = ["#0969da", "#8250df", "#1a7f37", "#bc4c00", "#bf3989", "#1b7c83"]


def write(results: Results, path: Path) -> None:
    below = 40 + 40 + 27 * len(beside_peers(results)) + 80
    parts = peers(results, top=40) + domains(results, top=below) + regexes(results, top=below + 330)
    path.write_text(svg.document(WIDTH, below + 710, "webviewguard beside its peers", parts), encoding="utf-8")


def beside_peers(results: Results) -> list[Row]:
    """The rows that compare us with somebody else."""
    rows = [row for row in results.rows if row.ratio and row.against and not row.against.startswith("ours")]
    return [row for row in rows if not row.what.endswith("regexes")]


def peers(results: Results, top: float) -> list[str]:
    """A bar for each peer: how many times as fast we are; a mark where the budget wants us."""
    rows = beside_peers(results)
    left, right = 330, WIDTH - 90
    speeds = [(row, row.ratio if row.faster else 1 / row.ratio) for row in rows]
    scale = svg.LogScale(0.5, 10 ** len(str(int(max(speed for _, speed in speeds)))), left, right)
    parts = [svg.text(24, top, "Speed, as a multiple of the peer's in the same run", 17, bold=True)]
    parts.append(svg.text(24, top + 20, "| where the budget wants it · log scale", 12, color=svg.FAINT))
    bottom = top + 40 + 27 * len(rows)
    for decade in scale.decades:
        parts.append(svg.line(scale(decade), top + 34, scale(decade), bottom, svg.FAINT if decade == 1 else svg.GRID))
        parts.append(svg.text(scale(decade), bottom + 16, f"{svg.short(decade)}x", 12, "middle", svg.FAINT))
    for index, (row, speed) in enumerate(speeds):
        parts += bar(row, speed, scale, left, top + 40 + 27 * index)
    return parts


def bar(row, speed: float, scale: svg.LogScale, left: float, y: float) -> list[str]:
    color = OURS if row.met is not False else SLOW
    start, end = sorted((scale(1), scale(speed)))
    parts = [
        svg.text(left - 12, y + 15, row.what, 13, "end"),
        svg.rectangle(start, y + 4, max(2, end - start), 14, color),
        svg.text(max(end, scale(1)) + 8, y + 15, f"{figure(speed)}x {row.against}", 12, color=svg.FAINT),
    ]
    if row.target:
        wanted = scale(row.target if row.faster else 1 / row.target)
        parts.append(svg.line(wanted, y, wanted, y + 22, svg.INK, 2))
    return parts


def axes(
    title: str, note: str, top: float, x: svg.LogScale, y: svg.LogScale, sizes: list[int], unit: str
) -> list[str]:
    parts = [svg.text(24, top, title, 17, bold=True), svg.text(24, top + 20, note, 12, color=svg.FAINT)]
    for decade in y.decades:
        parts.append(svg.line(x.start, y(decade), x.end, y(decade), svg.GRID))
        parts.append(svg.text(x.start - 10, y(decade) + 4, svg.duration(decade), 12, "end", svg.FAINT))
    for size in sizes:
        parts.append(svg.text(x(size), y.start + 18, svg.short(size), 12, "middle", svg.FAINT))
    parts.append(svg.text((x.start + x.end) / 2, y.start + 36, unit, 12, "middle", svg.FAINT))
    return parts


def labels(ends: list[tuple[float, str, str]], x: float) -> list[str]:
    places = svg.spread_labels([place for place, _, _ in ends], 15)
    return [svg.text(x + 10, place + 4, name, 12, color=color) for place, (_, name, color) in zip(places, ends)]


def domains(results: Results, top: float) -> list[str]:
    """Time of one verdict by the number of domains."""
    measured = results.curves.get("domains", {})
    if not measured:
        return []
    sizes = sorted(measured)
    x = svg.LogScale(sizes[0], sizes[-1], 90, WIDTH - 220)
    y = svg.LogScale(100, 100_000, top + 250, top + 40)
    parts = axes(
        "A verdict, by the number of domains", "URL in, verdict out, parsing included · log scales", top, x, y, sizes,
        "domains in the list")
    ends = []
    for heat, dash in (("hot", ""), ("cold", "6 4")):
        for place, name in enumerate(("p50", "p99", "p99.9")):
            if heat == "cold" and name == "p99.9":
                continue
            color = COLORS[place] if heat == "hot" else svg.FAINT
            points = [(x(size), y(measured[size][heat][place])) for size in sizes]
            parts.append(svg.curve(points, color, dash=dash))
            ends.append((points[-1][1], f"{heat}, {name}: {svg.duration(measured[sizes[-1]][heat][place])}", color))
    return parts + labels(ends, x.end)


def regexes(results: Results, top: float) -> list[str]:
    """Time of one verdict by the number of regexes, for each family, and of a plain loop."""
    families = results.curves.get("regexes", {})
    if not families:
        return []
    sizes = sorted(next(iter(families.values())))
    x = svg.LogScale(sizes[0], sizes[-1], 90, WIDTH - 220)
    y = svg.LogScale(100, 10_000_000, top + 300, top + 40)
    parts = axes(
        "A verdict, by the number of regexes of one family", "solid: ours · grey: a loop over PCRE2's machine code · "
        "log scales", top, x, y, sizes, "regexes")
    ends = []
    for color, (family, measured) in zip(COLORS, families.items()):
        loop = [(x(size), y(measured[size]["loop"])) for size in sizes]
        parts.append(svg.curve(loop, "#afb8c1", 1.5, dots=False))
        points = [(x(size), y(measured[size]["ours"])) for size in sizes]
        parts.append(svg.curve(points, color))
        ends.append((points[-1][1], family, color))
    middle = sum(y(measured[sizes[-1]]["loop"]) for measured in families.values()) / len(families)
    return parts + labels(ends + [(middle, "a loop, each family", svg.FAINT)], x.end)
