// Runs in every frame, before the page's own scripts, in a world of its own: the page sees neither this script nor its
// channel, and cannot replace `prompt` or any prototype that is used here.
(() => {
  "use strict";
  // `document.open` takes away every listener of the document and its window. The engine may run this script once more
  // then, in the same world; without, an observer of the document notices.
  const HEARS = Symbol.for("webviewguard");
  if (window[HEARS]) return window[HEARS]();
  const SECRET = "@SECRET@";
  const isMain = window === window.top;
  const tell = (what, more) => webkit.messageHandlers.guard.postMessage(JSON.stringify({ what, ...more }));
  // A prompt is the one question that a script can wait for. The app answers it later; its own loop goes on meanwhile.
  const ask = (what, more) => {
    const answer = window.prompt(SECRET, JSON.stringify({ what, ...more }));
    return answer === null ? { allowed: false } : JSON.parse(answer);
  };
  const stop = event => { event.preventDefault(); event.stopImmediatePropagation(); };
  const heard = [];
  const on = (type, act, target = window) => heard.push([target, type, event => { if (event.isTrusted) act(event); }]);
  const hear = () => { for (const [target, type, act] of heard) target.addEventListener(type, act, true); };
  const scalars = text => Array.from(text).length;

  // Which frame navigates: the engine's question does not say, and this comes before it. The event is there where a page has
  // had a frame before; without it the user's own links and forms of the main frame are told. Links of other schemes fire
  // none anyway.
  window.navigation?.addEventListener("navigate", event => {
    tell("navigate", { url: event.destination.url, main: isMain });
  });
  if (!isMain) {
    tell("frame");
    // Its page is gone back to.
    on("pageshow", () => tell("frame"));
  }
  const isDeaf = !("navigation" in window), tellsFrames = "@TELLS_FRAMES@" === "yes";
  const staysHere = target => ["", "_self"].includes(target);
  on("click", event => {
    const link = event.composedPath().find(node => node.localName === "a" && node.href);
    if (!link || !staysHere(link.target)) return;
    const isTold = /^https?:/.test(link.href) ? isMain && isDeaf : isMain || tellsFrames;
    if (isTold) tell("navigate", { url: link.href, main: isMain });
  });
  if (isMain && isDeaf) on("submit", event => {
    const form = event.target, button = event.submitter;
    const said = name => button?.getAttribute("form" + name) ?? form.getAttribute(name) ?? "";
    if (!staysHere(said("target"))) return;
    const url = new URL(said("action"), document.baseURI);
    const fields = new FormData(form);
    if (button?.name) fields.append(button.name, button.value);
    if (!/^post$/i.test(said("method"))) url.search = new URLSearchParams(fields);
    tell("navigate", { url: url.href, main: true });
  });

  // Whether there is no frame, so that only this page can navigate. What a page names itself hides no member of a prototype.
  const shadowOf = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot").get;
  const isAlone = (root, find) => !find.call(root, "iframe, frame, object, embed").length
    && Array.from(find.call(root, "*"), node => shadowOf.call(node)).every(inside => !inside || isAlone(inside, findInShadow));
  const findInShadow = DocumentFragment.prototype.querySelectorAll;
  window[Symbol.for("webviewguard-alone")] = () => window.length === 0 && isAlone(document, Document.prototype.querySelectorAll);

  // The clipboard.
  const selected = () => {
    const field = document.activeElement;
    return field && typeof field.selectionStart === "number"
      ? field.value.slice(field.selectionStart, field.selectionEnd) : String(getSelection());
  };
  for (const what of ["copy", "cut"]) on(what, event => {
    if (!ask(what, { length: scalars(selected()) }).allowed) return stop(event);
    setTimeout(() => tell("copied"));
  });
  // A middle click pastes the primary selection, but its event shows the clipboard: nothing tells the two apart.
  let middle = 0;
  on("mouseup", event => { if (event.button === 1) middle = event.timeStamp; });
  const insert = (event, answer) => {
    stop(event);
    if (answer.text) document.execCommand("insertText", false, answer.text);
  };
  on("paste", event => {
    const isMiddle = middle && event.timeStamp - middle < 1000;
    middle = 0;
    const answer = ask("paste", { selection: isMiddle ? "unknown" : "clipboard" });
    if (!answer.allowed || "text" in answer) insert(event, answer);
    setTimeout(() => tell("pasted"), 0);
  });
  on("selectionchange", () => tell("marked"), document);

  // Dragging.
  on("dragstart", event => {
    const text = selected();
    if (!ask("drag", { length: scalars(text), text }).allowed) return stop(event);
    // A page that calls it off makes no `dragend`.
    setTimeout(() => { if (event.defaultPrevented) tell("dragend"); });
  });
  on("drop", event => {
    const text = event.dataTransfer.getData("text/plain");
    const answer = ask("drop", { length: scalars(text), formats: [...event.dataTransfer.types] });
    if (!answer.allowed) stop(event);
    else if (answer.plain) { stop(event); document.execCommand("insertText", false, text); }
  });
  on("dragend", () => tell("dragend"));

  window[HEARS] = hear;
  new MutationObserver(hear).observe(document, { childList: true });
  // By then the page's script has ended: `opened.js` rings before it goes on.
  const bell = document.createElement("i");
  bell.addEventListener("click", hear);
  const offer = () => window.dispatchEvent(new MouseEvent("webviewguard", { relatedTarget: bell }));
  window.addEventListener("webviewguard-opened", offer, { once: true, capture: true });
  offer();
  hear();
})();
