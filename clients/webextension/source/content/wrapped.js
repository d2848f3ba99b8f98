// Clips that programs which do not ask must not read. As text there is only what stands in for the content; the content
// itself lies beside it under a private type, which browsers keep for pages and whose text other programs do not find.

const PRIVATE_TYPE = "application/x-webviewguard-clip";

/** Whether other programs may read a clip as it is, markup and all. */
function isWhole({ mimeWrap, onlyPlainText }) {
  return !mimeWrap && !onlyPlainText;
}

/** Puts on a transfer what other programs may read of a clip: its text and nothing else, or what stands in for it. */
function put(transfer, text, { clip, replacement, mimeWrap }) {
  transfer.clearData();
  transfer.setData("text/plain", mimeWrap ? replacement ?? "" : text);
  if (mimeWrap) transfer.setData(PRIVATE_TYPE, JSON.stringify({ clip, text }));
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
