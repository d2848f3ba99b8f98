"use strict";

// The failure contract: what an app does when nobody answers, and how long it waits for that.

const fs = require("fs");
const { isObject } = require("./frames");

const LONGEST_MS = 60000;
const LONGEST_FILE = 65536;
const NAVIGATION = new Set(["navigate", "openURL"]);
const CLIPBOARD = new Set(["copy", "paste", "clipboardChanged", "dragEnd"]);

/** Closed, and short times, wherever nothing else was said. */
const CLOSED = Object.freeze({
  startMs: 2000, answerMs: 500, navigation: "closed", clipboard: "closed", other: "closed",
});

/** What becomes of a question of that kind when nobody answers: `open` or `closed`. */
function contractAnswer(contract, kind) {
  if (NAVIGATION.has(kind)) return contract.navigation;
  return CLIPBOARD.has(kind) ? contract.clipboard : contract.other;
}

/** The contract that parsed JSON states. Whatever part is missing or broken is the default's. */
function readContract(value) {
  const members = isObject(value) ? value : {};
  return Object.freeze({
    startMs: time(members.startMs, CLOSED.startMs),
    answerMs: time(members.answerMs, CLOSED.answerMs),
    navigation: answer(members.navigation),
    clipboard: answer(members.clipboard),
    other: answer(members.other),
  });
}

/** The contract of a file's text; the default when it is no JSON. */
function parseContract(text) {
  try {
    return readContract(JSON.parse(text));
  } catch (problem) {
    return CLOSED;
  }
}

/** The contract of a file that a trusted user owns and nobody else may write; else the default. */
function contractFile(path, trusts) {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let file;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (problem) {
    return CLOSED;
  }
  try {
    const status = fs.fstatSync(file);
    const isSealed = status.isFile() && (status.mode & 0o022) === 0;
    return isSealed && trusts(status.uid) ? readFile(file) : CLOSED;
  } catch (problem) {
    return CLOSED;
  } finally {
    fs.closeSync(file);
  }
}

function readFile(file) {
  const text = Buffer.alloc(LONGEST_FILE + 1);
  const length = fs.readSync(file, text, 0, text.length, 0);
  return length <= LONGEST_FILE ? parseContract(text.toString("utf8", 0, length)) : CLOSED;
}

function time(value, usual) {
  return Number.isInteger(value) && value >= 1 && value <= LONGEST_MS ? value : usual;
}

function answer(value) {
  return value === "open" ? "open" : "closed";
}

module.exports = { CLOSED, contractAnswer, contractFile, parseContract, readContract };
