"use strict";

// A daemon that fails in every way: questions are answered by the contract, in time, and the next at once.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { Guard, GuardError } = require("..");
const { BackOff } = require("../lib/backoff");
const { cpus } = require("os");
const { URL_HERE, ask, isContract, makeGuard, play, rest, timed, writeContract } = require("./case");
const { CONTRACT, PATIENT_MS, SHORT_MS, ways } = require("./fake");
const { eventually } = require("./cleanup");

const FAILURES = [
  "silentWhenAsked", "hangsUp", "closesHalfWay", "dribbles", "late", "garbage", "neverEnds",
];
// Of a daemon that hangs: no machine is so busy by itself.
const LONG_MS = 3000;
// Nothing is tried again by itself, however slow the machine is; `rest` ends it.
const LONG_PAUSE = { shortestPause: 30000 };
// A busy machine may let a program wait this long for its turn.
const TURN_MS = 5000;

/** Answers as the contract says without waiting for anything: not even a turn of the event loop passes. */
async function atOnce(guard) {
  let turned = false;
  setImmediate(() => { turned = true; });
  const decision = await ask(guard);
  assert.ok(!turned, "it waits");
  return decision;
}

module.exports = {
  "each failure is the contract, and the next question is answered at once": async (test) => {
    for (const name of FAILURES) {
      const daemon = await play(test, ways[name], ways.good);
      const guard = makeGuard(test, { path: daemon.path, ...LONG_PAUSE });
      assert.ok(await guard.start(), name);
      const { value, ms } = await timed(() => ask(guard));
      isContract(value);
      assert.ok(ms < SHORT_MS + TURN_MS, `${name} took ${ms} ms`);
      isContract(await atOnce(guard));
      assert.ok(["noAnswer", "connectionLost", "invalidReply"].includes(guard.problems[0].code), name);
      rest(guard);
      assert.strictEqual((await ask(guard)).reason, "internal", name);
    }
  },

  "who hangs costs one question its time, and the others next to nothing": async (test) => {
    const hangs = async (peer) => {
      await peer.attach({ answerMs: LONG_MS });
      await peer.staySilent();
    };
    const daemon = await play(test, hangs, ways.silent);
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    assert.ok((await timed(() => ask(guard))).ms >= LONG_MS - 10);
    for (let count = 0; count < 10; count += 1) {
      const { value, ms } = await timed(() => ask(guard));
      isContract(value);
      assert.ok(ms < LONG_MS / 2, `${ms} ms`);
      rest(guard);
    }
    assert.ok(daemon.peers.length > 1);
  },

  "a late answer is never that to the next question": async (test) => {
    const daemon = await play(test, ways.late);
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    for (let count = 0; count < 3; count += 1) {
      isContract(await ask(guard));
      rest(guard);
    }
  },

  "questions that are on their way when one is late are answered too": async (test) => {
    const daemon = await play(test, ways.silentWhenAsked);
    const guard = makeGuard(test, { path: daemon.path, ...LONG_PAUSE });
    await guard.start();
    const decisions = await Promise.all([guard.navigate(), guard.copy(), guard.print(), guard.decideMany([["index",
      {}]])]);
    assert.deepStrictEqual(decisions.map((one) => (Array.isArray(one) ? one[0] : one).outcome),
      ["block", "block", "allow", "allow"]);
  },

  "who accepts and never answers": async (test) => {
    const daemon = await play(test, ways.silent);
    const guard = makeGuard(test, { path: daemon.path });
    const { value, ms } = await timed(() => guard.start());
    assert.strictEqual(value, false);
    assert.ok(ms >= CONTRACT.startMs - 5 && ms < CONTRACT.startMs + TURN_MS, `${ms} ms`);
    isContract(await ask(guard));
    rest(guard);
    isContract(await ask(guard));
  },

  "no socket at all": async (test) => {
    const daemon = await play(test);
    const folder = path.dirname(daemon.path);
    fs.writeFileSync(path.join(folder, "file"), "");
    for (const name of ["missing.sock", "no/such/directory.sock", "file", "x".repeat(300), "nul\0byte"]) {
      const guard = makeGuard(test, { path: `${folder}/${name}` });
      isContract(await ask(guard));
      assert.strictEqual(guard.problems[0].code, "unreachable", name);
    }
  },

  "who is refused is blocked and told why, whatever the contract says": async (test) => {
    const daemon = await play(test, ways.refuses);
    writeContract(path.dirname(daemon.path), { ...CONTRACT, navigation: "open" });
    const guard = makeGuard(test, { path: daemon.path, ...LONG_PAUSE });
    const decisions = [
      await ask(guard), await atOnce(guard), ...await guard.decideMany([["navigate", {}], ["copy", {}]]),
    ];
    for (const decision of decisions) {
      assert.deepStrictEqual([decision.outcome, decision.reason, decision.isLocal], ["block", "NoApp", true]);
      assert.ok(decision.message.includes("does not know this program"));
    }
    assert.deepStrictEqual([guard.problems[0].code, guard.problems[0].method], ["NoApp", "Attach"]);
    await assert.rejects(guard.call("DecideMany", { questions: [] }), { code: "NoApp" });
    // Nobody is there any more: that is what the contract is for.
    fs.unlinkSync(daemon.path);
    rest(guard);
    for (let count = 0; count < 2; count += 1) isContract(await ask(guard), "allow");
  },

  "the first question after an outage is answered": async (test) => {
    const daemon = await play(test);
    fs.renameSync(daemon.path, `${daemon.path}.away`);
    const guard = makeGuard(test, { path: daemon.path, ...LONG_PAUSE });
    for (let count = 0; count < 5; count += 1) isContract(await ask(guard));
    fs.renameSync(`${daemon.path}.away`, daemon.path);
    assert.strictEqual((await ask(guard)).reason, "internal");
    assert.strictEqual(daemon.peers.length, 1);
  },

  "also where the socket is still there and nobody listens": async (test) => {
    const { spawnSync } = require("child_process");
    const socket = path.join(test.folder(), "guard.sock");
    // A program that is killed leaves its socket behind.
    spawnSync(process.execPath, ["-e", `require("net").createServer().listen(${JSON.stringify(socket)}, () =>
      process.kill(process.pid, "SIGKILL"))`]);
    const guard = makeGuard(test, { path: socket, ...LONG_PAUSE });
    for (let count = 0; count < 3; count += 1) isContract(await ask(guard));
    assert.ok(guard.problems[0].message.includes("ECONNREFUSED"), guard.problems[0].message);
    fs.unlinkSync(socket);
    const { FakeDaemon } = require("./fake");
    const daemon = await new FakeDaemon(socket).listen();
    test.add(() => daemon.close());
    assert.strictEqual((await ask(guard)).reason, "internal");
  },

  "questions do not put off the attempt that is made by itself": async (test) => {
    const guard = makeGuard(test, { path: path.join(test.folder(), "none.sock"), ...LONG_PAUSE });
    await ask(guard);
    const due = guard._engine.session.wakeAt();
    for (let count = 0; count < 3; count += 1) await ask(guard);
    assert.strictEqual(guard._engine.session.wakeAt(), due);
  },

  "it connects again by itself": async (test) => {
    const daemon = await play(test, ways.hangsUp, ways.good);
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    isContract(await ask(guard));
    const keepsAlive = setInterval(() => {}, 1000);
    test.add(() => clearInterval(keepsAlive));
    await eventually(() => guard.isConnected, "the guard is connected again");
  },

  "a shorter wait may be asked for": async (test) => {
    const daemon = await play(test, ways.silentWhenAsked);
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    isContract(await ask(guard, { deadline: 20 }));
    const { event } = daemon.heard[daemon.heard.length - 1].parameters;
    assert.ok(event.deadline <= 20 && event.deadline >= 1);
  },

  "the event says what is left of the time": async (test) => {
    const daemon = await play(test);
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    await ask(guard, { deadline: 1e9 });
    const { deadline } = daemon.heard[daemon.heard.length - 1].parameters.event;
    assert.ok(deadline > 0 && deadline <= PATIENT_MS);
  },

  "an answer that lies there unread after a pause of the program counts": async (test) => {
    const { spawn } = require("child_process");
    const folder = test.folder();
    const socket = path.join(folder, "guard.sock");
    const fake = spawn(process.execPath, [path.join(__dirname, "fake.js"), socket, "good"]);
    test.add(() => fake.kill());
    await new Promise((resolve) => fake.stdout.once("data", resolve));
    const guard = makeGuard(test, { path: socket });
    assert.ok(await guard.start());
    const asked = ask(guard, { deadline: 100 });
    for (const until = Date.now() + 1000; Date.now() < until;) cpus();
    assert.strictEqual((await asked).reason, "internal");
  },

  "a daemon that ended between two questions costs none": async (test) => {
    const answersOne = async (peer) => {
      await peer.attach();
      peer.answer(await peer.call());
      await new Promise((resolve) => setTimeout(resolve, 110));
    };
    const daemon = await play(test, answersOne, ways.good);
    const guard = makeGuard(test, { path: daemon.path });
    assert.strictEqual((await ask(guard)).reason, "internal");
    await eventually(() => !guard.isConnected || daemon.peers.length === 2, "the guard hears of it");
    assert.strictEqual((await ask(guard)).reason, "internal");
    assert.deepStrictEqual([daemon.peers.length, guard.problems], [2, []]);
  },

  "a reply to nothing is no answer to the next question": async (test) => {
    const daemon = await play(test, ways.chatters, ways.good);
    const guard = makeGuard(test, { path: daemon.path, ...LONG_PAUSE });
    assert.ok(await guard.start());
    await eventually(() => !guard.isConnected, "the guard hears of it");
    isContract(await atOnce(guard));
    assert.strictEqual(guard.problems[0].code, "invalidReply");
  },

  "state calls wait no longer and throw nothing": async (test) => {
    const daemon = await play(test, ways.silentWhenAsked);
    const guard = makeGuard(test, { path: daemon.path, ...LONG_PAUSE });
    await guard.start();
    assert.strictEqual((await guard.registerViewer("v1")).policy, null);
    assert.strictEqual(await guard.setDocument("v1", "https://contoso.com/"), false);
    assert.strictEqual((await guard.setIdentity("process", { account: "a", gates: "success" })).result, "failed");
    await assert.rejects(guard.setDocument("v2", "https://contoso.com/"), { code: "UnknownViewer" });
  },

  "the start waits for a daemon that is late": async (test) => {
    const daemon = await play(test);
    fs.renameSync(daemon.path, `${daemon.path}.away`);
    const guard = makeGuard(test, { path: daemon.path });
    setTimeout(() => fs.renameSync(`${daemon.path}.away`, daemon.path), 150);
    assert.ok(await guard.start());
  },

  "what is said before the start is said first": async (test) => {
    const daemon = await play(test);
    const guard = makeGuard(test, { path: daemon.path });
    const before = await guard.registerViewer("v1", { class: "documents" });
    assert.strictEqual(before.policy, null);
    await guard.start();
    await ask(guard);
    assert.deepStrictEqual(daemon.heard.map((call) => call.method), ["Attach", "RegisterViewer", "Navigate"]);
  },

  "mistakes of the program are told before anything is sent": async (test) => {
    const daemon = await play(test);
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    await assert.rejects(guard.navigate({ viewer: "v1", ulr: URL_HERE }), TypeError);
    await assert.rejects(guard.copy({ length: NaN }), TypeError);
    await assert.rejects(guard.decide("fly", {}), TypeError);
    await assert.rejects(guard.registerViewer("v1", { viewerClass: "documents" }), TypeError);
    await assert.rejects(guard.setIdentity("process", { acount: "a" }), TypeError);
    assert.throws(() => new Guard({ appp: "a" }), TypeError);
    assert.throws(() => guard.decideSync("print"), /sync: true/);
    assert.deepStrictEqual(daemon.heard.map((call) => call.method), ["Attach"]);
  },

  "a deadline that is no number takes no answer from the next question": async (test) => {
    const daemon = await play(test);
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    for (const deadline of [NaN, "soon", {}]) {
      await assert.rejects(ask(guard, { deadline }), TypeError);
      assert.strictEqual((await ask(guard)).reason, "internal");
    }
  },

  "who starts it twice hears twice": async (test) => {
    for (const way of [ways.good, ways.silent]) {
      const daemon = await play(test, way);
      const guard = makeGuard(test, { path: daemon.path });
      assert.deepStrictEqual(await Promise.all([guard.start(), guard.start()]), Array(2).fill(way === ways.good));
    }
  },

  "a closed guard answers by the contract": async (test) => {
    const daemon = await play(test, ways.silentWhenAsked);
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    const asked = ask(guard);
    guard.close();
    isContract(await asked);
    isContract(await ask(guard));
    assert.strictEqual(await guard.start(), false);
    assert.throws(() => guard.listen({}), GuardError);
    guard.close();
  },

  "a guard that waits for nothing keeps no program alive": async (test) => {
    const { spawn } = require("child_process");
    const daemon = await play(test);
    const code = `const { Guard } = require(${JSON.stringify(path.join(__dirname, ".."))});
      const guard = new Guard({ path: process.argv[1] });
      guard.start().then(async () => console.log((await guard.print()).reason));`;
    const child = spawn(process.execPath, ["-e", code, daemon.path]);
    test.add(() => child.kill());
    let said = "";
    child.stdout.on("data", (text) => { said += text; });
    await new Promise((resolve) => child.once("close", resolve));
    assert.strictEqual(said, "internal\n");
  },

  "attempts become rare, and success resets them": () => {
    const backOff = new BackOff(() => 1);
    const waits = [];
    let now = 100000;
    for (let count = 0; count < 9; count += 1) {
      backOff.attempted(now);
      backOff.failed(now, "gone");
      waits.push(backOff.until - now);
      assert.strictEqual(backOff.askedUntil - now, 100);
      now = backOff.until;
    }
    assert.deepStrictEqual(waits, [125, 250, 500, 1000, 2000, 4000, 6250, 6250, 6250]);
    backOff.succeeded();
    backOff.failed(now, "bad");
    assert.deepStrictEqual([backOff.until - now, backOff.askedUntil - now], [125, 125]);
  },

  "whatever happens nobody waits longer than the contract says": async (test) => {
    // A small generator of its own, so that the order is the same each time.
    let seed = 5;
    const chance = (count) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % count;
    };
    const names = [...FAILURES, "silent", "refuses", "hangsUpAtOnce"];
    const scripts = Array.from({ length: 25 }, () => ways[names[chance(names.length)]]);
    const daemon = await play(test, ...scripts);
    const guard = makeGuard(test, { path: daemon.path, ...LONG_PAUSE });
    while (daemon.peers.length < scripts.length) {
      const { value, ms } = await timed(() => ask(guard));
      assert.ok(ms < CONTRACT.answerMs + TURN_MS, `${ms} ms`);
      assert.ok(value.isLocal && !value.allowed, value.reason);
      rest(guard);
    }
  },
};
