"use strict";

// Accounts for one piece of work (MI-19, MI-20): the shared vectors, several at a time, and the end of a scope.

const assert = require("assert");
const { eventually } = require("./cleanup");
const { each, makeGuard, play, vectors } = require("./case");
const { PATIENT_MS, PREFIX } = require("./fake");
const { Subscription } = require("../lib/news");
const { Said } = require("../lib/said");
const { BriefSession, JoinedSession } = require("../lib/session");

const PROCESS = "process@contoso.com";
const NOBODY = "nobody@elsewhere.example";
const WORK = "work@contoso.com";

/** Answers questions with the account of the connection's scope as the identity. */
async function judges(peer) {
  let account = null;
  for (;;) {
    const call = await peer.call();
    const said = call.parameters;
    if (call.method === "Attach") {
      peer.reply({ instance: "T1", contract: { ...peer.contract, answerMs: PATIENT_MS, startMs: PATIENT_MS } });
    } else if (call.method !== "SetIdentity") {
      peer.answer(call, account === null ? { identity: PROCESS } : { identity: account, identityLevel: "scope" });
    } else if (said.account === NOBODY) {
      peer.refuse("UnknownAccount", { account: NOBODY });
    } else {
      assert.strictEqual(said.level, "scope");
      account = said.account === undefined ? null : said.account;
      peer.reply({ level: "scope", effectiveUI: account });
    }
  }
}

async function started(test) {
  const daemon = await play(test, judges);
  const guard = makeGuard(test, { path: daemon.path });
  assert.ok(await guard.start());
  return { daemon, guard };
}

/** One task of a case: `begin`, `end` and `throw` open and end scopes around what follows. */
class Task {
  constructor(guard) {
    this._scopes = [{ here: guard }];
  }

  get _here() {
    return this._scopes[this._scopes.length - 1].here;
  }

  /** Opens a scope; false when it is refused. */
  async begin(account) {
    const opened = {};
    const isOpen = new Promise((resolve) => {
      opened.done = this._here.asAccount(account, (scope) => new Promise((end, fail) => {
        Object.assign(opened, { here: scope, end, fail });
        resolve(true);
      }));
      opened.done.catch(() => resolve(false));
    });
    const isShown = await isOpen;
    if (isShown) this._scopes.push(opened);
    return { isShown, opened };
  }

  async end(problem = null) {
    const { done, end, fail } = this._scopes.pop();
    if (problem === null) return (end("done"), assert.strictEqual(await done, "done"));
    fail(problem);
    return assert.rejects(done, problem);
  }

  async ask() {
    const { identity, identityLevel } = await this._here.print();
    return identityLevel === "scope" ? identity : null;
  }
}

async function step(tasks, guard, one) {
  if (!tasks.has(one.in)) tasks.set(one.in, new Task(guard));
  const task = tasks.get(one.in);
  if ("begin" in one) {
    const { isShown, opened } = await task.begin(one.begin);
    assert.strictEqual(isShown, !one.error);
    if (one.error) await assert.rejects(opened.done, { code: one.error });
  } else if (one.end) await task.end();
  else if (one.throw) await task.end(new Error("boom"));
  else assert.strictEqual(await task.ask(), one.ask);
}

module.exports = {
  "whose account a question is asked as": (test) => each(vectors("scopes").cases, async (one) => {
    const { daemon, guard } = await started(test);
    const tasks = new Map();
    for (const each of one.steps) await step(tasks, guard, each);
    // Every connection but the first joined the instance of the first.
    const attached = daemon.heard.filter((call) => call.method === "Attach").map((call) => call.parameters.instance);
    assert.deepStrictEqual(attached, [undefined, ...attached.slice(1).map(() => "T1")]);
    guard.close();
  }),

  "the end of a scope ends its connection": async (test) => {
    const { daemon, guard } = await started(test);
    await guard.asAccount(WORK, async (scope, shown) => {
      assert.deepStrictEqual([shown.effectiveUI, shown.level, shown.previous], [WORK, "scope", null]);
      assert.strictEqual((await scope.print()).identity, WORK);
      assert.ok(!daemon.peers[1].isClosed);
      await scope.asAccount("", async (inner, now) => assert.strictEqual(now.previous, WORK));
    });
    await eventually(() => daemon.peers[1].isClosed, "it is closed");
    assert.ok(!daemon.peers[0].isClosed);
  },

  "what was asked without waiting is of its scope": async (test) => {
    const { guard } = await started(test);
    let asked;
    await guard.asAccount(WORK, (scope) => { asked = scope.print(); });
    assert.strictEqual((await asked).identity, WORK);
  },

  "a scope begins before the guard was started": async (test) => {
    const daemon = await play(test, judges);
    const guard = makeGuard(test, { path: daemon.path });
    assert.strictEqual((await guard.asAccount(WORK, (scope) => scope.print())).identity, WORK);
  },

  "a daemon that is not there blocks": async (test) => {
    const guard = makeGuard(test, { path: `${test.folder()}/none.sock` });
    const decision = await guard.asAccount(WORK, async (scope, shown) => {
      assert.strictEqual(shown.level, null);
      return scope.navigate();
    });
    assert.strictEqual(decision.reason, "noAnswer");
  },

  "what is asked after the end is blocked, and never as whoever is around": async (test) => {
    const { guard } = await started(test);
    let kept;
    await guard.asAccount(WORK, (scope) => { kept = scope; });
    // The contract says `open` of print, and that is not what an ended scope is about.
    const decision = await kept.print();
    assert.deepStrictEqual([decision.outcome, decision.reason, decision.isLocal], ["block", "scopeEnded", true]);
    await assert.rejects(kept.call("WhoAmI"), { code: "scopeEnded" });
  },

  "another guard joins the instance, and never begins one": async (test) => {
    const { daemon, guard } = await started(test);
    const joined = makeGuard(test, { path: daemon.path, instance: guard.instance });
    assert.ok(await joined.start());
    assert.strictEqual(daemon.peers[1].calls[0].parameters.instance, "T1");
    const refuses = async (peer) => {
      for (;;) {
        await peer.call();
        peer.refuse("UnknownInstance");
      }
    };
    const other = await play(test, refuses);
    const lost = makeGuard(test, { path: other.path, instance: () => "T7" });
    const decision = await lost.print();
    assert.deepStrictEqual([decision.outcome, decision.reason], ["block", "UnknownInstance"]);
    assert.deepStrictEqual(other.heard.map((call) => call.parameters.instance), ["T7"]);
    // Without an instance there is nothing to join.
    const early = makeGuard(test, { path: other.path, instance: () => null });
    assert.strictEqual((await early.navigate()).reason, "noAnswer");
    assert.strictEqual(other.peers.length, 1);
  },

  "an instance that ends while somebody connects to join it is not followed by one of his own": () => {
    for (const make of [(token) => new JoinedSession({ features: [] }, new Said(), token, () => 0),
      (token) => new BriefSession({ features: [] }, new Said(), token, () => 0),
      (token) => new Subscription({ features: [] }, token, [])]) {
      let token = "T1";
      const session = make(() => token);
      assert.ok(session.mayConnect(0));
      session.connecting(0);
      // Its first connection has heard meanwhile that the daemon does not know it.
      token = null;
      session.connected(0);
      const [said] = String(session.takeOutgoing()).split("\0");
      assert.strictEqual(typeof JSON.parse(said).parameters.instance, "string", said);
      const refusal = { error: `${PREFIX}UnknownInstance`, parameters: {} };
      session.received(Buffer.from(`${JSON.stringify(refusal)}\0`), 0);
      assert.ok(session.isDown);
    }
  },
};
