// What is said of a clip: how long its text is, and of which types it is. The text itself stays here.

/** Unicode scalars: a pair of surrogates is one. */
function scalarCount(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The length of what would be copied now. */
function selectedLength() {
  const field = document.activeElement;
  const start = field?.selectionStart;
  if (Number.isInteger(start)) return scalarCount(field.value.slice(start, field.selectionEnd));
  return scalarCount(String(getSelection()));
}

/** The length and types of what is pasted or dropped. */
function describe(transfer) {
  return {
    length: scalarCount(transfer?.getData("text/plain") ?? ""),
    formats: [...(transfer?.types ?? [])].slice(0, 64).map((type) => String(type).slice(0, 256)),
  };
}
