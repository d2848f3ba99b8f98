// Runs in the page's own world. `navigator.clipboard` fires no event, so the browser turns it off, and this takes its
// place: what it writes goes through a `copy` event like any other copy, and is asked about there. It reads nothing. A
// page that undoes this is left with no clipboard at all.
(() => {
  if (navigator.clipboard) return;
  const refuse = () => Promise.reject(new DOMException("not allowed", "NotAllowedError"));
  // It must all happen within the user's click: the engine allows no copy later.
  const write = data => {
    let filled = false;
    const permit = event => event.preventDefault();
    const fill = event => {
      for (const [type, text] of data) event.clipboardData.setData(type, text);
      filled = true;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("beforecopy", permit, true);
    window.addEventListener("copy", fill, true);
    document.execCommand("copy");
    window.removeEventListener("beforecopy", permit, true);
    window.removeEventListener("copy", fill, true);
    return filled ? Promise.resolve() : refuse();
  };
  const textOf = value => {
    if (!(value instanceof Blob)) return String(value);
    const url = URL.createObjectURL(value);
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    request.send();
    URL.revokeObjectURL(url);
    return request.responseText;
  };
  window.ClipboardItem = class ClipboardItem {
    constructor(items) { this.items = { ...items }; }
    get types() { return Object.keys(this.items); }
    async getType(type) { return new Blob([await this.items[type]], { type }); }
  };
  const texts = item => ["text/plain", "text/html"].filter(type => type in item.items)
    .map(type => [type, textOf(item.items[type])]);
  const clipboard = {
    writeText: text => write([["text/plain", String(text)]]),
    write: items => write(Array.from(items).flatMap(texts)),
    readText: refuse,
    read: refuse,
  };
  Object.defineProperty(Navigator.prototype, "clipboard", { get: () => clipboard, configurable: true });
})();
