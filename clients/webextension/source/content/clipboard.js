// Copy, cut and paste are held until the daemon has answered, and then done again. No extension can wait inside the
// event: so the event is stopped before the page sees it, and the browser's own command runs once more when it may.

{
  // A middle click pastes the primary selection; its paste event looks like any other.
  const MIDDLE_CLICK_MS = 500;
  /** What may pass now: a command's event, and for a paste the length that was asked about. */
  let passing = { type: "", length: 0 };
  let middleClick = -Infinity;

  addEventListener("mousedown", (event) => event.button === 1 && event.isTrusted && (middleClick = event.timeStamp), true);
  for (const type of ["copy", "cut", "paste"]) addEventListener(type, hold, true);

  function hold(event) {
    // A page that makes up an event moves nothing.
    if (!event.isTrusted) return;
    if (passing.type === event.type && isAsAsked(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (passing.type === event.type) return;
    const isPrimary = event.type === "paste" && event.timeStamp - middleClick < MIDDLE_CLICK_MS;
    const clip = event.type === "paste" ? describe(event.clipboardData) : { length: selectedLength() };
    const about = { ...clip, selection: isPrimary ? "primary" : "clipboard", ...(event.type === "cut" ? { cut: true } : {}) };
    const text = isPrimary ? event.clipboardData.getData("text/plain") : "";
    const question = event.type === "paste" ? "paste" : "copy";
    mayHappen(question, about).then((answer) => answer.isAllowed && perform(event.type, clip, answer, text));
  }

  // What was put on the clipboard since the question was not asked about.
  function isAsAsked(event) {
    return event.type !== "paste" || describe(event.clipboardData).length === passing.length;
  }

  function perform(type, clip, answer, text) {
    // The browser's command would paste the clipboard, and what is more than plain text.
    if (type === "paste" && (text || answer.onlyPlainText)) return insertPlainText(text, clip);
    again(type, clip);
  }

  function again(type, { length }) {
    passing = { type, length };
    try {
      return document.execCommand(type);
    } finally {
      passing = { type: "", length: 0 };
    }
  }

  // Reads the clipboard through a paste of our own, which the page does not see.
  function insertPlainText(text, clip) {
    if (text) return document.execCommand("insertText", false, text);
    let pasted = "";
    const read = (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      pasted = event.clipboardData.getData("text/plain");
    };
    addEventListener("paste", read, { capture: true, once: true });
    again("paste", clip);
    removeEventListener("paste", read, { capture: true });
    return document.execCommand("insertText", false, pasted);
  }
}
