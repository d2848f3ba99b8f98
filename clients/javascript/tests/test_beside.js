"use strict";

// The second connection of a guard with `sync`, for questions that nobody waits for in the middle of a hook.

const assert = require("assert");
const { ask, isContract, makeGuard, play, rest } = require("./case");
const { eventually } = require("./cleanup");
const { CONTRACT, PATIENT_MS, SHORT_MS, ways } = require("./fake");
const { APP, PERSONAL, WORK, managed, serving } = require("./real");
const { EVENT_KINDS } = require("../lib/words");

const OUT = { viewer: "docs", url: "https://example.net/", frame: "main" };
const REDIRECTED = "redirect";
const patient = { ...CONTRACT, answerMs: PATIENT_MS, startMs: PATIENT_MS };

const second = (guard) => guard._engine.beside._engine;

/** Waits until the second connection is there, on which nobody asks yet. */
async function joined(guard) {
  await eventually(async () => {
    if (second(guard) === null) await ask(guard);
    return second(guard) !== null;
  }, "the second connection");
  await eventually(() => second(guard).session.isReady, "it is joined");
}

/** A guard with both connections to a daemon that plays the scripts; the first plays the first. */
const both = (test, ...scripts) => pausing(test, 30000, ...scripts);

/** As `both`, and after a failure it is tried again so soon. */
async function pausing(test, shortestPause, ...scripts) {
  const daemon = await play(test, ...scripts);
  const guard = makeGuard(test, { path: daemon.path, sync: true, shortestPause });
  assert.ok(await guard.start());
  await joined(guard);
  return { daemon, guard };
}

/** Answers well so many questions and calls, and then as it is told. */
const well = (count, then = async () => {}) => async (peer) => {
  peer.contract = { ...patient, answerMs: SHORT_MS };
  for (let number = 0; number < count; number += 1) peer.answer(await peer.call());
  await then(peer);
};

const asked = (peer) => peer.calls.filter(({ method }) => method === "Navigate").length;

