"use strict";

// The words of the wire that the client itself must know; index.d.ts has all of them.

/** The kinds of questions; the method on the wire is the same word with a capital. */
const EVENT_KINDS = [
  "navigate", "copy", "paste", "clipboardChanged", "dragEnd", "download", "upload", "save", "open", "receive", "share",
  "print", "capture", "notify", "openURL", "exchange", "index",
];
const OUTCOMES = new Set(["block", "allow", "warn", "redirect", "handOff", "redact", "switchIdentity"]);
/** In the order in which they came into the interface. */
const TOPICS = [
  "policy", "account", "identity", "enrollment", "allowedAccounts", "config", "wipe", "compliance", "restart",
  "dataProtection",
];
const LIVES = new Set([
  "unknown", "unmanaged", "registered", "enrolled", "suspended", "blocked", "nonCompliant", "policyRequired",
  "notAllowed",
  "notChecked", "locked", "wipePending", "wiped",
]);
const DIRECTORY_STATES = new Set(["none", "opening", "open", "failed"]);
const EVENT_MEMBERS = new Set([
  "viewer", "url", "from", "frame", "hop", "method", "gesture", "sameDocument", "newWindow", "selection", "cut",
  "length",
  "formats", "selfOwned", "clip", "proposal", "display", "owner", "location", "locationAccount", "path", "inPlace",
  "peer",
  "peerAccount", "channel", "capture", "inspection", "surface", "chooser", "probe", "action", "deadline", "label",
  "file",
  "origin",
]);

/** The event as it is sent. A member that no event has is a mistake of the program, so it throws TypeError. */
function onWire(event) {
  const said = {};
  for (const name of Object.keys(event)) {
    if (!EVENT_MEMBERS.has(name)) throw new TypeError(`events have no member \`${name}\``);
    if (event[name] != null) said[name] = event[name];
  }
  return said;
}

/**
 * The method that asks a kind of question: of `openURL` it is `OpenURL`. A kind that does not exist throws TypeError.
 */
function methodOf(kind) {
  if (!EVENT_KINDS.includes(kind)) throw new TypeError(`there is no question \`${kind}\``);
  return kind[0].toUpperCase() + kind.slice(1);
}

module.exports = { DIRECTORY_STATES, EVENT_KINDS, EVENT_MEMBERS, LIVES, OUTCOMES, TOPICS, methodOf, onWire };
