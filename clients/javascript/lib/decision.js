"use strict";

// The answer to one event.

const { isObject, lastWord } = require("./frames");
const { Unreadable, maybe, read } = require("./reading");
const { OUTCOMES } = require("./words");

const MEMBERS = {
  reason: "text", id: "text", viewerIsUnknown: "flag", policy: "text", policySource: "text", identity: "text",
  identityLevel: "text", protection: "text", verdict: "text", ruleSet: "text", rule: "text", ruleLocation: "text",
  exception: "text", message: "text", offered: "text", bodyDropped: "flag", signIn: "flag", clip: "text", proposal: "text",
    limit: "number",
  onlyPlainText: "flag", replacement: "text", mimeWrap: "flag", programs: "texts", blurPreview: "flag",
    setOwner: "text",
  mustEncrypt: "flag", tagAs: "text", switchTo: "text", request: "text", location: "text", notes: "texts",
  generation: "number", digest: "text", mode: "text", repeat: "flag",
};
// What stands where a member is left out; null for all others.
const USUAL = { id: "", notes: [], generation: 0, digest: "" };

/** The members are those of the wire. An outcome that is not known is `block`; `raw` has the word. */
class Decision {
  constructor(outcome, members) {
    this.outcome = outcome;
    for (const name of Object.keys(MEMBERS)) this[name] = MEMBERS[name] === "flag" ? false : null;
    Object.assign(this, { ...USUAL, notes: [], reason: "noAnswer", open: null, advice: null, isLocal: false }, members);
    if (!Object.prototype.hasOwnProperty.call(members, "raw")) this.raw = {};
    Object.freeze(this);
  }

  /** Whether it may happen here and now. `warn`, `redact` and the others are not that. */
  get allowed() {
    return this.outcome === "allow";
  }

  /** What to start now. Null for a mere offer, and for a click that was answered before: one click, one start. */
  get opensNow() {
    const opens = this.outcome === "redirect" || this.outcome === "handOff";
    return opens && !this.repeat ? this.open : null;
  }
}

const NOT_KNOWN = "The protection of your organization's data does not know this program. Tell your administrator.";
// What the user may be told of a block that was decided here, by its reason.
const MESSAGES = new Map([
  ["noAnswer", "The protection of your organization's data does not answer. Try again in a moment."],
  ["NoApp", NOT_KNOWN], ["AppAmbiguous", NOT_KNOWN], ["AppMismatch", NOT_KNOWN],
]);
const OTHER_MESSAGE =
  "The protection of your organization's data could not judge this. Try again, or tell your administrator.";

/** What the failure contract says of a question that nobody answered: `answer` is `open` or `closed`. */
function withoutAnswer(answer) {
  return answer === "open" ? new Decision("allow", { isLocal: true }) : refused("noAnswer");
}

/** An error of the daemon is `block`, with the error's last word for the reason. */
function refused(reason) {
  const word = lastWord(reason);
  return new Decision("block", { reason: word, isLocal: true, message: MESSAGES.get(word) || OTHER_MESSAGE });
}

/** The decision of a reply; `block` with the reason `invalidReply` when it is not one. */
function readDecision(value) {
  try {
    return whole(value);
  } catch (problem) {
    if (problem instanceof Unreadable) return refused("invalidReply");
    throw problem;
  }
}

function whole(value) {
  const members = read("object", value);
  const outcome = read("text", members.outcome);
  const known = { reason: "", raw: members };
  for (const name of Object.keys(MEMBERS)) {
    if (members[name] != null) known[name] = read(MEMBERS[name], members[name]);
  }
  if (members.open != null) known.open = offer(members.open);
  if (members.advice != null) known.advice = advice(members.advice);
  return new Decision(OUTCOMES.has(outcome) ? outcome : "block", known);
}

function offer(value) {
  const members = read("object", value);
  return {
    target: read("text", members.target),
    url: read("text", members.url),
    desktopId: maybe("text", members, "desktopId"),
    argv: maybe("texts", members, "argv"),
    fallback: (maybe("list", members, "fallback") || []).map(offer),
  };
}

function advice(value) {
  const members = read("object", value);
  const texts = { outcome: members.outcome, reason: members.reason, cause: members.cause };
  for (const name of Object.keys(texts)) read("text", texts[name]);
  const rule = {};
  for (const name of ["ruleSet", "rule", "ruleLocation"]) rule[name] = maybe("text", members, name);
  return { ...texts, ...rule };
}

/** Whether a value is a decision of the daemon, and not one that was made here. */
function isOfDaemon(decision) {
  return isObject(decision) && !decision.isLocal && decision.id !== "";
}

module.exports = { Decision, isOfDaemon, readDecision, refused, withoutAnswer };
