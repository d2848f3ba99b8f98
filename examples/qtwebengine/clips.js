// Runs in a world of its own, before the scripts of the page and in every frame. It asks before a clip leaves or enters
// the page, by a dialog that waits for the answer: no answer, or one that is not understood, is `block`.
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
  const listen = (type, act) => window.addEventListener(type, act, true);

  const selected = () => {
    const field = document.activeElement;
    const inside = field && "selectionStart" in field && field.selectionStart !== null;
    return inside
      ? { length: scalars(field.value.slice(field.selectionStart, field.selectionEnd)), formats: ["text/plain"] }
      : { length: scalars(String(getSelection())), formats: ["text/plain", "text/html"] };
  };
  for (const type of ["copy", "cut"]) {
    listen(type, event => { if (ask(type, selected()).outcome !== "allow") stop(event); });
  }

  // A clip that other programs read only as a notice is put in here, and so is one that must lose its markup.
  const insert = (target, { text, html }) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    if (html) clipboardData.setData("text/html", html);
    const init = { clipboardData, bubbles: true, cancelable: true, composed: true };
    if (!target.dispatchEvent(new ClipboardEvent("paste", init))) return; // The page took it itself.
    if (html && target.isContentEditable) document.execCommand("insertHTML", false, html);
    else document.execCommand("insertText", false, text);
  };

  // A middle click pastes what is marked, in whatever program that is. Nothing else does.
  let middle = -Infinity;
  listen("mousedown", event => { middle = event.button === 1 ? event.timeStamp : -Infinity; });
  listen("keydown", () => { middle = -Infinity; });
  listen("paste", event => {
    if (!event.isTrusted) return; // One that a script made brings nothing from outside.
    const answer = ask("paste", { selection: event.timeStamp - middle < 1000 ? "primary" : "clipboard" });
    if (answer.outcome === "allow") return;
    stop(event);
    if (answer.outcome === "insert") insert(event.target, answer);
  });

  const dragged = event => {
    const data = event.dataTransfer;
    return {
      length: scalars(data.getData("text/plain")), formats: Array.from(data.types),
      files: Array.from(data.files, file => file.name) };
  };
  listen("dragstart", event => {
    const about = event.dataTransfer.getData("text/plain") ? dragged(event) : selected();
    if (ask("drag", about).outcome !== "allow") stop(event);
  });
  listen("drop", event => {
    const answer = ask("drop", dragged(event));
    if (answer.outcome === "allow") return;
    stop(event);
    if (answer.outcome === "insert") {
      event.target.focus();
      insert(event.target, { text: event.dataTransfer.getData("text/plain") });
    }
  });
  listen("dragend", () => ask("dragend", {}));
})();
