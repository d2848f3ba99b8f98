"use strict";

// Reads members of replies. What is of a wrong type throws Unreadable, and so does a missing one that must be there.

const { isObject } = require("./frames");

class Unreadable extends Error {}

const TESTS = {
  text: (value) => typeof value === "string",
  number: (value) => Number.isInteger(value),
  flag: (value) => typeof value === "boolean",
  object: isObject,
  list: Array.isArray,
  texts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};

/** A value that must be of a type: `read("text", "a")`. */
function read(type, value) {
  if (!TESTS[type](value)) throw new Unreadable(`no ${type}`);
  return value;
}

/** The member of a type; null when it is null or left out. */
function maybe(type, members, name) {
  return members[name] == null ? null : read(type, members[name]);
}

/** A word, or what stands for all words that this client does not know. */
function word(value, known, otherwise) {
  return known.has(read("text", value)) ? value : otherwise;
}

module.exports = { Unreadable, maybe, read, word };
