"use strict";

// Questions whose answers are waited for without a turn of the event loop. The daemons are programs of their own.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { spawn } = require("child_process");
const { eventually } = require("./cleanup");
const { ask, isContract, makeGuard, rest, timed, writeContract } = require("./case");
const { CONTRACT, PATIENT_MS, SHORT_MS } = require("./fake");

const TURN_MS = 5000;

async function played(test, ...names) {
  const folder = test.folder();
  // A busy machine begins a thread late: a question that nobody heard would leave the first way to the next connection.
  const answerMs = names[0] === "silent" ? 2000 : SHORT_MS;
  writeContract(folder, { ...CONTRACT, startMs: PATIENT_MS, answerMs });
  const socket = path.join(folder, "guard.sock");
  const fake = spawn(process.execPath, [path.join(__dirname, "fake.js"), socket, ...names]);
  test.add(() => fake.kill("SIGKILL"));
  await new Promise((resolve) => fake.stdout.once("data", resolve));
  return { socket, fake };
}

function syncGuard(test, socket, options) {
  return makeGuard(test, { path: socket, sync: true, ...options });
}

/** What is asked from now on has an answer, and may wait for it: what an answer costs is not what is tested. */
function patient(guard) {
  guard._engine.session.contract = { ...guard._engine.session.contract, answerMs: PATIENT_MS };
  return guard;
}

