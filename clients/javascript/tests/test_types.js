"use strict";

// The types, read by the compiler that programs use: every example compiles against them, and they have the names that
// the code has, and no others.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { execFileSync } = require("child_process");
const { LIMITED } = require("./cleanup");
const samples = require("./typed_samples");

const ROOT = path.join(__dirname, "..");
const TREE = path.join(ROOT, "../..");
const PACKAGES = { webviewguard: ".", "webviewguard-notice": "notice", "webviewguard-sealing": "sealing" };
const MODULES = {
  webviewguard: "index.js", "webviewguard/electron": "electron.js", "webviewguard-notice": "notice/index.js",
  "webviewguard-sealing": "sealing/index.js",
};
// A parameter has no type in JavaScript.
const IMPLICIT_ANY = 7006;
const OF_ERRORS = ["cause", "message", "name", "stack"];

/** The compiler's own library; null where there is none. */
function compiler() {
  try {
    const program = execFileSync("sh", ["-c", "command -v tsc"], { ...LIMITED, encoding: "utf8" }).trim();
    return require(path.join(path.dirname(fs.realpathSync(program)), "../lib/typescript.js"));
  } catch (problem) {
    return null;
  }
}

/** The examples in JavaScript of a page, each with its line. */
function examples(page) {
  const parts = fs.readFileSync(page, "utf8").split(/^```/m);
  const found = [];
  for (let at = 0, line = 1; at < parts.length; line += parts[at].split("\n").length - 1, at += 1) {
    const [, code] = /^(?:js|ts|javascript|typescript)\n([^]*)/.exec(parts[at]) || [];
    if (at % 2 === 1 && code !== undefined) found.push({ name: `${path.relative(TREE, page)}:${line}`, code });
  }
  return found;
}

/** The programs of the packages, without those for tests. */
function sources(folder) {
  return [].concat(...fs.readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return ["tests", "node_modules"].includes(entry.name) ? [] : sources(file);
    return /\.m?js$/.test(file) ? [file] : [];
  }));
}

function pages() {
  const docs = path.join(TREE, "docs");
  const there = fs.existsSync(docs) ? fs.readdirSync(docs).map((name) => path.join(docs, name)) : [];
  const readmes = [ROOT, path.join(ROOT, "notice"), path.join(ROOT, "sealing"), TREE].map((folder) => (
    path.join(folder, "README.md")));
  const all = [...there, ...readmes, path.join(ROOT, "GUIDE.md")];
  return all.filter((file) => file.endsWith(".md") && fs.existsSync(file));
}

/** `require` as the same import, whose names the compiler knows. */
function asModule(code) {
  return `${code.replace(/const (\w+) = require\("([^"]*)"\);.*/g, 'import * as $1 from "$2";')
    .replace(/const (\{[^}]*\}) = require\("([^"]*)"\);.*/g, 'import $1 from "$2";')
    .replace(/"[./]*clients\/javascript\/electron\.js"/g, '"webviewguard/electron"')
    .replace(/require\("webviewguard-sealing"\)/g, 'await import("webviewguard-sealing")')}\nexport {};\n`;
}

/** A folder with the packages as npm puts them there, and the programs. */
function installed(folder, programs) {
  for (const [name, place] of Object.entries(PACKAGES)) {
    const at = path.join(folder, "node_modules", name);
    fs.mkdirSync(at, { recursive: true });
    for (const file of fs.readdirSync(path.join(ROOT, place)).filter((one) => /\.(d\.ts|json)$/.test(one))) {
      fs.copyFileSync(path.join(ROOT, place, file), path.join(at, file));
    }
  }
  fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  fs.copyFileSync(path.join(__dirname, "types/around.d.ts"), path.join(folder, "around.d.ts"));
  return [path.join(folder, "around.d.ts"), ...programs.map(({ code }, number) => {
    const file = path.join(folder, `program${number}.mts`);
    fs.writeFileSync(file, code);
    return file;
  })];
}

/** What the compiler makes of the programs, with `--noEmit --strict`. */
function compiled(ts, folder, programs) {
  return ts.createProgram(installed(folder, programs), {
    strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext, lib: ["lib.es2022.d.ts"], types: [],
  });
}

/** A program's mistakes, as somebody reads them who has its text. */
function mistakes(ts, program, programs) {
  return ts.getPreEmitDiagnostics(program).filter(({ code }) => code !== IMPLICIT_ANY).map((one) => {
    const text = ts.flattenDiagnosticMessageText(one.messageText, "\n");
    if (!one.file) return text;
    const { line } = one.file.getLineAndCharacterOfPosition(one.start);
    const [, number] = /program(\d+)\.mts$/.exec(one.file.fileName) || [];
    const name = number === undefined ? path.basename(one.file.fileName) : programs[number].name;
    return `${name}, line ${line + 1}: ${text}\n    ${one.file.text.split("\n")[line].trim()}`;
  });
}

/** The members that a value has for everybody, of its class too. */
function membersOf(value) {
  const found = new Set();
  for (let at = value; at && at !== Object.prototype && at !== Error.prototype && at !== Function.prototype;
    at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) found.add(name);
  }
  return [...found].filter((name) => name !== "constructor" && !name.startsWith("_")).sort();
}

/** Every example, a whole program, and all names of all modules: compiled once, for all tests. */
function everything(test) {
  const ts = compiler();
  const read = (name, file) => ({ name, code: fs.readFileSync(file, "utf8") });
  const found = [].concat(...pages().map(examples));
  assert.ok(found.length >= 8, `${found.length} examples`);
  found.push(read("electron_main.js", path.join(TREE, "examples/foreign/electron_main.js")));
  found.push(read("program.mts", path.join(__dirname, "types/program.mts")));
  const programs = found.map(({ name, code }) => ({ name, code: asModule(code) }));
  const imports = Object.keys(MODULES).map((name, number) => (
    `import * as m${number} from "${name}"; export { m${number} };`));
  programs.push({ name: "names", code: imports.join("\n") });
  return { ts, programs, program: compiled(ts, test.folder(), programs) };
}

let made = null;

/** The symbols of each module's types, by the module's name. */
function typedNames(ts, program, programs) {
  const checker = program.getTypeChecker();
  const last = `program${programs.length - 1}.mts`;
  const source = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(last));
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
  return new Map(Object.keys(MODULES).map((name, number) => {
    const module = checker.getAliasedSymbol(exported.find((one) => one.getName() === `m${number}`));
    return [name, checker.getExportsOfModule(module)];
  }));
}

const tests = {
  "every example and a whole program compile": (test) => {
    made = made || everything(test);
    assert.deepStrictEqual(mistakes(made.ts, made.program, made.programs), []);
  },

  "what old programs read is ES2019": () => {
    const ts = compiler();
    // What the compiler writes for engines of 2019 is what it writes for the newest ones, unless there is something newer.
    const written = (text, target) => ts.transpileModule(text, { fileName: "file.js", compilerOptions: { target,
      module: ts.ModuleKind.ESNext, removeComments: true, allowJs: true } }).outputText;
    const isOld = (text) => written(text, ts.ScriptTarget.ES2019) === written(text, ts.ScriptTarget.ESNext);
    for (const text of ["a?.b", "a ?? b", "a ||= b", "1_000", "class A { x = 1 }", "class A { #x }",
      "class A { static {} }"]) {
      assert.ok(!isOld(text), text);
    }
    const files = sources(ROOT);
    assert.ok(files.length > 40);
    const texts = files.map((file) => fs.readFileSync(file, "utf8"));
    // At once they take half the time: each in a block, which no module can be.
    const whole = texts.filter((_, at) => files[at].endsWith(".js")).map((text) => `{\n${text}\n}`).join("\n");
    const isKnown = isOld(whole) ? (file) => file.endsWith(".js") : () => false;
    const newer = files.filter((file, at) => !isKnown(file) && !isOld(texts[at]));
    assert.deepStrictEqual([newer, isKnown("a.js")], [[], true]);
  },

  "the modules and their types have the same names": (test) => {
    made = made || everything(test);
    const { ts, program, programs } = made;
    for (const [name, symbols] of typedNames(ts, program, programs)) {
      const values = symbols.filter(({ flags }) => flags & ts.SymbolFlags.Value).map((one) => one.getName());
      const real = Object.keys(require(path.join(ROOT, MODULES[name])));
      assert.deepStrictEqual(values.filter((one) => one !== "default").sort(), real.sort(), name);
    }
  },

  "classes and interfaces have the members of their types": async (test) => {
    made = made || everything(test);
    const { ts, program, programs } = made;
    const checker = program.getTypeChecker();
    const types = new Map([].concat(...typedNames(ts, program, programs).values()).map((one) => [one.getName(), one]));
    for (const [name, value] of Object.entries(await samples(test))) {
      assert.ok(types.has(name), `${name} has no type`);
      const typed = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(types.get(name)));
      const names = typed.map((one) => one.getName()).filter((one) => !one.startsWith("__@"));
      const isOurs = (one) => !(value instanceof Error && OF_ERRORS.includes(one));
      assert.deepStrictEqual(names.filter(isOurs).sort(), membersOf(value).filter(isOurs), name);
    }
  },
};

if (compiler() === null) {
  console.log("tsc is not installed (Debian: node-typescript): the types were not compiled");
  module.exports = {};
} else {
  module.exports = tests;
}
