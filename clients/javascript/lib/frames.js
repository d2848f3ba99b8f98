"use strict";

// Varlink on the wire: JSON objects that end with NUL.

const INTERFACE = "org.webviewguard.Guard";
const LONGEST_REPLY = 16 * 1024 * 1024;

/** What came is no varlink reply, so nothing that follows can be trusted to be one. */
class BrokenReply extends Error {}

/** One call as bytes; the method's interface is the guard's unless it names another. */
function encode(method, parameters, more = false) {
  const call = { method: method.includes(".") ? method : `${INTERFACE}.${method}`, parameters };
  if (more) call.more = true;
  return Buffer.from(`${sendable(call)}\0`);
}

/** JSON of a value; TypeError for what JSON would silently replace by null. */
function sendable(value) {
  const text = JSON.stringify(value);
  // To look at each member takes five times as long, so only what may hold such a null is looked at.
  return text.includes("null") ? JSON.stringify(value, (name, member) => {
    if (typeof member === "number" && !Number.isFinite(member)) throw new TypeError(`\`${name}\` is no number`);
    return member;
  }) : text;
}

/** The last word of an error's name: `lastWord("org.webviewguard.Guard.NoApp")` is `NoApp`; empty for none. */
function lastWord(error) {
  return (error || "").split(".").pop();
}

/** Cuts what arrives into replies: `{ parameters, error, continues }`. */
class FrameSplitter {
  constructor() {
    this._parts = [];
    this._length = 0;
  }

  /** The replies that are whole now. Throws BrokenReply for what is none, and for one that never ends. */
  feed(data) {
    const frames = [];
    let start = 0;
    for (let end = data.indexOf(0); end >= 0; end = data.indexOf(0, start)) {
      frames.push(Buffer.concat([...this._parts, data.subarray(start, end)]));
      this._parts = [];
      this._length = 0;
      start = end + 1;
    }
    this._parts.push(data.subarray(start));
    this._length += data.length - start;
    if (this._length > LONGEST_REPLY) throw new BrokenReply("a reply that does not end");
    return frames.map(reply);
  }
}

function reply(frame) {
  const value = parsed(frame);
  if (!isObject(value)) throw new BrokenReply("a reply that is no object");
  const { parameters, error } = value;
  const isWhole = (isObject(parameters) || parameters == null) && (typeof error === "string" || error == null);
  if (!isWhole) throw new BrokenReply("a reply that is no varlink reply");
  return { parameters: parameters || {}, error: error == null ? null : error, continues: value.continues === true };
}

function parsed(frame) {
  const text = frame.toString("utf8");
  // Node reads broken UTF-8 as U+FFFD, and tells nobody.
  const isWhole = !text.includes("\ufffd") || Buffer.from(text).equals(frame);
  try {
    if (isWhole) return JSON.parse(text);
  } catch (problem) {
    // Told below.
  }
  throw new BrokenReply("a reply that is no JSON");
}

/** Whether a value is an object, and neither null nor an array. */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

module.exports = { BrokenReply, FrameSplitter, INTERFACE, encode, isObject, lastWord, sendable };
