"use strict";

// Texts and names of others where no notice stands: the message box, the extension's button and pages, names of files.

const assert = require("assert");
const { execFileSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { readDecision } = require("../lib/decision");
const { shown, storedName } = require("../lib/readable");
const { noticeName, noticeText } = require("../notice");
const { vectors } = require("./case");
const { LIMITED } = require("./cleanup");
const { OUT, inEach, made } = require("./electron_case");
const { tells } = require("./electron_fake");

const HOSTILE = "open cod\u202egpj.exe\nnow \u001b[2J\u2028\u{e0041}";
const HARMLESS = "open cod\ufffdgpj.exe\ufffdnow \ufffd[2J\ufffd\ufffd";
// Two accounts that look the same.
const NAME = "a\u200bnn\u2066a@contoso.com";
const NAMED = "a\ufffdnn\ufffda@contoso.com";
// Unicode's property Bidi_Control, what ends a line or is a control, and halves of letters, which no file's name has.
const REPLACED = [
  [0, 0x1f], [0x7f, 0x9f], [0x61c, 0x61c], [0x200e, 0x200f], [0x2028, 0x202e], [0x2066, 0x2069], [0xd800, 0xdfff],
];

/** Each character that there is. */
function* everyCharacter() {
  for (let code = 0; code < 0x110000; code += 1) yield String.fromCodePoint(code);
}

/** The extension as Chromium gets it, so that Node loads its modules. */
function built(test) {
  const folder = test.folder();
  const words = [path.join(__dirname, "../../webextension/build"), "--into", folder];
  execFileSync("python3", words, { ...LIMITED, stdio: "ignore" });
  fs.writeFileSync(path.join(folder, "chromium/package.json"), '{ "type": "module" }');
  return (name) => import(pathToFileURL(path.join(folder, "chromium", name)));
}

/** Plays the browser and the page of one module; the elements are what it filled. */
function browser(test, answers) {
  const elements = new Map();
  const element = (id) => {
    if (!elements.has(id)) elements.set(id, { textContent: "", dataset: {} });
    return elements.get(id);
  };
  const said = { title: "", badge: "" };
  const page = { getElementById: element, title: "", documentElement: { dataset: {} } };
  const globals = {
    document: page,
    setInterval: () => 0,
    chrome: {
      runtime: { sendMessage: async ({ page }) => answers[page] },
      action: {
        setTitle: async ({ title }) => { said.title = title; }, setBadgeText: async ({ text }) => { said.badge = text; },
      },
    },
  };
  for (const name of Object.keys(globals)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    test.add(() => { delete globalThis[name]; if (before) Object.defineProperty(globalThis, name, before); });
    Object.defineProperty(globalThis, name, { value: globals[name], configurable: true, writable: true });
  }
  return { said, page, text: (id) => element(id).textContent };
}

module.exports = {
  "Electron's message box shows what the notice would": inEach((major) => {
    for (const [members, expected] of [[{ message: HOSTILE }, HARMLESS], [{ reason: HOSTILE }, HARMLESS]]) {
      const { fake, client } = made(major, { refused: null });
      client.judges = () => readDecision({ outcome: "block", reason: "external", id: "1", ...members });
      assert.ok(!tells(fake.contents(1), "will-navigate", {}, OUT));
      assert.ok(fake.shown.length === 1 && fake.shown[0].includes(expected), JSON.stringify(fake.shown));
      assert.ok(!fake.shown[0].includes(HOSTILE));
    }
  }),

  "each character is shown in a box as in the notice": () => {
    for (const letter of everyCharacter()) {
      assert.strictEqual(shown(letter), noticeText(letter), letter.codePointAt(0).toString(16));
    }
    assert.deepStrictEqual([noticeText(HOSTILE), noticeName(NAME), noticeName(null)], [HARMLESS, NAMED, ""]);
  },

  "names of files have no control, no end of a line and nothing that turns their letters": () => {
    const isReplaced = (code) => REPLACED.some(([first, last]) => first <= code && code <= last);
    for (const letter of everyCharacter()) {
      const code = letter.codePointAt(0);
      assert.strictEqual(storedName(letter), isReplaced(code) ? "_" : letter, code.toString(16));
    }
    const { cases } = vectors("names");
    assert.ok(cases.length >= 12);
    for (const { suggested, kept } of cases) assert.strictEqual(storedName(suggested), kept);
  },

  "the extension's button tells as the notice does": async (test) => {
    const load = built(test);
    const { said } = browser(test, {});
    const { Notice } = await load("notice.js");
    for (const decision of [{ message: HOSTILE, reason: "x" }, { message: null, reason: HOSTILE }]) {
      new Notice().show(1, "download", decision);
      assert.deepStrictEqual(said, { title: `webviewguard: download refused (${HARMLESS})`, badge: "!" });
    }
  },

  "the extension's pages tell as the notice does": async (test) => {
    const load = built(test);
    const account = { account: NAME, isOut: true, text: HOSTILE, banner: HOSTILE };
    const status = {
      standing: { isConnected: true, app: NAME }, contract: {}, problem: HOSTILE, mode: "race",
      rules: { isFree: true, count: 1, problem: "" }, settings: { account: NAME }, underWay: 0, accountText: HOSTILE, banner: HOSTILE,
    };
    const { page, text } = browser(test, { account, status });
    await load("account.js");
    assert.deepStrictEqual(["account", "text", "banner"].map(text), [NAMED, HARMLESS, HARMLESS]);
    assert.ok(page.title.endsWith(HARMLESS), page.title);
    await load("status.js");
    assert.deepStrictEqual(["daemon", "account", "banner", "problem"].map(text),
      [`answers as ${NAMED}`, `${NAMED}: ${HARMLESS}`, HARMLESS, HARMLESS]);
    assert.ok(page.title.includes(NAMED) && !page.title.includes("\u202e"), page.title);
    const { switchText } = await load("account-texts.js");
    assert.ok([switchText(NAME, ""), switchText("", NAME)].every((one) => one.includes(NAMED)));
  },
};
