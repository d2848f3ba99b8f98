// A drag cannot be held: the answer must be there when it starts. So it is asked for when the mouse first moves with its
// button down, which is some pixels before, and without an answer the drag does not start. A drop is held like a paste.
// What was asked about and never dragged is told to have ended.

{
  // So long a drag of the same thing may start again: who was too quick for the answer just tries once more.
  const PERMITTED_MS = 10_000;
  /** What the button went down on, until the mouse moves. */
  let pressed = null;
  let permitted = { text: null, target: null, end: 0 };
  let isDragging = false;
  // Whether the daemon knows of a drag from here that has not ended.
  let isOpen = false;

  hear("mousedown", (event) => event.isTrusted && event.button === 0 && (pressed = event.target));
  hear("mouseup", release);
  hear("pagehide", (event) => event.isTrusted && tellEnd());
  hear("mousemove", (event) => event.isTrusted && event.buttons & 1 && pressed && ask());
  hear("dragstart", start);
  hear("dragend", end);
  hear("drop", drop);

  async function ask() {
    const target = pressed;
    pressed = null;
    if (!canBeDragged(target) || isPermitted(target)) return;
    const text = selectedText();
    isOpen = true;
    const answer = await mayHappen("copy", { selection: "drag", length: scalarCount(text) });
    if (answer.isAllowed) permitted = { ...answer, text, target, end: performance.now() + PERMITTED_MS };
    else if (!isDragging) tellEnd();
  }

  function release(event) {
    if (!event.isTrusted) return;
    pressed = null;
    if (!isDragging) tellEnd();
  }

  function tellEnd() {
    if (!isOpen) return;
    isOpen = isDragging = false;
    mayHappen("dragEnd", { selection: "drag" });
  }

  // What is dragged is what was pressed, or lies around it.
  function isPermitted(target) {
    const isSame = permitted.target === target || target?.contains?.(permitted.target);
    return isSame && permitted.text === selectedText() && performance.now() < permitted.end;
  }

  function canBeDragged(target) {
    const selection = getSelection();
    const isSelected = selection && !selection.isCollapsed && selection.containsNode(target, true);
    const field = document.activeElement;
    const inField = field === target && Number.isInteger(field?.selectionStart) && field.selectionStart !== field.selectionEnd;
    return isSelected || inField || Boolean(target?.closest?.("a[href], img, [draggable=true]"));
  }

  function start(event) {
    if (!event.isTrusted) return;
    isDragging = isPermitted(event.target);
    if (!isDragging) {
      stop(event);
      return tellEnd();
    }
    // What was permitted a while ago has ended since, for the daemon: it is dragged after all.
    if (!isOpen) mayHappen("copy", { selection: "drag", length: scalarCount(permitted.text) });
    isOpen = true;
    // A page that calls it off makes no event that says so.
    setTimeout(() => event.defaultPrevented && tellEnd());
    if (isWhole(permitted)) return;
    event.stopImmediatePropagation();
    // The page's own hand in it would come after ours: it is left out.
    put(event.dataTransfer, event.dataTransfer.getData("text/plain") || selectedText(), permitted);
  }

  function stop(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  function end(event) {
    if (event.isTrusted) tellEnd();
  }

  async function drop(event) {
    if (!event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { target, clientX, clientY } = event;
    const { text, wrapped, said } = describe(event.dataTransfer);
    const whole = copyOf(event.dataTransfer);
    const answer = await mayHappen("paste", { ...said, selection: "drag" });
    if (!answer.isAllowed) return;
    const dataTransfer = wrapped || answer.onlyPlainText ? plain(text) : whole;
    const options = { bubbles: true, cancelable: true, composed: true, clientX, clientY };
    give(target, new DragEvent("drop", { ...options, dataTransfer }), dataTransfer);
  }

  // The browser empties its own when the event is over.
  function copyOf(transfer) {
    const copy = new DataTransfer();
    for (const type of transfer.types) {
      if (type !== "Files") copy.setData(type, transfer.getData(type));
    }
    for (const file of transfer.files) copy.items.add(file);
    return copy;
  }
}
