"use strict";

// The one notice: the pages of the shared vectors, and text that would like to be more than text.

const assert = require("assert");
const { execFileSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const { notice, noticeCode } = require("../notice");
const { readDecision, refused } = require("../lib/decision");
const { LIMITED } = require("./cleanup");
const { vectors } = require("./case");

const COPY = fs.readFileSync(path.join(__dirname, "../notice/notice.json"), "utf8");
const STYLE = JSON.parse(COPY).style.join("\n");
// Bytes of what a user downloads.
const LARGEST = 20480;
const HOSTILE = ['"><script>alert(1)</script>', "' onload='x", "{sentence}", "\u0000\ud800</style>", "javascript:x", "&lt;"];

module.exports = {
  "old engines know its style: flexible boxes have no `gap` before Chromium 84": () => {
    const { style } = require("../notice/notice.json");
    const boxes = style.filter((line) => line.includes("display: flex"));
    assert.ok(boxes.length > 0 && boxes.every((line) => !line.includes("gap")), boxes.join(" "));
  },

  "the pages are those of the vectors": () => {
    const cases = vectors("notices").cases;
    assert.ok(cases.length >= 19);
    for (const one of cases) {
      const decision = "local" in one ? refused(one.local) : readDecision(one.decision);
      const { url, languages, organization, actions } = one;
      const page = notice(decision, { url, languages, organization, actions });
      assert.ok(page.includes(STYLE), one.name);
      assert.deepStrictEqual(page.split(STYLE).join("(style)").split("\n"), one.lines, one.name);
    }
  },

  "the browser extension has the same as a module": async (test) => {
    const folder = test.folder();
    const words = [path.join(__dirname, "../../webextension/build"), "--into", folder];
    execFileSync("python3", words, { ...LIMITED, stdio: "ignore" });
    fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
    const built = await import(path.join(folder, "chromium/notice-page.js"));
    const [one] = vectors("notices").cases.filter(({ decision }) => decision);
    const { url, languages, organization, actions } = one;
    const about = [readDecision(one.decision), { url, languages, organization, actions }];
    assert.strictEqual(built.notice(...about), notice(...about));
  },

  "what could deceive is shown as the vectors say": () => {
    const { short } = vectors("notices");
    assert.ok(short.length >= 45);
    for (const { name, decision, url, languages, organization, shown } of short) {
      const lines = notice(readDecision(decision), { url, languages, organization }).split("\n");
      assert.deepStrictEqual(lines.filter((line) => /^<(p |a |dt>)/.test(line)), shown, name);
    }
  },

  "halves of a letter that something parts make no letter, as in the other clients": () => {
    const page = notice(refused("noAnswer"), { url: "https://a.example/\ud83d\t\ude00" });
    assert.ok(page.includes("https://a.example/%EF%BF%BD%EF%BF%BD<"));
  },

  "an address of megabytes costs no more than its length": () => {
    for (const part of [" ", ":", ":1", "@", "/", "\u202e", "a ", "#"]) {
      const page = notice(refused("noAnswer"), { url: `https://a.example${part.repeat(1 << 20)}b` });
      assert.ok(page.length < LARGEST, part);
    }
  },

  "words and template are those of all clients": () => {
    assert.strictEqual(COPY, fs.readFileSync(path.join(__dirname, "../../notice/notice.json"), "utf8"));
  },

  "no text becomes markup": () => {
    const plain = notice(readDecision({ outcome: "block", reason: "external", message: "x", identity: "x", rule: "x" }), {
      url: "https://x/", organization: { name: "x", contact: "x" },
    });
    for (const text of HOSTILE) {
      const decision = readDecision({ outcome: "block", reason: "external", message: text, identity: text, rule: text });
      const organization = { name: text, contact: text, contactLink: text, color: text, darkColor: text };
      const page = notice(decision, { url: `https://x/${text}`, organization, actions: {} });
      for (const mark of [/<[a-z!/]/gi, /<style|<script/g]) {
        assert.strictEqual((page.match(mark) || []).length, (plain.match(mark) || []).length, text);
      }
      assert.ok(!/[\0\ud800]/.test(page.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "")), text);
    }
  },

  "names of objects are no languages, reasons or outcomes": () => {
    for (const word of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      const page = notice(readDecision({ outcome: word, reason: word }), { languages: [word] });
      assert.ok(page.startsWith("<!doctype html>") && page.includes('lang="en"'), word);
      assert.strictEqual(noticeCode(readDecision({ outcome: "block", reason: word, id: "12345" })), "1234-5");
    }
  },

  "the package is small and has the version of the client": () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, "../notice/package.json"), "utf8"));
    assert.strictEqual(manifest.version, require("..").version);
    assert.strictEqual(manifest.dependencies, undefined);
    const files = manifest.files.map((file) => fs.readFileSync(path.join(__dirname, "../notice", file)));
    assert.ok(zlib.gzipSync(Buffer.concat(files)).length < LARGEST);
  },

  "an action that no notice has is a mistake": () => {
    assert.throws(() => notice(refused("noAnswer"), { actions: { jump: "x:" } }), RangeError);
  },
};
