"use strict";

// What a person does not see in words and names of others: notice.json lists it, clients/notice/README.md says why.

const { unseen } = require("./notice.json");

const ANYWHERE = lettersOf(unseen.anywhere);
const IN_NAMES = lettersOf([...unseen.anywhere, ...unseen.names]);

function lettersOf(ranges) {
  return new RegExp(`[${ranges.map((one) => one.replace(/[0-9a-f]+/g, "\\u{$&}")).join("")}]`, "gu");
}

/** Words as a person may see them: nothing in them is hidden, reversed, or ends the line. */
function noticeText(words) {
  return words.replace(ANYWHERE, "\ufffd");
}

/** A name as a person may see it: of two names that look the same each character is seen. */
function noticeName(name) {
  return (name || "").replace(IN_NAMES, "\ufffd");
}

module.exports = { noticeName, noticeText };
