"use strict";

// Texts and names of others, where no page isolates them.

// The list `anywhere` of clients/notice/notice.json.
const UNSEEN = /[\p{Cc}\u2028\u2029\u202d\u202e\u206a-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Words as the notice shows them. */
const shown = (words) => words.replace(UNSEEN, "\ufffd");

/** The name of a file that somebody else suggests: `storedName("cod\u202egpj.exe")` is `cod_gpj.exe`. */
const storedName = (name) => name.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, "_");

module.exports = { shown, storedName };
