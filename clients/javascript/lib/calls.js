"use strict";

// The calls that are no questions: what they say, how their replies are read, and what they give when nobody heard
// them.

const { present } = require("./said");

const VIEWER = ["policy", "policySource", "ruleSet"];
const IDENTITY = ["previous", "effectiveUI", "effectiveFile", "level", "result", "reason"];

function registerViewer(viewer, said) {
  const { class: viewerClass, window, parent, opener, kind, document, policy, ruleSet, ...rest } = said;
  refuseOthers("registerViewer", rest);
  const members = { viewer, class: viewerClass, window, parent, opener, kind, document, policy, ruleSet };
  return call("RegisterViewer", members, (reply) => texts(reply, VIEWER), texts({}, VIEWER));
}

function setDocument(viewer, document) {
  return heard("SetDocument", { viewer, document });
}

function forgetViewer(viewer) {
  return heard("ForgetViewer", { viewer });
}

function setWebViewPolicy(viewer, policy) {
  return call("SetWebViewPolicy", { viewer, policy }, (reply) => texts(reply, VIEWER), texts({}, VIEWER));
}

function setExternalURLRules(viewer, ruleSet) {
  return heard("SetExternalURLRules", { viewer, ruleSet });
}

function setIdentity(level, { window, account, accounts, gates, ...rest }) {
  refuseOthers("setIdentity", rest);
  const unheard = { ...texts({}, IDENTITY), result: gates == null ? null : "failed" };
  return call("SetIdentity", { level, window, account, accounts, gates }, (reply) => texts(reply, IDENTITY), unheard);
}

function acknowledge(decision, outcome, justification) {
  return heard("Acknowledge", { decision, outcome, justification });
}

function answer(request, result) {
  return heard("Answer", { request, result });
}

function call(method, said, read, unheard) {
  return { method, parameters: present(said), read, unheard: Object.freeze(unheard) };
}

function heard(method, said) {
  return { method, parameters: present(said), read: () => true, unheard: false };
}

function texts(reply, names) {
  const said = {};
  for (const name of names) said[name] = typeof reply[name] === "string" ? reply[name] : null;
  return said;
}

/** A word that is written wrong would be as if left out. */
function refuseOthers(method, rest) {
  const [name] = Object.keys(rest);
  if (name !== undefined) throw new TypeError(`${method} has no member \`${name}\``);
}

module.exports = {
  acknowledge, answer, forgetViewer, refuseOthers, registerViewer, setDocument, setExternalURLRules, setIdentity,
  setWebViewPolicy,
};
