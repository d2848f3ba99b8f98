"""The site's pages. Every page has its path as title, and says when it is painted: before that engines drop clicks."""

import base64
import re
from html import escape
from urllib.parse import parse_qs, quote

from rig.hosts import Host
from rig.ways import BY_ID, SCHEMES, TOOLS, Trip

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")

HEAD = """<!doctype html><title>{title}</title><link rel=icon href='data:,'>
<style>body {{ font: 16px sans-serif }} a {{ display: inline-block }}</style>
<script>
  const painted = () => document.documentElement.dataset.painted = "yes";
  requestAnimationFrame(() => requestAnimationFrame(painted));
</script>
"""

TOOLS_SCRIPT = f"<script>{TOOLS}</script>"

INDEX = """
<a id=internal href=/internal>internal</a>
<a id=external href=//{external}/external>external</a>
<a id=blocked href=//{blocked}/blocked>blocked</a>
<a id=chain href='/chain?to={chain}'>302 to 302 to external</a>
<a id=blank-internal target=_blank href=/blank-internal>internal, new window</a>
<a id=blank-external target=_blank href=//{external}/blank-external>external, new window</a>
<a id=sign-in href=/sign-in>sign in</a>
<a id=download-internal href=/file/plan.bin>a file of ours</a>
<a id=mailto href='{mailto}'>write</a> <a id=written href='{written}'>send</a> <a id=custom href='{custom}'>another program</a>
<p><textarea id=text rows=3 cols=40>for contoso only</textarea>
<form method=post enctype=multipart/form-data action=/uploaded><input id=file type=file name=file><button id=send>send
</form>
"""

# Each button's result stands in `data-result` of the document, so that a test can wait for it.
CLIPBOARD = """
<textarea id=text rows=3 cols=40>for contoso only</textarea> <input id=other>
<p id=paragraph>for contoso only, in a paragraph</p>
<div id=rich contenteditable>for <b>contoso</b> only</div>
<p id=source draggable=true>drag me</p> <textarea id=target rows=2 cols=40></textarea>
<iframe id=inner srcdoc="<textarea id=text>for contoso only, in a frame</textarea>"></iframe>
<button id=exec-copy>execCommand copy</button> <button id=exec-cut>execCommand cut</button>
<button id=own-copy>a copy that the page fills</button>
<button id=async-write>clipboard.writeText</button> <button id=async-write-html>clipboard.write</button>
<button id=async-read>clipboard.readText</button>
<script>
  const result = value => document.documentElement.dataset.result = String(value);
  const when = (id, act) => document.getElementById(id).onclick = async () => {
    delete document.documentElement.dataset.result;
    try { result(await act()); } catch (problem) { result("refused: " + problem.name); }
  };
  const field = document.getElementById("text");
  const html = () => new ClipboardItem({
    "text/plain": new Blob(["for contoso only"], { type: "text/plain" }),
    "text/html": new Blob(["for <b>contoso</b> only"], { type: "text/html" }) });
  const own = event => { event.clipboardData.setData("text/plain", "for contoso only"); event.preventDefault(); };
  when("exec-copy", () => { field.select(); return document.execCommand("copy"); });
  when("exec-cut", () => { field.select(); return document.execCommand("cut"); });
  when("own-copy", () => {
    document.addEventListener("copy", own, { once: true });
    field.select();
    return document.execCommand("copy");
  });
  when("async-write", () => navigator.clipboard.writeText("for contoso only").then(() => "written"));
  when("async-write-html", () => navigator.clipboard.write([html()]).then(() => "written"));
  when("async-read", () => navigator.clipboard.readText().then(text => "read: " + text));
  document.getElementById("source").ondragstart = e => e.dataTransfer.setData("text/plain", "for contoso only");
</script>
"""

# What a page does to lose the listeners of others: each leaves a page with the same fields. `document.open` takes away
# every listener of the document and its window, those of other worlds as well, and a page may be the first to listen anew.
FIELDS = "<textarea id=text>for contoso only</textarea> <input id=other>"
HOLDS = """["copy", "cut", "paste"].forEach(type =>
  window.addEventListener(type, event => event.stopImmediatePropagation(), true));"""
# Engines without observables hold nothing so.
OBSERVES = """["copy", "cut", "paste"].forEach(type =>
  window.when?.(type, { capture: true }).subscribe(event => event.stopImmediatePropagation()));"""
