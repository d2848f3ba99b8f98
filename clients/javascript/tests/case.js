"use strict";

// What the tests with a fake daemon stand on.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { Guard } = require("..");
const { CONTRACT, FakeDaemon } = require("./fake");

const URL_HERE = "https://contoso.com/";

/** A fake daemon in a folder of its own, with its contract beside it, until the test is over. */
async function play(test, ...scripts) {
  const folder = test.folder();
  const daemon = await new FakeDaemon(path.join(folder, "guard.sock"), ...scripts).listen();
  test.add(() => daemon.close());
  writeContract(folder, CONTRACT);
  return daemon;
}

function writeContract(folder, contract, mode = 0o644) {
  const file = path.join(folder, "contract.json");
  fs.writeFileSync(file, JSON.stringify(contract));
  fs.chmodSync(file, mode);
}

/** A guard that ends with the test; `guard.problems` are those that it told. */
function makeGuard(test, options) {
  const problems = [];
  const guard = new Guard({ onProblem: (problem) => problems.push(problem), ...options });
  guard.problems = problems;
  test.add(() => guard.close());
  return guard;
}

function ask(guard, event = {}) {
  return guard.navigate({ viewer: "v1", url: URL_HERE, frame: "main", ...event });
}

/** How long a busy machine may wake up late. What must come at once has not waited for a deadline, which is longer. */
async function timed(work) {
  const began = process.hrtime.bigint();
  const value = await work();
  return { value, ms: Number(process.hrtime.bigint() - began) / 1e6 };
}

/** The back-off is over. */
function rest(guard) {
  guard._engine.session._backOff.pause(-Infinity);
}

function isContract(decision, outcome = "block") {
  assert.deepStrictEqual([decision.outcome, decision.reason, decision.id, decision.isLocal], [outcome, "noAnswer", "",
    true]);
  assert.strictEqual(decision.message === null, decision.allowed);
}

/** The cases of a file of vectors that the clients of all languages share. */
function vectors(name) {
  return JSON.parse(fs.readFileSync(path.join(__dirname, "../../vectors", `${name}.json`), "utf8"));
}

/** Fails with the case's name. */
async function each(cases, work) {
  assert.ok(cases.length > 0);
  for (const one of cases) {
    try {
      await work(one);
    } catch (problem) {
      problem.message = `${one.name || JSON.stringify(one)}: ${problem.message}`;
      throw problem;
    }
  }
}

module.exports = { URL_HERE, ask, each, isContract, makeGuard, play, rest, timed, vectors, writeContract };
