"use strict";

// The client and its types know every member and every word of the interface files, and say no others.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { Decision, Guard, NewsItem } = require("..");
const { readDecision } = require("../lib/decision");
const words = require("../lib/words");

const INTERFACES = path.join(__dirname, "../../../Sources/GuardProtocol/Interfaces");
const TYPES = fs.readFileSync(path.join(__dirname, "../index.d.ts"), "utf8");

function interfaceText(name = "Guard") {
  return fs.readFileSync(path.join(INTERFACES, `org.webviewguard.${name}.varlink`), "utf8").replace(/#.*/g, "");
}

function all(pattern, text) {
  const found = [];
  for (let match; (match = pattern.exec(text)) !== null;) found.push(match);
  return found;
}

/** The members of an object type, or of a method's reply. */
function members(name, of = "Guard") {
  const [, body] = new RegExp(`^type ${name} ?\\(([^]*?)^\\)`, "m").exec(interfaceText(of));
  return all(/(\w+): /g, body).map((match) => match[1]);
}

function enums() {
  const bodies = all(/^type (\w+) \(([^():]*)\)/gm, interfaceText() + interfaceText("Accounts"));
  return bodies.map(([, name, body]) => [name, body.match(/\w+/g)]);
}

/** The words of a union of the types, and the members of an interface or class. */
function union(name) {
  const [, body] = new RegExp(`export type ${name} =([^;]*);`).exec(TYPES);
  return all(/"(\w+)"/g, body).map((match) => match[1]);
}

function declared(name) {
  const [, body] = new RegExp(`export (?:interface|class) ${name} [^{]*\\{([^]*?)^\\}`, "m").exec(TYPES);
  const plain = body.replace(/\/\*\*[^]*?\*\//g, "").replace(/\([^)]*\)/g, "()").replace(/\{[^{}]*\}/g, "");
  return all(/(?:readonly )?(\w+)\??(?:<\w>)?(?=: |\(\))/g, plain).map((match) => match[1]).filter((word) =>
    word !== "constructor");
}

module.exports = {
  "the types have the words of the interfaces": () => {
    assert.ok(enums().length > 20);
    for (const [name, expected] of enums()) assert.deepStrictEqual(union(name), expected, name);
  },

  "the client knows the words that it judges by": () => {
    const known = new Map(enums());
    assert.deepStrictEqual(words.EVENT_KINDS, known.get("EventKind"));
    assert.deepStrictEqual([...words.OUTCOMES], known.get("Outcome"));
    assert.deepStrictEqual(words.TOPICS, known.get("Topic"));
    assert.deepStrictEqual([...words.LIVES], known.get("LifeState"));
    assert.deepStrictEqual([...words.DIRECTORY_STATES], known.get("DirectoryState"));
  },

  "events have the members of the interface": () => {
    assert.deepStrictEqual([...words.EVENT_MEMBERS], members("Event"));
    assert.deepStrictEqual(declared("Event"), members("Event"));
  },

  "decisions have the members of the interface": () => {
    const ours = Object.keys(readDecision({ outcome: "allow" })).filter((name) => name !== "isLocal" && name !== "raw");
    assert.deepStrictEqual(ours.sort(), members("Decision").sort());
    const typed = declared("Decision").filter((name) => !["isLocal", "raw", "allowed", "opensNow"].includes(name));
    assert.deepStrictEqual(typed.sort(), members("Decision").sort());
    const open = { target: "a", url: "b" };
    const { open: offer, advice } = readDecision({
      outcome: "block", open, advice: { outcome: "block", reason: "a", cause: "app" },
    });
    assert.deepStrictEqual(Object.keys(offer).sort(), members("OpenOffer").sort());
    assert.deepStrictEqual(Object.keys(advice).sort(), members("Advice").sort());
    assert.deepStrictEqual(declared("OpenOffer").sort(), members("OpenOffer").sort());
    assert.deepStrictEqual(declared("Advice").sort(), members("Advice").sort());
  },

  "news have the members of the interface": () => {
    const [, body] = /^method Subscribe\([^]*?-> \(([^]*?)^\)/m.exec(interfaceText());
    const wanted = all(/(\w+): /g, body).map((match) => match[1]).sort();
    assert.deepStrictEqual(Object.keys(new NewsItem({})).filter((name) => name !== "raw").sort(), wanted);
    const typed = declared("NewsItem").filter((name) => !["raw", "mayWork", "mustEncrypt"].includes(name));
    assert.deepStrictEqual(typed.sort(), wanted);
  },

  "every method is one of the client's, or is reached by `call`": () => {
    const methods = all(/^method (\w+)/gm, interfaceText()).map((match) => match[1]);
    const others = { Attach: "start", DecideMany: "decideMany", Subscribe: "listen", ExportRules: "rules" };
    // Lists of choices, names of programs and states that few apps ask for.
    const byCall = ["WhoAmI", "OwnPrograms", "Identities", "DecideLocations", "DecidePeers"];
    for (const method of methods.filter((name) => !byCall.includes(name))) {
      const name = others[method] || (method === "OpenURL" ? "openURL" : method[0].toLowerCase() + method.slice(1));
      assert.strictEqual(typeof Guard.prototype[name], "function", method);
      assert.ok([...declared("Guard"), ...declared("Questions"), ...union("EventKind")].includes(name), `${name} has no type`);
    }
  },

  "every member of the guard has a type": () => {
    const ours = Object.getOwnPropertyNames(Guard.prototype).filter((name) => name !== "constructor"
      && !name.startsWith("_"));
    for (const name of ours) assert.ok(declared("Guard").includes(name), name);
    assert.ok(new Decision("allow", {}).allowed);
  },
};