REWRITTEN = {
    "written": f"document.open(); document.write(`{FIELDS}`); document.close()",
    "without an open": f"document.write(`{FIELDS}`); document.close()",
    "with a listener of its own": f"""document.open();
      document.write(`{FIELDS}<script>{HOLDS}<` + `/script>`); document.close()""",
    "a listener at once": f"document.open(); {HOLDS} document.write(`{FIELDS}`); document.close()",
    "by the hand of a frame": f"""const frame = document.body.appendChild(document.createElement("iframe")).contentWindow;
      frame.Document.prototype.open.call(document); {HOLDS} document.write(`{FIELDS}`); document.close()""",
    "an element that goes": f"""customElements.define("x-leaves", class extends HTMLElement {{
        disconnectedCallback() {{ {HOLDS} }} }});
      document.body.append(document.createElement("x-leaves"));
      document.open(); document.write(`{FIELDS}`); document.close()""",
    "an observer in an element that goes": f"""customElements.define("x-leaves", class extends HTMLElement {{
        disconnectedCallback() {{ {OBSERVES} }} }});
      document.body.append(document.createElement("x-leaves"));
      document.open(); document.write(`{FIELDS}`); document.close()""",
    "a frame that goes": f"""const frame = document.body.appendChild(document.createElement("iframe")).contentWindow;
      frame.addEventListener("pagehide", () => {{ {HOLDS} }});
      document.open(); document.write(`{FIELDS}`); document.close()""",
    "left open": f"document.open(); document.write(`{FIELDS}`)",
    "put together": f"""document.open();
      document.appendChild(document.createElement("html")).innerHTML = `<body>{FIELDS}</body>`""",
    "other children": f"""document.documentElement.replaceWith(document.createElement("html"));
      document.documentElement.innerHTML = `<body>{FIELDS}</body>`; {HOLDS}""",
    "an address of a script": f"""const text = `{FIELDS}<script>{HOLDS}</` + "script>";
      location = "javascript:" + encodeURIComponent(JSON.stringify(text))""",
}

# The same by functions of a frame, which may be gone by then, and by a script that runs without any stack left.
NEW_FRAME = """const frame = document.body.appendChild(document.createElement("iframe")).contentWindow;"""
ANEW = f"document.open(); document.write(`{FIELDS}`); document.close();"
LEAVES = """customElements.define("x-leaves", class extends HTMLElement {{ disconnectedCallback() {{ {} }} }});
  document.body.append(document.createElement("x-leaves"));"""
PUT_TOGETHER = f"""document.documentElement || document.appendChild(document.createElement("html"));
  document.documentElement.innerHTML = `<body>{FIELDS}</body>`;"""
AT_ONCE = f"""{PUT_TOGETHER} document.getElementById("text").focus();
  document.getElementById("text").select(); document.execCommand("copy");"""
FRAMES_HAND = HOLDS.replace("window.addEventListener(", "add.call(window, ")
REWRITTEN |= {
    "a frame that is unloaded": f"{NEW_FRAME} frame.addEventListener('unload', () => {{ {HOLDS} }}); {ANEW}",
    "a node that is removed": f"""document.addEventListener("DOMNodeRemoved", () => {{ {HOLDS} }}, true);
      document.body.addEventListener("DOMNodeRemovedFromDocument", () => {{ {HOLDS} }}); {ANEW}""",
    "an element that goes, and the hand of a frame": f"""{NEW_FRAME} const add = frame.addEventListener;
      {LEAVES.format(FRAMES_HAND)} {ANEW}""",
    "a frame that went": f"""{NEW_FRAME} const add = frame.addEventListener, open = frame.Document.prototype.open;
      frame.frameElement.remove(); open.call(document); {FRAMES_HAND} {PUT_TOGETHER}""",
    "the hand of a frame that stays": f"""{NEW_FRAME} const add = frame.addEventListener;
      frame.Document.prototype.open.call(document); {FRAMES_HAND} {PUT_TOGETHER}""",
    "no stack": f"""const deep = () => {{
        try {{ deep(); }} catch (problem) {{ try {{ document.open(); }} catch {{}} {HOLDS} throw problem; }} }};
      try {{ deep(); }} catch {{}} {PUT_TOGETHER}""",
    "functions of its own": f"""window.String = () => {{ throw new Error("none"); }};
      try {{ addEventListener("scroll", () => 1); }} catch {{ }} {LEAVES.format(HOLDS)} {ANEW}""",
    "a copy while an element goes": f"""{PUT_TOGETHER} {LEAVES.format(AT_ONCE)}
      window.addEventListener("keydown", event => {{
        if (!event.ctrlKey || event.key !== "c" || !document.querySelector("x-leaves")) return;
        event.preventDefault();
        document.open();
      }});""",
    "written by the hand of a frame": f"""{NEW_FRAME}
      frame.Document.prototype.write.call(document, `{FIELDS}<script>{HOLDS}<` + `/script>`); document.close()""",
}

# Frames that a page writes: one that was there, and one that shows nothing of its own yet. Their text is marked.
FRAME = f"""const inside = frame.contentWindow;
  inside.document.open(); ((window) => {{ {HOLDS} }})(inside); inside.document.write(`{FIELDS}`); inside.document.close();
  inside.focus(); inside.document.getElementById("text").focus(); inside.document.getElementById("text").select();"""
WRITTEN_FRAMES = {
    "there": f"const frame = document.getElementById('inner'); {FRAME}",
    "new": f"const frame = document.body.appendChild(document.createElement('iframe')); {FRAME}",
    "there, and an element that goes": f"""const frame = document.getElementById("inner"), own = frame.contentWindow;
      const holds = (window) => {{ {HOLDS} }};
      own.customElements.define("x-leaves", class extends own.HTMLElement {{ disconnectedCallback() {{ holds(own); }} }});
      (own.document.documentElement ?? own.document).append(own.document.createElement("x-leaves"));
      own.document.open(); own.document.write(`{FIELDS}`); own.document.close();
      own.focus(); own.document.getElementById("text").focus(); own.document.getElementById("text").select();""",
}

