// Runs in the page's own world: `navigator.clipboard` reads and writes nothing, as if the user had refused it.

{
  const refuse = () => Promise.reject(new DOMException("webviewguard keeps the clipboard", "NotAllowedError"));
  for (const name of ["read", "readText", "write", "writeText"]) {
    const found = globalThis.Clipboard && Object.getOwnPropertyDescriptor(Clipboard.prototype, name);
    if (!found) continue;
    const method = { [name]() { return refuse(); } }[name];
    Object.defineProperty(Clipboard.prototype, name, { ...found, value: method, writable: false, configurable: false });
  }
}
