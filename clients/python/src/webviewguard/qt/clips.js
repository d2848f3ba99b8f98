// Runs in a world of its own, before the scripts of the page and in every frame. It asks before a clip leaves or enters
// the page, by a dialog that waits for the answer: no answer, or one that is not understood, is `block`. The texts that
// it names go no further than this program, which compares them with what it finds on the clipboard.
(() => {
  "use strict";
  const prompt = window.prompt.bind(window), { parse, stringify } = JSON;
  const ask = (type, about) => {
    try {
      return parse(prompt("SECRET", stringify({ type, ...about }))) || { outcome: "block" };
    } catch {
      return { outcome: "block" };
    }
  };
  const stop = event => { event.preventDefault(); event.stopImmediatePropagation(); };
  // Without a selection the page itself says what is copied, later: how long that is nobody knows yet.
  const scalars = text => Array.from(text).length || null;
  // What a page makes up itself moves nothing, and is no reason to ask, or to believe that something was copied.
  const listeners = [];
  const listen = (type, act) => {
    listeners.push([type, event => { if (event.isTrusted) act(event); }]);
    window.addEventListener(...listeners[listeners.length - 1], true);
  };
  // A page that writes itself anew (`document.open`) takes all listeners away, also those of this world, and no event
  // says so. But then the document has other children. Adding a listener that is still there changes nothing.
  const listenAgain = () => {
    for (const [type, act] of listeners) window.addEventListener(type, act, true);
  };
  new MutationObserver(listenAgain).observe(document, { childList: true });
  // By then the page's script has ended: `opened.js` rings before it goes on.
  const bell = document.createElement("i");
  bell.addEventListener("click", listenAgain);
  const offer = () => window.dispatchEvent(new MouseEvent("webviewguard", { relatedTarget: bell }));
  window.addEventListener("webviewguard-opened", offer, { once: true, capture: true });
  offer();

  const selected = () => {
    const field = document.activeElement;
    const inside = field && "selectionStart" in field && field.selectionStart !== null;
    const text = inside ? field.value.slice(field.selectionStart, field.selectionEnd) : String(getSelection());
    const isMarked = inside ? text !== "" : !getSelection().isCollapsed;
    const formats = inside ? ["text/plain"] : ["text/plain", "text/html"];
    return { text, isMarked, length: scalars(text), formats };
  };
  for (const type of ["copy", "cut"]) {
    listen(type, event => {
      if (ask(type, selected()).outcome !== "allow") stop(event);
      else tellWhatThePageDoes(event);
    });
  }

  // Behind the page's own scripts, since it is added last: they may have put something else there, or called it off.
  const tellWhatThePageDoes = event => {
    let isTold = !event.cancelable;
    const tell = (text, isMarked) => {
      if (!isTold && event.defaultPrevented) ask("filled", { text, isMarked });
      isTold = true;
    };
    const after = event => tell(event.clipboardData.getData("text/plain"), event.clipboardData.types.length > 0);
    window.addEventListener(event.type, after);
    setTimeout(() => {
      window.removeEventListener(event.type, after);
      tell("", false); // Nobody knows what of: the page let no later script hear of it.
    });
  };

  // A clip that other programs read only as a notice is put in here, and so is one that must lose its markup.
  const insert = (target, { text, html }) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    if (html) clipboardData.setData("text/html", html);
    const init = { clipboardData, bubbles: true, cancelable: true, composed: true };
    if (!target.dispatchEvent(new ClipboardEvent("paste", init))) return; // The page took it itself.
    // Not its markup: what the engine itself pastes loses its scripts first, and insertHTML would run them.
    document.execCommand("insertText", false, text);
  };

  // A middle click pastes what is marked, in whatever program that is. Nothing else does.
  let middle = -Infinity;
  listen("mousedown", event => { middle = event.button === 1 ? event.timeStamp : -Infinity; });
  listen("keydown", () => { middle = -Infinity; });
  listen("paste", event => {
    const answer = ask("paste", { selection: event.timeStamp - middle < 1000 ? "primary" : "clipboard" });
    if (answer.outcome === "allow") return;
    stop(event);
    if (answer.outcome === "insert") insert(event.target, answer);
  });

  const dragged = ({ dataTransfer }) => (
    { length: scalars(dataTransfer.getData("text/plain")), formats: Array.from(dataTransfer.types) });
  listen("dragstart", event => {
    const about = event.dataTransfer.getData("text/plain") ? dragged(event) : selected();
    if (ask("drag", about).outcome !== "allow") return stop(event);
    // A page that calls it off makes no `dragend`.
    setTimeout(() => { if (event.defaultPrevented) ask("dragend", {}); });
  });
  listen("drop", event => {
    const answer = ask("drop", {}); // The view knows what is dropped.
    if (answer.outcome === "allow") return;
    stop(event);
    if (answer.outcome === "insert") {
      event.target.focus();
      insert(event.target, { text: event.dataTransfer.getData("text/plain") });
    }
  });
  listen("dragend", () => ask("dragend", {}));
})();
