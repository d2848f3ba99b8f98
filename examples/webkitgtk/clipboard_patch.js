// Runs in the page's own world. `navigator.clipboard` fires no event, so the browser turns it off, and this takes its
// place: what it writes goes through a `copy` event like any other copy, and is asked about there. A page that undoes
// this is left with no clipboard at all.
(() => {
  if (navigator.clipboard) return;
  const refuse = () => Promise.reject(new DOMException("not allowed", "NotAllowedError"));
  const write = async data => {
    let filled = false;
    const stop = event => event.preventDefault();
    const fill = event => {
      for (const [type, text] of data) event.clipboardData.setData(type, text);
      filled = true;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("beforecopy", stop, true);
    window.addEventListener("copy", fill, true);
    document.execCommand("copy");
    window.removeEventListener("beforecopy", stop, true);
    window.removeEventListener("copy", fill, true);
    if (!filled) await refuse();
  };
  const textOf = async item => {
    const types = item.types.filter(type => ["text/plain", "text/html"].includes(type));
    return Promise.all(types.map(async type => [type, await (await item.getType(type)).text()]));
  };
  const clipboard = {
    writeText: text => write([["text/plain", String(text)]]),
    write: async items => write((await Promise.all(Array.from(items, textOf))).flat()),
    readText: refuse,
    read: refuse,
  };
  Object.defineProperty(Navigator.prototype, "clipboard", { get: () => clipboard, configurable: true });
  window.ClipboardItem ??= class ClipboardItem {
    #items;
    constructor(items) { this.#items = { ...items }; }
    get types() { return Object.keys(this.#items); }
    async getType(type) { return new Blob([await this.#items[type]], { type }); }
  };
})();
