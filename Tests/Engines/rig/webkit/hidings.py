"""Ways in which a page puts a frame into itself, in all engines of WebKit."""

# How a page puts a frame into itself; `frame` is one that leads to the URL of the case.
HIDINGS = {
    "in the page": "document.body.append(frame)",
    "in a shadow": "host.attachShadow({ mode: 'open' }).append(frame)",
    "in a shadow of a shadow": """
        const inside = host.attachShadow({ mode: 'open' }).appendChild(document.createElement('p'));
        inside.attachShadow({ mode: 'open' }).append(frame);""",
    "behind names of the page's own": """
        document.body.innerHTML = `<form name=querySelectorAll><input name=shadowRoot></form> <img name=body id=Document>
          <a id=Element></a> <a id=DocumentFragment></a>`;
        document.documentElement.append(frame);""",
    "behind prototypes of the page's own": """
        Document.prototype.querySelectorAll = Array.from = Array.prototype.every = () => [];
        Object.defineProperty(window, 'length', { value: 0 });
        document.body.append(frame);""",
}


def adding(path: str, hides: str, more: str = "") -> str:
    """A script that puts a frame with this URL into the page in one of the ways."""
    return f"""(() => {{
        const host = document.body.appendChild(document.createElement('div'));
        const frame = Object.assign(document.createElement('iframe'), {{ src: '{path}' }});
        {hides};
        {more}
    }})()"""