module.exports = {
  "an answer comes without a turn of the event loop": async (test) => {
    const { socket } = await played(test, "good");
    const guard = syncGuard(test, socket);
    let turned = false;
    setImmediate(() => { turned = true; });
    assert.ok(guard.startSync());
    patient(guard);
    for (let count = 0; count < 20; count += 1) {
      assert.strictEqual(guard.decideSync("navigate", { viewer: "v1", url: "https://contoso.com/" }).reason,
        "internal");
    }
    assert.ok(!turned);
    assert.strictEqual((await ask(guard)).reason, "internal");
  },

  "what was said and asked before is heard before": async (test) => {
    const { socket } = await played(test, "good");
    const guard = syncGuard(test, socket);
    guard.startSync();
    patient(guard);
    const said = guard.registerViewer("v1", { class: "documents" });
    const asked = [ask(guard), ask(guard)];
    assert.strictEqual(guard.decideSync("print", { viewer: "v1" }).reason, "internal");
    assert.deepStrictEqual((await Promise.all(asked)).map(({ reason }) => reason), ["internal", "internal"]);
    assert.strictEqual((await said).policy, null);
    assert.deepStrictEqual(guard.problems, []);
  },

  "each failure is the contract, in time": async (test) => {
    for (const name of ["silentWhenAsked", "hangsUp", "closesHalfWay", "dribbles", "late", "garbage", "neverEnds",
      "silent"]) {
      const { socket } = await played(test, name, "good");
      const guard = syncGuard(test, socket, { shortestPause: 30000 });
      if (name !== "silent") assert.ok(guard.startSync(), name);
      const { value, ms } = await timed(() => guard.decideSync("navigate", {}));
      isContract(value);
      assert.ok(ms < SHORT_MS + TURN_MS, `${name} took ${ms} ms`);
      // The next one costs nothing.
      isContract(guard.decideSync("navigate", {}));
      rest(patient(guard));
      assert.strictEqual(guard.decideSync("navigate", {}).reason, "internal", name);
      guard.close();
    }
  },

  "a deadline that is no number leaves nothing behind that waits for ever": async (test) => {
    const { socket } = await played(test, "silentWhenAsked");
    const guard = syncGuard(test, socket);
    assert.ok(guard.startSync());
    assert.throws(() => guard.decideSync("navigate", { deadline: NaN }), TypeError);
    isContract(guard.decideSync("navigate", {}));
  },

  "nobody listens, and then somebody does": async (test) => {
    const folder = test.folder();
    const socket = path.join(folder, "guard.sock");
    writeContract(folder, { ...CONTRACT, answerMs: PATIENT_MS, navigation: "open" });
    const guard = syncGuard(test, socket, { shortestPause: 30000 });
    assert.strictEqual(guard.startSync(), false);
    isContract(guard.decideSync("navigate", {}), "allow");
    const fake = spawn(process.execPath, [path.join(__dirname, "fake.js"), socket, "good"]);
    test.add(() => fake.kill("SIGKILL"));
    await new Promise((resolve) => fake.stdout.once("data", resolve));
    assert.strictEqual(guard.decideSync("navigate", {}).reason, "internal");
  },

  "a daemon that was killed is noticed before the next question": async (test) => {
    const { socket, fake } = await played(test, "good");
    const guard = syncGuard(test, socket);
    assert.ok(guard.startSync());
    const flag = guard._engine.line._transport._flag;
    const seen = Atomics.load(flag, 0);
    fake.kill("SIGKILL");
    await new Promise((resolve) => fake.once("close", resolve));
    // The thread has told of its end and of its close, and two attempts may follow each other. No turn of the event loop passes between the two.
    for (const until = Date.now() + PATIENT_MS, told = () => Atomics.load(flag, 0); told() < seen + 2;) {
      assert.ok(Date.now() < until, "the thread tells of its end");
      Atomics.wait(flag, 0, told(), PATIENT_MS);
    }
    for (const until = Date.now() + 200; Date.now() < until;);
    isContract(guard.decideSync("navigate", {}));
    // A process that is dying may have taken one more connection before, and lost it.
    const codes = guard.problems.map(({ code }) => code);
    assert.strictEqual(codes.pop(), "unreachable");
    assert.ok(codes.every((code) => code === "connectionLost"), codes.join());
  },

  "a guard that closes before its thread has begun leaves no thread behind": async (test) => {
    const { socket } = await played(test, "good");
    const threads = () => fs.readdirSync("/proc/self/task").length;
    for (let time = 0; time < 5; time += 1) {
      const before = threads();
      const guard = syncGuard(test, socket);
      guard.start();
      guard.close();
      assert.ok(threads() <= before);
    }
  },

  "a thread that ends is as a connection that was lost": async (test) => {
    const { socket } = await played(test, "good");
    const guard = syncGuard(test, socket);
    assert.ok(guard.startSync());
    await guard._engine.line._transport._worker.terminate();
    rest(patient(guard));
    assert.strictEqual((await ask(guard)).reason, "internal");
    assert.strictEqual(guard.decideSync("navigate", {}).reason, "internal");
  },

  "a thread that ends while somebody waits": async (test) => {
    const { socket } = await played(test, "silentWhenAsked", "good");
    const guard = syncGuard(test, socket);
    assert.ok(guard.startSync());
    // It ends in the middle of the question: nobody hears of that before the event loop turns.
    const ended = guard._engine.line._transport._worker.terminate();
    const { value, ms } = await timed(() => guard.decideSync("navigate", {}));
    isContract(value);
    assert.ok(ms < SHORT_MS + TURN_MS, `it took ${ms} ms`);
    isContract(guard.decideSync("navigate", {}));
    await ended;
    rest(patient(guard));
    await eventually(async () => {
      rest(guard);
      return (await ask(guard)).reason === "internal";
    }, "another thread answers");
    assert.strictEqual(guard.decideSync("navigate", {}).reason, "internal");
  },

  "a guard that waits for nothing keeps no program alive": async (test) => {
    const { socket } = await played(test, "good");
    const code = `const { Guard } = require(${JSON.stringify(path.join(__dirname, ".."))});
      const guard = new Guard({ path: process.argv[1], sync: true });
      guard.startSync();
      console.log(guard.decideSync("print").reason);
      guard.print().then(({ reason }) => console.log(reason));`;
    const child = spawn(process.execPath, ["-e", code, socket]);
    test.add(() => child.kill("SIGKILL"));
    let said = "";
    child.stdout.on("data", (text) => { said += text; });
    await new Promise((resolve) => child.once("close", resolve));
    assert.strictEqual(said, "internal\ninternal\n");
  },
};
