"use strict";

// Runs in a world of its own, before the scripts of the page. It asks the main process before a clip leaves or enters
// the page, and waits for the answer: no answer, or one that is not understood, is `block`. What it tells of content
// stays in this app.
(() => {
  const { ipcRenderer, webFrame, webUtils } = require("electron");
  const ask = (type, about) => {
    try {
      return ipcRenderer.sendSync("webviewguard", { type, from: location.href, ...about }) || { outcome: "block" };
    } catch (problem) {
      return { outcome: "block" };
    }
  };
  const stop = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const scalars = (text) => Array.from(text).length || null;
  const listeners = [];
  // What a page makes up itself moves nothing, and is no reason to ask.
  const listen = (type, act) => listeners.push([type, (event) => event.isTrusted && act(event)]);

  const selected = () => {
    const field = document.activeElement;
    const inside = field && "selectionStart" in field && field.selectionStart !== null;
    const marked = getSelection();
    const text = inside ? field.value.slice(field.selectionStart, field.selectionEnd) : String(marked);
    return { text, html: inside ? "" : markup(marked), formats: inside ? ["text/plain"] : ["text/plain", "text/html"] };
  };
  const markup = (marked) => {
    if (marked.rangeCount === 0) return "";
    const holder = document.createElement("div");
    holder.appendChild(marked.getRangeAt(0).cloneContents());
    return holder.innerHTML;
  };

  const told = (data) => ({ text: data.getData("text/plain"), html: data.getData("text/html") });

  // What went out is known behind the page's own scripts: this is added last.
  const tellLast = (event, selection, data, before) => {
    let isOver = false;
    const after = () => {
      isOver = true;
      ask("filled", { selection, ...(event.defaultPrevented && selection !== "drag" ? told(data) : before) });
    };
    window.addEventListener(event.type, after);
    setTimeout(() => {
      window.removeEventListener(event.type, after);
      // The page let no later script hear of it.
      if (!isOver) ask("filled", { selection, ...before });
    });
  };

  // What others may not read never lies in the event that goes out: pages fill another.
  const replace = (event, selection, data, before, { notice, onlyPlainText }) => {
    event.stopImmediatePropagation();
    const isDrag = selection === "drag";
    const own = new DataTransfer();
    const init = { bubbles: true, cancelable: true, composed: true, clipboardData: own, dataTransfer: own };
    for (const name of ["clientX", "clientY", "screenX", "screenY"]) init[name] = event[name];
    if (isDrag) own.setData("text/plain", before.text);
    const isFree = event.target.dispatchEvent(isDrag ? new DragEvent(event.type, init)
      : new ClipboardEvent(event.type, init));
    if (isDrag && !isFree) return stop(event);
    const { text, html } = isDrag || !isFree ? told(own) : before;
    ask("filled", { selection, text, html });
    if (!isDrag) event.preventDefault();
    data.clearData();
    data.setData("text/plain", notice === null ? text : notice);
    if (event.type === "cut" && isFree && before.text !== "") document.execCommand("delete");
  };

  const goesOut = (event, selection, data, before, answer) => {
    if (answer.outcome !== "allow") stop(event);
    else if (answer.notice === null && !answer.onlyPlainText) tellLast(event, selection, data, before);
    else replace(event, selection, data, before, answer);
  };

  for (const type of ["copy", "cut"]) {
    listen(type, (event) => {
      const before = selected();
      const about = { length: scalars(before.text), formats: before.formats, cut: type === "cut" };
      goesOut(event, "clipboard", event.clipboardData, before, ask("copy", about));
    });
  }

  // A clip that others read only as a notice, or that must lose its markup.
  const insert = (target, { text, html }) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    if (html) clipboardData.setData("text/html", html);
    const init = { clipboardData, bubbles: true, cancelable: true, composed: true };
    if (!target.dispatchEvent(new ClipboardEvent("paste", init))) return; // The page took it itself.
    // insertHTML would run scripts.
    document.execCommand("insertText", false, text);
  };

  // A middle click pastes what is marked, in whatever program that is. Nothing else does.
  let middle = -Infinity;
  listen("mousedown", (event) => { middle = event.button === 1 ? event.timeStamp : -Infinity; });
  listen("keydown", () => { middle = -Infinity; });
  listen("paste", (event) => {
    const answer = ask("paste", { selection: event.timeStamp - middle < 1000 ? "primary" : "clipboard" });
    if (answer.outcome === "allow") return;
    stop(event);
    if (answer.outcome === "insert") insert(event.target, answer);
  });

  const place = (file) => (webUtils ? webUtils.getPathForFile(file) : file.path) || "";
  const dragged = ({ dataTransfer: data }) => ({
    text: data.getData("text/plain"), length: scalars(data.getData("text/plain")), formats: Array.from(data.types),
    files: Array.from(data.files, place),
  });
  listen("dragstart", (event) => {
    const said = event.dataTransfer.getData("text/plain");
    const before = said === "" ? selected() : { text: said, html: "", formats: Array.from(event.dataTransfer.types) };
    const answer = ask("drag", { length: scalars(before.text), formats: before.formats });
    goesOut(event, "drag", event.dataTransfer, before, answer);
    // A page that calls it off makes no `dragend`.
    setTimeout(() => { if (event.defaultPrevented) ask("dragend", {}); });
  });
  listen("drop", (event) => {
    const answer = ask("drop", dragged(event));
    if (answer.outcome === "allow") return;
    stop(event);
    if (answer.outcome !== "insert") return;
    event.target.focus();
    insert(event.target, answer);
  });
  listen("dragend", () => ask("dragend", {}));

  if (location.protocol === "data:") for (const type of ["click", "keydown"]) listen(type, () => ask("pressed"));

  listen("input", (event) => chosen(event));
  listen("change", (event) => chosen(event));
  const chosen = (event) => {
    const field = event.target;
    if (!field || field.type !== "file" || field.files.length === 0) return;
    if (ask("files", { files: Array.from(field.files, place) }).outcome === "allow") return;
    field.value = "";
    stop(event);
  };

  // Marking text fills PRIMARY.
  let timer = null;
  listen("selectionchange", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const { text, formats } = selected();
      if (text !== "") ipcRenderer.send("webviewguard-marked", { text, formats, from: location.href });
    }, 50);
  });

  // `document.open` takes all listeners away.
  // Without isolation the page's own one would ring again.
  const hear = window.addEventListener.bind(window);
  const install = () => listeners.forEach(([type, act]) => hear(type, act, true));
  install();
  new MutationObserver(install).observe(document, { childList: true });
  const bell = document.createElement("i");
  bell.addEventListener("click", install);
  // A clip without an event: beside it there is no place for a notice.
  bell.addEventListener("copy", (event) => {
    const { outcome, notice, onlyPlainText } = ask("copy", { length: null, formats: ["image/png"] });
    if (outcome !== "allow" || notice !== null || onlyPlainText) event.preventDefault();
  });
  webFrame.executeJavaScript(`(${inPage})()`);
  window.dispatchEvent(new MouseEvent("webviewguard", { relatedTarget: bell }));

  // Runs in the page's own world, before its scripts.
  function inPage() {
    const { Event: Ring } = window;
    const BELL = Symbol.for("webviewguard-bell");
    let tell = () => false;
    const ring = (type) => tell(new Ring(type, { cancelable: true }));
    window.addEventListener("webviewguard", (event) => {
      tell = event.relatedTarget.dispatchEvent.bind(event.relatedTarget);
      event.stopImmediatePropagation();
      // One frame may open another's document.
      Object.defineProperty(document, BELL, { value: () => ring("click") });
    }, { once: true, capture: true });
    // A page's scripts run while it writes itself anew (an element that goes): no listener of theirs comes first.
    const { execCommand, open, write, writeln } = Document.prototype, { apply } = Reflect;
    const rings = (page) => page && page[BELL] && page[BELL]();
    const opensAnew = ({ currentScript, readyState }) => readyState === "complete"
      && (!currentScript || (!currentScript.src && currentScript.type !== "module"));
    const does = (original, which, values) => {
      const result = apply(original, which, values);
      rings(which);
      return result;
    };
    Document.prototype.open = function opened(...values) {
      return does(open, this, values);
    };
    Object.entries({ write, writeln }).forEach(([name, original]) => {
      Document.prototype[name] = function written(...values) {
        if (opensAnew(this)) does(open, this, []);
        return does(original, this, values);
      };
    });
    const { addEventListener } = EventTarget.prototype;
    EventTarget.prototype.addEventListener = { addEventListener(type, listener) {
      const target = this || window;
      if (target.window === target) rings(target.document);
      return apply(addEventListener, this, arguments);
    } }.addEventListener;
    Document.prototype.execCommand = function executed(...values) {
      rings(this);
      return apply(execCommand, this, values);
    };
    // `when` listens, too.
    delete EventTarget.prototype.when;
    // Before Electron asked about it, it wrote without an event. It is a copy like others.
    if (typeof Clipboard === "undefined") return;
    const refused = () => Promise.reject(new DOMException("Write permission denied.", "NotAllowedError"));
    const { write: put } = Clipboard.prototype;
    Clipboard.prototype.write = function written(...values) {
      return ring("copy") ? apply(put, this, values) : refused();
    };
    Clipboard.prototype.writeText = (text) => {
      const fill = (event) => {
        event.clipboardData.setData("text/plain", String(text));
        event.preventDefault();
        event.stopImmediatePropagation();
      };
      window.addEventListener("copy", fill, true);
      const isDone = document.execCommand("copy");
      window.removeEventListener("copy", fill, true);
      return isDone ? Promise.resolve() : refused();
    };
  }
})();
