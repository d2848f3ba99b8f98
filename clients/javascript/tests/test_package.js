"use strict";

// The package as a user gets it, and what old programs can load.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { execFileSync, spawnSync } = require("child_process");
const { LIMITED } = require("./cleanup");

const ROOT = path.join(__dirname, "..");
const MANIFEST = JSON.parse(fs.readFileSync(path.join(ROOT, "package.json"), "utf8"));
// Of what a user downloads.
const LARGEST = 61440;
const hasNpm = spawnSync("npm", ["--version"], LIMITED).status === 0;
const OFFLINE = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];

function sources(folder = ROOT) {
  return fs.readdirSync(folder, { withFileTypes: true }).reduce((found, entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "tests" || entry.name === "node_modules" ? found : [...found,
      ...sources(file)];
    return [...found, file];
  }, []).filter((file) => /\.m?js$/.test(file));
}

function npm(folder, ...words) {
  return execFileSync("npm", words, { ...LIMITED, cwd: folder, encoding: "utf8", env: { ...process.env,
    npm_config_cache: path.join(folder, ".npm"), npm_config_update_notifier: "false" } });
}

const tests = {
  "one version, and no dependency": () => {
    assert.strictEqual(MANIFEST.version, require("..").version);
    const python = fs.readFileSync(path.join(ROOT, "../python/src/webviewguard/_version.py"), "utf8");
    assert.ok(python.includes(`"${MANIFEST.version}"`));
    assert.strictEqual(MANIFEST.dependencies, undefined);
  },

  "old programs can read it: ES2019, and no `node:`": () => {
    assert.ok(sources().length > 20);
    for (const file of sources()) {
      // Comments and texts may say anything.
      const code = fs.readFileSync(file, "utf8").replace(/\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"/g, (text) => (
        text.startsWith('"node:') ? text : '""'));
      for (const newer of ["?.", "??", "||=", "&&=", '"node:', "this.#", ".at(", "replaceAll", "matchAll", "allSettled",
        "structuredClone",
        "Promise.any", "Object.fromEntries(", "globalThis", "static {", "1n"]) {
        const place = code.replace(/\?\.\d/g, "").indexOf(newer);
        assert.ok(place < 0, `${path.relative(ROOT, file)}: ${newer}: ${code.slice(place, place + 60)}`);
      }
    }
  },

  "both kinds of programs load it": async () => {
    const modules = await import("../index.mjs");
    const common = require("..");
    assert.deepStrictEqual(Object.keys(modules).filter((name) => name !== "default").sort(),
      Object.keys(common).sort());
    assert.strictEqual(modules.Guard, common.Guard);
    assert.strictEqual(modules.default, common);
  },
};

// A machine may have node without npm.
if (hasNpm) {
  tests["it is small, and a user installs it without a network"] = (test) => {
    const folder = test.folder();
    const [packed] = JSON.parse(npm(folder, "pack", ROOT, "--json", ...OFFLINE));
    assert.ok(packed.size <= LARGEST, `${packed.size} bytes`);
    const names = packed.files.map((file) => file.path);
    assert.ok(names.includes("README.md") && !names.some((name) => name.startsWith("tests/")), names.join(" "));
    fs.mkdirSync(path.join(folder, "app"));
    fs.writeFileSync(path.join(folder, "app/package.json"), '{ "name": "app", "private": true }');
    const [notice] = JSON.parse(npm(folder, "pack", path.join(ROOT, "notice"), "--json", ...OFFLINE));
    npm(path.join(folder, "app"), "install", ...[packed, notice].map((one) => path.join(folder, one.filename)),
      ...OFFLINE);
    const code = 'import { Guard } from "webviewguard"; import { createRequire } from "module";'
      + 'const load = createRequire(import.meta.url); const { notice } = load("webviewguard-notice");'
      + 'const page = notice({ outcome: "block", reason: "noAnswer", id: "" }, { url: "https://contoso.com/" });'
      + 'console.log(Guard === load("webviewguard").Guard && page.includes("contoso.com"))';
    fs.writeFileSync(path.join(folder, "app/app.mjs"), code);
    assert.strictEqual(execFileSync(process.execPath, ["app.mjs"], { ...LIMITED, cwd: path.join(folder, "app"),
      encoding: "utf8" }), "true\n");
    // The first thing that a reader copies runs as it stands, also where nobody listens.
    const [, example] = /```js\n([^]*?)```/.exec(fs.readFileSync(path.join(ROOT, "README.md"), "utf8"));
    fs.writeFileSync(path.join(folder, "app/example.mjs"), `${example}console.log(decision.outcome, decision.reason);`);
    assert.strictEqual(execFileSync(process.execPath, ["example.mjs"], { ...LIMITED, cwd: path.join(folder, "app"),
      encoding: "utf8", env: { ...process.env, XDG_RUNTIME_DIR: folder } }), "block noAnswer\n");
  };
} else {
  console.log("npm is not installed: the package was not packed");
}

module.exports = tests;
