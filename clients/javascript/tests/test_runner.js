"use strict";

// The runner itself: whatever a test does, the run ends, and says which test it was.

const assert = require("assert");
const path = require("path");
const { spawnSync } = require("child_process");
const { LIMITED } = require("./cleanup");
const { Daemon } = require("./real");

/** Runs tests, a source each, that may take so long; what is said, and how it ends. */
function ran(patienceMs, ...sources) {
  const code = `require(${JSON.stringify(path.join(__dirname, "runner"))}).runAll([["a", {
    ${sources.map((source, number) => `"test ${number}": ${source}`).join(",\n")} }]], [], ${patienceMs});`;
  const env = { ...process.env, WEBVIEWGUARD_RESULTS: "", WEBVIEWGUARD_ONLY: "" };
  const { stdout, status, signal } = spawnSync(process.execPath, ["-e", code], { ...LIMITED, env, encoding: "utf8" });
  return { said: stdout, ending: signal || status };
}

const good = "() => 1";

module.exports = {
  "a test or an end that never comes about fails, and what follows runs": () => {
    const never = "new Promise(() => {})";
    const { said, ending } = ran(1000, `() => ${never}`, `(test) => test.add(() => ${never})`,
      `(test) => { test.add(() => console.log("ended")); test.add(() => { throw new Error("no end"); }); }`, good);
    const failed = ["FAIL: a: test 0", "FAIL: a: test 1", "FAIL: a: test 2"];
    assert.deepStrictEqual([said.match(/^FAIL: .*$/mg), ending], [failed, 1]);
    assert.ok(said.includes("1 tests passed, 3 failed") && said.includes("ended\n") && said.includes("no end"), said);
  },

  "a run in which each test waits in vain ends before its last one": () => {
    const { said, ending } = ran(100, ...Array(9).fill("() => new Promise(() => {})"), good);
    assert.ok(said.includes("0 tests passed, 10 failed") && said.includes("not begun"), said);
    assert.strictEqual(ending, 1);
  },

  "a test that lets nothing else happen ends the run": () => {
    // No timer runs before the last of what is ready.
    const { said, ending } = ran(300, good, "async () => { for (;;) await null; }", good);
    assert.deepStrictEqual([said.match(/^FAIL: .*$/mg), ending], [["FAIL: a: test 1"], "SIGKILL"], said);
  },

  "a run that ends before its tests has not passed": () => {
    assert.strictEqual(ran(1000, good).ending, 0);
    assert.strictEqual(ran(1000, "() => process.exit()", good).ending, 1);
  },

  "a daemon that ended by itself is not waited for": async (test) => {
    const daemon = await new Daemon(test).start();
    process.kill(daemon.process.pid, "SIGKILL");
    await new Promise((resolve) => daemon.process.once("exit", resolve));
    await daemon.stop();
    assert.strictEqual(daemon.process, null);
  },
};
