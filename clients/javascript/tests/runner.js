"use strict";

const fs = require("fs");
const { Worker } = require("worker_threads");
const { Cleanup, inTime } = require("./cleanup");

// Whoever takes so long takes for ever.
const PATIENCE_MS = 180000;
// So late a timer may be on a busy machine.
const LATE_MS = 1500;

// As scripts/again.py names them: the file where each test is told, and the tests to run instead of all.
const { WEBVIEWGUARD_RESULTS: RESULTS, WEBVIEWGUARD_ONLY: ONLY } = process.env;

// A test's name as one word, which a list of tests needs.
const word = (name) => name.replace(/\W+/g, "_");

function tell(what, name) {
  if (RESULTS) fs.appendFileSync(RESULTS, `${what} ${word(name)}\n`);
}

function chosen(modules, wanted) {
  const all = [];
  for (const [module, tests] of modules) {
    for (const name of Object.keys(tests)) all.push({ name: `${module}: ${name}`, test: tests[name] });
  }
  if (ONLY) return all.filter(({ name }) => ONLY.split(" ").includes(word(name)));
  return wanted.length === 0 ? all : all.filter(({ name }) => wanted.some((word) => name.includes(word)));
}

/** Ends this program when a test lets no timer run: nothing in the thread of that test could. */
class Watch {
  constructor(mostMs) {
    this._mostMs = mostMs;
    this._thread = new Worker(WATCHING, { eval: true });
    this._thread.unref();
  }

  begin(name) {
    this._thread.postMessage({ name, mostMs: this._mostMs });
  }
}

const WATCHING = `
const { writeSync } = require("fs");
let timer;
require("worker_threads").parentPort.on("message", ({ name, mostMs }) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    writeSync(1, "FAIL: " + name + "\\nit does not end, and lets nothing else happen\\n");
    process.kill(process.pid, "SIGKILL");
  }, mostMs);
});`;

async function run({ name, test }, patienceMs) {
  const cleanup = new Cleanup(patienceMs / 3);
  const began = Date.now();
  let problem = null;
  try {
    await inTime(async () => test(cleanup), patienceMs, "the test");
  } catch (error) {
    problem = error;
  }
  await cleanup.run().catch((error) => { problem = problem || error; });
  return { name, problem, ms: Date.now() - began };
}

/** Where each test waits in vain, as for a daemon that never serves, a run would take hours: the rest has failed. */
function notBegun({ name }) {
  tell("failed", name);
  console.log(`FAIL: ${name}\nnot begun, since the run takes too long\n`);
  return { name, problem: "not begun", ms: 0 };
}

/** Runs tests `[module, { name: test }]` of which one of the words is part of the name, tells what failed, and ends. */
async function runAll(modules, wanted, patienceMs = PATIENCE_MS) {
  // Should nothing be left that keeps this program alive, its tests have not passed.
  process.exitCode = 1;
  const watch = new Watch(2 * patienceMs + LATE_MS);
  const results = [];
  const began = Date.now();
  for (const each of chosen(modules, wanted)) {
    if (Date.now() - began > 4 * patienceMs) {
      results.push(notBegun(each));
      continue;
    }
    tell("started", each.name);
    watch.begin(each.name);
    const result = await run(each, patienceMs);
    results.push(result);
    tell(result.problem === null ? "passed" : "failed", each.name);
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

module.exports = { runAll };
