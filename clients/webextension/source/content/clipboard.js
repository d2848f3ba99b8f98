// Copy, cut and paste are held until the daemon has answered, and then done again. No extension can wait inside the
// event: so the event is stopped before the page sees it, and the browser's own command runs once more when it may.

{
  // A middle click pastes the primary selection; its paste event looks like any other.
  const MIDDLE_CLICK_MS = 500;
  /** What to do with the next event of a type, which is our own. @type {{ type: string, act: (event) => void } | null} */
  let passing = null;
  let middleClick = -Infinity;

  addEventListener("mousedown", (event) => event.button === 1 && event.isTrusted && (middleClick = event.timeStamp), true);
  addEventListener("copy", hold, true);
  addEventListener("cut", hold, true);
  addEventListener("paste", hold, true);

  function hold(event) {
    // A page that makes up an event moves nothing.
    if (!event.isTrusted) return;
    if (passing?.type === event.type) return passing.act(event);
    stop(event);
    if (event.type === "paste") holdPaste(event);
    else holdCopy(event.type);
  }

  function stop(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  // Runs the browser's command, with our own eye on the event.
  function again(type, act) {
    passing = { type, act };
    try {
      document.execCommand(type);
    } finally {
      passing = null;
    }
  }

  async function holdCopy(type) {
    const text = selectedText();
    const about = { selection: "clipboard", length: scalarCount(text), ...(type === "cut" ? { cut: true } : {}) };
    const answer = await mayHappen("copy", about);
    // What is marked now was not asked about.
    if (!answer.isAllowed || selectedText() !== text) return;
    if (isWhole(answer)) return again(type, () => {});
    again("copy", (event) => {
      stop(event);
      put(event.clipboardData, text, answer);
    });
    if (type === "cut") document.execCommand("delete");
  }

  async function holdPaste(event) {
    const { text, wrapped, said } = describe(event.clipboardData);
    const isPrimary = event.timeStamp - middleClick < MIDDLE_CLICK_MS;
    const target = document.activeElement ?? document.body;
    const answer = await mayHappen("paste", { ...said, selection: isPrimary ? "primary" : "clipboard" });
    if (!answer.isAllowed) return;
    // The browser's command would paste the clipboard, as rich as it is, and not what lies under the private type.
    if (wrapped || isPrimary || answer.onlyPlainText) return pastePlain(target, text);
    again("paste", (pasted) => describe(pasted.clipboardData).text === text || stop(pasted));
  }

  function pastePlain(target, text) {
    const clipboardData = plain(text);
    const options = { bubbles: true, cancelable: true, composed: true, clipboardData };
    give(target, new ClipboardEvent("paste", options), clipboardData);
  }
}
