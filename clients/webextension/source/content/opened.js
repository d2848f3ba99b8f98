// Runs in the page's own world, before its scripts: a page that opens its document anew has ours listen again before
// its own scripts can. All that a page could do with the bell is to ring it, and that only has us listen once more.

{
  const { Event: Ring } = window;
  const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
  // The function of one frame may open the document of another: the bell is found at that document.
  const BELL = Symbol.for("webviewguard-bell");
  // Whichever of the two scripts runs first.
  const take = (event) => {
    const tell = event.relatedTarget.dispatchEvent.bind(event.relatedTarget);
    defineProperty(document, BELL, { value: () => tell(new Ring("click")) });
    event.stopImmediatePropagation();
  };
  window.addEventListener("webviewguard", take, { once: true, capture: true });
  window.dispatchEvent(new Ring("webviewguard-opened"));

  const { open } = Document.prototype;
  const openAnew = (document, given) => {
    const result = apply(open, document, given);
    document[BELL]?.();
    return result;
  };
  // A script that is written runs within `write`: so the document is opened before.
  const opensAnew = ({ currentScript, readyState }) => readyState === "complete"
    && (!currentScript || (!currentScript.src && currentScript.type !== "module"));
  const replace = (name, act) => {
    const found = getOwnPropertyDescriptor(Document.prototype, name);
    const method = { [name](...given) { return act(this, found.value, given); } }[name];
    defineProperty(Document.prototype, name, { ...found, value: method });
  };
  const written = (document, write, given) => {
    if (opensAnew(document)) openAnew(document, []);
    const result = apply(write, document, given);
    document[BELL]?.();
    return result;
  };
  replace("open", (document, _, given) => openAnew(document, given));
  replace("write", written);
  replace("writeln", written);
  // It may copy in a script that runs while the document opens.
  replace("execCommand", (document, act, given) => {
    document[BELL]?.();
    return apply(act, document, given);
  });

  // Some scripts of a page run while its document opens, as those of an element that goes. No listener of theirs comes first.
  const { addEventListener: listen } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = { addEventListener(type, listener) {
    const target = this ?? window;
    // Only a window is heard as early as we hear, and no name of an element hides what it says of itself.
    if (target.window === target) target.document?.[BELL]?.();
    return apply(listen, this, arguments);
  } }.addEventListener;
  // Since Chromium 135 an observable listens, too, and calls no function of the page for that.
  delete EventTarget.prototype.when;
}
