// What is said of a clip: how long its text is, and of which types it is. The text itself stays here.

/** Unicode scalars: a pair of surrogates is one. */
function scalarCount(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The text that would be copied now. */
function selectedText() {
  const field = document.activeElement;
  const start = field?.selectionStart;
  return Number.isInteger(start) ? field.value.slice(start, field.selectionEnd) : String(getSelection());
}

/** What is pasted or dropped, and what is said of it. */
function describe(transfer) {
  const wrapped = unwrap(transfer);
  const text = wrapped?.text ?? transfer.getData("text/plain");
  const types = [...transfer.types].filter((type) => type !== PRIVATE_TYPE);
  const formats = types.slice(0, 64).map((type) => String(type).slice(0, 256));
  return { text, wrapped, said: { length: scalarCount(text), formats, ...(wrapped?.clip ? { clip: wrapped.clip } : {}) } };
}
