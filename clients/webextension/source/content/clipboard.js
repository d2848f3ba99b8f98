// Copy, cut and paste are held until the daemon has answered, and then done again. No extension can wait inside the
// event: so the event is stopped before the page sees it. When it may, the page is asked what it would copy, the clipboard
// is filled here, and the daemon is told of that: a copy that the page called off, or of which nothing was marked, changes
// nothing, and is told to nobody.

{
  // A middle click pastes the primary selection; its paste event looks like any other.
  const MIDDLE_CLICK_MS = 500;
  /** What to do with the next event of a type, which is our own. @type {{ type: string, act: (event) => void } | null} */
  let passing = null;
  let middleClick = -Infinity;

  hear("mousedown", (event) => event.button === 1 && event.isTrusted && (middleClick = event.timeStamp));
  hear("copy", hold);
  hear("cut", hold);
  hear("paste", hold);

  function hold(event) {
    // A page that makes up an event moves nothing.
    if (!event.isTrusted) return;
    if (passing?.type === event.type) return passing.act(event);
    stop(event);
    if (event.type === "paste") holdPaste(event);
    else holdCopy(event.type, event.target);
  }

  function stop(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  // Runs the browser's command, with our own eye on the event. Returns whether the event came.
  function again(type, act) {
    let came = false;
    const seen = (event) => {
      came = true;
      act(event);
    };
    passing = { type, act: seen };
    try {
      document.execCommand(type);
    } finally {
      passing = null;
    }
    return came;
  }

  async function holdCopy(type, target) {
    const isCut = type === "cut";
    const marked = selectedText();
    // A page that cuts takes away what it cuts: it is not asked before that may be.
    let clip = isCut ? { text: marked, own: null } : gather(type, target, marked);
    if (!clip || (!clip.own && marked === "" && !isCut)) return;
    let answer = await mayCopy(clip, isCut);
    // What is marked now was not asked about.
    if (!answer.isAllowed || selectedText() !== marked) return;
    if (isCut) {
      clip = gather(type, target, marked);
      if (!clip || (!clip.own && marked === "")) return;
      if (clip.text !== marked) answer = await mayCopy(clip, isCut);
      if (!answer.isAllowed) return;
    }
    if (fill(type, clip, answer)) tellFilled(clip, answer);
  }

  /** What the page puts on the clipboard itself, else what is marked; null when it calls it off. An event of ours asks it. */
  function gather(type, target, marked) {
    const clipboardData = new DataTransfer();
    const options = { bubbles: true, cancelable: true, composed: true, clipboardData };
    const isLeft = (target ?? document).dispatchEvent(new ClipboardEvent(type, options));
    if (isLeft) return { text: marked, own: null };
    return clipboardData.types.length > 0 ? { text: clipboardData.getData("text/plain"), own: clipboardData } : null;
  }

  function mayCopy({ text, own }, isCut) {
    const length = scalarCount(text);
    return mayHappen("copy", { selection: "clipboard", length, formats: formatsOf(own), ...(isCut ? { cut: true } : {}) });
  }

  const formatsOf = (own) => (own ? [...own.types] : ["text/plain", "text/html"]).slice(0, 64).map((type) => type.slice(0, 256));

  /** Fills the clipboard. Returns whether it was filled. */
  function fill(type, { text, own }, answer) {
    // The browser's own copy of what is marked is as rich as it can be; the page has had its say.
    if (isWhole(answer) && !own) return again(type, (event) => event.stopImmediatePropagation());
    const isFilled = again("copy", (event) => {
      stop(event);
      if (own && isWhole(answer)) for (const kind of own.types) event.clipboardData.setData(kind, own.getData(kind));
      else put(event.clipboardData, text, answer);
    });
    // A page that filled it itself has taken away itself what it cuts.
    if (type === "cut" && isFilled && !own) document.execCommand("delete");
    return isFilled;
  }

  /** The echo: this copy came about, and is what lies there now. */
  function tellFilled({ text, own }, answer) {
    const formats = isWhole(answer) ? formatsOf(own) : ["text/plain"];
    const { clip, proposal } = answer;
    mayHappen("clipboardChanged", {
      selection: "clipboard", selfOwned: true, length: scalarCount(text), formats, clip, proposal,
    });
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