module.exports = {
  "it asks there when nothing is under way, and never while something is": async (test) => {
    let let_go = () => {};
    const held = new Promise((resolve) => { let_go = resolve; });
    const { daemon, guard } = await both(test, async (peer) => {
      peer.contract = patient;
      for (;;) {
        const call = await peer.call();
        if (call.method === "SetIdentity") await held;
        peer.answer(call);
      }
    }, ways.good);
    const [first, other] = daemon.peers;
    const before = [asked(first), asked(other)];
    await Promise.all([ask(guard), ask(guard), ask(guard)]);
    assert.deepStrictEqual([asked(first), asked(other)], [before[0], before[1] + 3]);
    const said = guard.setIdentity("process", { account: WORK });
    const late = [ask(guard), ask(guard)];
    // Neither is asked before the identity is known, on whatever connection.
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepStrictEqual([asked(first), asked(other)], [before[0], before[1] + 3]);
    let_go();
    await Promise.all([said, ...late]);
    assert.deepStrictEqual([asked(first), asked(other)], [before[0] + 2, before[1] + 3]);
  },

  "nothing goes there that later questions rest on: they could be judged before it": async (test) => {
    const { daemon, guard } = await both(test, ways.good);
    const [first, other] = daemon.peers;
    for (const kind of EVENT_KINDS) {
      const before = [first.calls.length, other.calls.length];
      await guard.decide(kind, {});
      const carried = [first.calls.length - before[0], other.calls.length - before[1]];
      assert.deepStrictEqual(carried, kind === "navigate" ? [0, 1] : [1, 0], kind);
    }
  },

  "one that is lost never comes back by itself, and its question is the contract's": async (test) => {
    const { daemon, guard } = await pausing(test, 1, ways.good, well(2), ways.good);
    assert.strictEqual((await ask(guard)).reason, "internal");
    isContract(await ask(guard));
    await eventually(() => second(guard) === null || second(guard).session.isDown, "it is lost");
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.strictEqual(daemon.peers.length, 2);
    // The first one has lost nothing.
    assert.strictEqual((await ask(guard)).reason, "internal");
  },

  "a daemon that lies there is not believed": async (test) => {
    for (const name of ["garbage", "closesHalfWay", "refuses"]) {
      const lies = name === "refuses" ? (peer) => peer.call().then(() => peer.refuse("NoApp")) : ways[name];
      const { guard } = await both(test, ways.good, well(1, async (peer) => {
        peer.attach = async () => {};
        await lies(peer);
      }));
      const decision = await ask(guard);
      assert.ok(!decision.allowed && decision.isLocal, `${name}: ${decision.reason}`);
    }
  },

  "its silence is the silence of both, so that it costs one question its time": async (test) => {
    const { daemon, guard } = await both(test, ways.good, well(1, (peer) => peer.staySilent()), ways.good);
    isContract(await ask(guard));
    assert.ok(!guard.isConnected);
    assert.deepStrictEqual(guard.problems.map(({ code }) => code), ["noAnswer"]);
    const before = daemon.heard.length;
    isContract(guard.decideSync("navigate", {}));
    isContract(await ask(guard));
    assert.strictEqual(daemon.heard.length, before);
    rest(guard);
    assert.strictEqual((await ask(guard)).reason, "internal");
  },

  "it ends with the guard": async (test) => {
    const { daemon, guard } = await both(test, ways.good, well(1, (peer) => peer.staySilent()));
    const late = ask(guard);
    guard.close();
    isContract(await late);
    isContract(await ask(guard));
    await eventually(() => daemon.peers.every(({ isClosed }) => isClosed), "both end");
  },

  "one click is one action on both connections": async (test) => {
    const { daemon, guard } = await both(test, ways.good);
    const url = "https://contoso.com/clicked";
    guard.registerViewer("v1", {});
    const one = await ask(guard, { url });
    await eventually(() => guard._engine.session.isIdle, "it is said");
    assert.strictEqual(one.reason, "internal");
    await ask(guard, { url });
    const actions = daemon.heard.filter(({ parameters }) => parameters.event && parameters.event.url === url)
      .map(({ parameters }) => parameters.event.action);
    assert.strictEqual(actions.length, 2);
    assert.strictEqual(actions[0], actions[1]);
    assert.ok(daemon.peers.length === 2 && asked(daemon.peers[1]) > 0);
  },

  "whatever was said last holds for the next question, whoever carries it": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon, { app: APP, sync: true });
    await joined(guard);
    let beside = 0;
    for (let number = 0; number < 200; number += 1) {
      const isWork = number % 2 === 0;
      guard.setIdentity("process", { account: isWork ? WORK : PERSONAL });
      if (number % 3 === 0) assert.strictEqual(guard.decideSync("navigate", OUT).outcome === REDIRECTED, isWork);
      const decisions = await Promise.all([0, 1, 2].map(() => guard.navigate(OUT)));
      if (second(guard) !== null) beside += 1;
      assert.deepStrictEqual(decisions.map(({ outcome }) => outcome === REDIRECTED), [isWork, isWork, isWork]);
      assert.strictEqual((await guard.navigate(OUT)).outcome === REDIRECTED, isWork);
    }
    assert.ok(beside > 190, `${beside} with it`);
  },

  "a daemon that is killed and comes back knows everything before it is asked there": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon, { app: APP, sync: true });
    for (let number = 0; number < 5; number += 1) {
      await joined(guard);
      const asking = [guard.navigate(OUT), guard.navigate(OUT)];
      await daemon.stop("SIGKILL");
      for (const { allowed } of await Promise.all(asking)) assert.ok(!allowed);
      await daemon.start();
      // No answer in between allows what only an unknown instance could be allowed.
      await eventually(async () => {
        const { allowed, isLocal } = await guard.navigate(OUT);
        assert.ok(!allowed);
        return !isLocal;
      }, "it answers again");
    }
  },
};
