// A drag cannot be held: the answer must be there when it starts. So it is asked for when the button goes down on
// something that can be dragged, and without an answer the drag does not start. A drop is held like a paste.

{
  // For which press of the button a drag may start.
  let press = 0;
  let permitted = -1;
  let isDragging = false;

  addEventListener("mousedown", (event) => event.isTrusted && event.button === 0 && ask(event), true);
  addEventListener("dragstart", start, true);
  addEventListener("dragend", end, true);
  addEventListener("drop", drop, true);

  function ask(event) {
    press += 1;
    if (!canBeDragged(event.target)) return;
    const number = press;
    const about = { selection: "drag", length: selectedLength() };
    mayHappen("copy", about).then((answer) => answer.isAllowed && (permitted = number));
  }

  function canBeDragged(target) {
    const selection = getSelection();
    const isSelected = selection && !selection.isCollapsed && selection.containsNode(target, true);
    const field = document.activeElement;
    const inField = field === target && Number.isInteger(field?.selectionStart) && field.selectionStart !== field.selectionEnd;
    return isSelected || inField || target?.closest?.("a[href], img, [draggable=true]") !== null;
  }

  function start(event) {
    if (!event.isTrusted) return;
    isDragging = permitted === press;
    if (isDragging) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  function end(event) {
    if (!event.isTrusted || !isDragging) return;
    isDragging = false;
    mayHappen("dragEnd", { selection: "drag" });
  }

  function drop(event) {
    if (!event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { target, clientX, clientY } = event;
    const copy = new DataTransfer();
    for (const type of event.dataTransfer.types) {
      if (type !== "Files") copy.setData(type, event.dataTransfer.getData(type));
    }
    for (const file of event.dataTransfer.files) copy.items.add(file);
    const about = { ...describe(event.dataTransfer), selection: "drag" };
    mayHappen("paste", about).then((answer) => answer.isAllowed && perform(target, copy, clientX, clientY, answer));
  }

  // The page gets a drop of its own; where it does nothing with it, plain text goes into a field.
  function perform(target, dataTransfer, clientX, clientY, { onlyPlainText }) {
    const options = { bubbles: true, cancelable: true, composed: true, clientX, clientY };
    const text = dataTransfer.getData("text/plain");
    if (!onlyPlainText && !target.dispatchEvent(new DragEvent("drop", { ...options, dataTransfer }))) return;
    if (!text || !(target.isContentEditable || "selectionStart" in target)) return;
    target.focus();
    document.execCommand("insertText", false, text);
  }
}
