// A drag cannot be held: the answer must be there when it starts. So it is asked for when the button goes down on
// something that can be dragged, and without an answer the drag does not start. A drop is held like a paste.

{
  // For which press of the button a drag may start, and how.
  let press = 0;
  let permitted = { press: -1 };
  let isDragging = false;

  addEventListener("mousedown", (event) => event.isTrusted && event.button === 0 && ask(event), true);
  addEventListener("dragstart", start, true);
  addEventListener("dragend", end, true);
  addEventListener("drop", drop, true);

  async function ask(event) {
    press += 1;
    if (!canBeDragged(event.target)) return;
    const number = press;
    const text = selectedText();
    const answer = await mayHappen("copy", { selection: "drag", length: scalarCount(text) });
    if (answer.isAllowed) permitted = { ...answer, press: number };
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
    isDragging = permitted.press === press;
    if (isDragging && !permitted.mimeWrap) return;
    event.stopImmediatePropagation();
    // The page's own hand in it would come after ours: it is left out.
    if (isDragging) wrap(event.dataTransfer, event.dataTransfer.getData("text/plain") || selectedText(), permitted);
    else event.preventDefault();
  }

  function end(event) {
    if (!event.isTrusted || !isDragging) return;
    isDragging = false;
    mayHappen("dragEnd", { selection: "drag" });
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