# Whatever is typed or pasted comes to the site's access log.
TYPING = """<textarea id=text style="position: fixed; inset: 0; width: 100%; height: 100%"></textarea><script>
  const text = document.getElementById("text");
  text.focus();
  addEventListener("keydown", event => { if (event.key == "F2") fetch("/seen/" + encodeURIComponent(text.value)); });
</script>
"""

LOGIN = """<h1>Sign in</h1>
<form method=post action='/answer'><input name=password type=password value=secret><button id=go>sign in</button></form>
"""


def page(path: str, body: str = "") -> str:
    return HEAD.format(title=escape(path)) + (body or f"<h1>{escape(path)}</h1>")


def index(path: str, port: int) -> str:
    """The first page, with a bit of everything."""
    external = Host.EXTERNAL.url(port, "/chain/end")
    values = {"external": f"{Host.EXTERNAL}:{port}", "blocked": f"{Host.BLOCKED}:{port}", "chain": quote(external, "")}
    return page(path, INDEX.format(**values, **SCHEMES))


def trip_of(path: str) -> Trip | None:
    """The trip that a path below /way/, /to/ or /witness/ speaks of."""
    found = re.fullmatch(r"/(?:way|to|witness)/([a-z0-9-]+)/([a-z]+)/([0-9]+)", path)
    if found is None or found[1] not in BY_ID or found[2].upper() not in Host.__members__:
        return None
    return Trip(BY_ID[found[1]], Host[found[2].upper()], int(found[3]))


def way(trip: Trip, port: int) -> tuple[str, dict[str, str]]:
    """The page that goes a way, and its headers."""
    goal, witness = trip.host.url(port, trip.goal), Host.INTERNAL.url(port, trip.witness)
    html = _filled(trip.way.html, goal, witness, 1)
    act = f"act('{goal}');"
    if trip.way.has_witness:
        act += f" act('{witness}');"
        if "{witness}" not in trip.way.html and "{witness}" not in "".join(trip.way.headers.values()):
            html += _filled(trip.way.html, witness, witness, 2)
    if trip.way.act:
        html += f'<button id=go onclick="go()">go</button><script>function go() {{ {act} }}'
        html += f"\nasync function act(u) {{ {trip.way.act} }}</script>"
    headers = {name: _filled(value, goal, witness, 1) for name, value in trip.way.headers.items()}
    return page(trip.page, TOOLS_SCRIPT + html), headers


def pictures(title: str, count: int) -> str:
    """A page with so many pictures of its own host, none of which was there before."""
    sources = (f"/picture/{number}?{quote(title)}" for number in range(count))
    return page(title, "".join(f"<img src='{source}' alt=''>" for source in sources))


def frames(title: str, count: int) -> str:
    """A page with so many frames of its own host."""
    return page(title, "".join(f"<iframe src='/frame/{number}?{quote(title)}'></iframe>" for number in range(count)))


# The median home page on a desktop, by kind: the count of files and the bytes of all (Web Almanac 2024, "Page Weight": 71
# requests of 2.6 MB). The rest of its requests are data here.
MEDIAN = {"css": (8, 78_000), "js": (24, 613_000), "gif": (18, 1_054_000), "json": (20, 700_000)}


def median(title: str) -> str:
    """A page as heavy as the median one of the web, with 18 KB of text; scripts that fetch data come last."""

    def each(kind: str, tag: str) -> str:
        sources = (f"/weight/{number}.{kind}?{quote(title)}" for number in range(MEDIAN[kind][0]))
        return "".join(tag.format(source) for source in sources)

    fetched = "<script>" + each("json", "fetch('{}');") + "</script>"
    parts = (each("css", "<link rel=stylesheet href='{}'>"), "<p>weight</p>" * 1_400, each("gif", "<img src='{}' alt=''>"))
    return page(title, "".join(parts) + each("js", "<script src='{}'></script>") + fetched)


def weight(kind: str) -> bytes:
    """One file of the median page."""
    count, size = MEDIAN[kind]
    line = {"css": b"p.weight { margin: 1px }\n", "js": b"(() => { let n = 1; return n + 1 })();\n", "json": b"1,\n"}.get(kind, b"\0")
    filled = line * (size // count // len(line))
    return {"gif": PIXEL + filled, "json": b"[" + filled + b"0]"}.get(kind, filled)


def refresh(query: str) -> str:
    """A page that leads on by itself."""
    to = parse_qs(query)["to"][0]
    return f"<!doctype html><meta http-equiv=refresh content='0;url={escape(to)}'>"


def _filled(template: str, goal: str, witness: str, number: int) -> str:
    values = {"url": goal, "quoted": quote(goal, ""), "witness": witness, "n": str(number)}
    return re.sub(r"\{(url|quoted|witness|n)\}", lambda found: values[found[1]], template)
