// Clips that programs which do not ask must not read. As text there is only what stands in for the content; the content
// itself lies beside it under a private type, which browsers keep for pages and whose text other programs do not find.

const PRIVATE_TYPE = "application/x-webviewguard-clip";

/** Puts a clip on a transfer, under the private type. */
function wrap(transfer, text, { clip, replacement }) {
  transfer.clearData();
  transfer.setData("text/plain", replacement ?? "");
  transfer.setData(PRIVATE_TYPE, JSON.stringify({ clip, text }));
}

/** The clip under the private type; null when there is none. Anybody could have put it there: it is only ever text. */
function unwrap(transfer) {
  try {
    const { clip, text } = JSON.parse(transfer.getData(PRIVATE_TYPE));
    return typeof text === "string" ? { clip: typeof clip === "string" ? clip : undefined, text } : null;
  } catch {
    return null;
  }
}

/** Does with text what a paste or drop does: the page may take it, else it goes into the field. */
function give(target, event, transfer) {
  if (!target.dispatchEvent(event)) return;
  const text = transfer.getData("text/plain");
  if (!text || !(target.isContentEditable || "selectionStart" in target)) return;
  target.focus();
  document.execCommand("insertText", false, text);
}

/** A transfer with one plain text. */
function plain(text) {
  const transfer = new DataTransfer();
  transfer.setData("text/plain", text);
  return transfer;
}
