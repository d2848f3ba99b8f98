#!/usr/bin/env node
"use strict";

// Runs the tests of the JavaScript client:
//
//   node run.js [NAME...]     NAME is part of a test's name, or of its module's
//
// A test is a function under its name: `module.exports = { "what holds": async (test) => { ... } }`.

const { Cleanup } = require("./cleanup");

const MODULES = [
  require("./test_package"), require("./test_words"), require("./test_vectors"), require("./test_said"),
  require("./test_failures"), require("./test_sync"), require("./test_trust"), require("./test_listening"),
  require("./test_scopes"), require("./test_real"),
];
const NAMES = [
  "package", "words", "vectors", "said", "failures", "sync", "trust", "listening", "scopes", "real",
];
// Whoever takes so long takes for ever.
const PATIENCE_MS = 180000;

function chosen(wanted) {
  const all = [];
  MODULES.forEach((module, place) => Object.keys(module).forEach((name) => {
    all.push({ name: `${NAMES[place]}: ${name}`, test: module[name] });
  }));
  return wanted.length === 0 ? all : all.filter(({ name }) => wanted.some((word) => name.includes(word)));
}

async function run({ name, test }) {
  const cleanup = new Cleanup();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("it does not end")), PATIENCE_MS);
  });
  const began = Date.now();
  let problem = null;
  try {
    await Promise.race([test(cleanup), late]);
  } catch (error) {
    problem = error;
  }
  clearTimeout(timer);
  await cleanup.run().catch((error) => { problem = problem || error; });
  return { name, problem, ms: Date.now() - began };
}

async function main(wanted) {
  const results = [];
  for (const each of chosen(wanted)) {
    const result = await run(each);
    results.push(result);
    if (result.problem !== null) console.log(`FAIL: ${result.name}\n${result.problem.stack || result.problem}\n`);
  }
  for (const { name, ms } of [...results].sort((one, other) => other.ms - one.ms).slice(0, 5)) {
    console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`);
  }
  const failed = results.filter(({ problem }) => problem !== null);
  console.log(`${results.length - failed.length} tests passed, ${failed.length} failed`);
  // What a test left open must not keep this from ending.
  process.exit(failed.length > 0 || results.length === 0 ? 1 : 0);
}

main(process.argv.slice(2));
