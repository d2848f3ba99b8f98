"use strict";

// A handler for each topic of news: the shared vectors, and what becomes of handlers that ask, fail and close.

const assert = require("assert");
const { TOPICS } = require("../lib/words");
const { eventually } = require("./cleanup");
const { each, makeGuard, play, vectors } = require("./case");
const { PATIENT_MS, ways } = require("./fake");

const POLICY = { topic: "policy", generation: 1, digest: "a1" };

/** Each handler that heard something, and members of it. */
function note(told, means, to) {
  return (item) => {
    const expected = means[told.length] || {};
    const found = { to };
    for (const name of Object.keys(expected)) {
      if (name !== "to") found[name] = name in item ? item[name] : (item.raw || {})[name];
    }
    told.push(found);
  };
}

/** The connections of a case, as scripts. */
function scripts({ connections }) {
  return connections.map((connection, place) => async (peer) => {
    await peer.attach({ answerMs: PATIENT_MS, startMs: PATIENT_MS });
    await peer.call();
    if (connection.error) peer.refuse(connection.error);
    else for (const reply of connection.replies) peer.reply(reply, { continues: true });
    if (connection.error || place === connections.length - 1) await peer.staySilent();
    // The client reads what came before it hears of the end.
  });
}

function tells(...news) {
  return async (peer) => {
    await peer.attach();
    await peer.call();
    for (const item of news) peer.reply(item, { continues: true });
    await peer.staySilent();
  };
}

async function started(test, ...more) {
  const daemon = await play(test, ways.good, ...more);
  const guard = makeGuard(test, { path: daemon.path });
  assert.ok(await guard.start());
  return { daemon, guard };
}

function subscribed(daemon) {
  return daemon.heard.filter((call) => call.method === "Subscribe").map((call) => call.parameters);
}

module.exports = {
  "which handler hears what": (test) => each(vectors("news").cases, async (one) => {
    const { daemon, guard } = await started(test, ...scripts(one));
    const told = [];
    const handlers = {};
    for (const name of one.handlers) handlers[name] = note(told, one.told, name);
    const listening = guard.listen(handlers);
    await eventually(() => told.length >= one.told.length && subscribed(daemon).length >= one.connections.length,
      "all is told");
    assert.deepStrictEqual(told, one.told);
    const wanted = one.connections.map(({ subscribe }) => (
      subscribe.topics === "all" ? { topics: [...TOPICS].sort() } : subscribe));
    assert.deepStrictEqual(subscribed(daemon), wanted);
    listening.close();
    guard.close();
    await daemon.close().catch(() => {});
  }),

  "a handler may ask": async (test) => {
    const { guard } = await started(test, tells(POLICY));
    const asked = [];
    guard.listen({ policy: async () => asked.push((await guard.print({ viewer: "v1" })).outcome) });
    await eventually(() => asked.length > 0, "it asked");
    assert.deepStrictEqual(asked, ["allow"]);
  },

  "a handler that fails takes no news away": async (test) => {
    const { guard } = await started(test, tells(POLICY, { ...POLICY, generation: 2 }, { ...POLICY, generation: 3 }));
    const said = console.error;
    const logged = [];
    console.error = (...words) => logged.push(words);
    test.add(() => { console.error = said; });
    const heard = [];
    guard.listen({ policy: (item) => {
      heard.push(item.generation);
      if (item.generation === 1) throw new Error("a mistake");
      return Promise.reject(new Error("a mistake"));
    } });
    await eventually(() => heard.length === 3 && logged.length === 3, "all is told");
    assert.deepStrictEqual(heard, [1, 2, 3]);
  },

  "a handler may end it, and hears nothing more": async (test) => {
    const { daemon, guard } = await started(test, tells(POLICY, { ...POLICY, generation: 2 }));
    const heard = [];
    const listening = guard.listen({ policy: (item) => {
      heard.push(item.generation);
      listening.close();
    } });
    await eventually(() => daemon.peers.length > 1 && daemon.peers[1].isClosed, "it is closed");
    assert.deepStrictEqual(heard, [1]);
    assert.ok((await guard.print()).allowed, "questions go on");
  },

  "what no daemon knows is told to the app": async (test) => {
    const refuse = async (peer) => {
      await peer.attach();
      await peer.call();
      peer.refuse("org.varlink.service.InvalidParameter", { parameter: "topics" });
      await peer.staySilent();
    };
    const { guard } = await started(test, refuse, tells(POLICY));
    const heard = [];
    guard.listen({ moon: () => {}, policy: (item) => heard.push(item) });
    await eventually(() => heard.length > 0, "it is heard");
    assert.deepStrictEqual(guard.problems.map(({ code, method }) => [code, method]), [["InvalidParameter",
      "Subscribe"]]);
  },

  "news that are refused again and again are asked for less and less": async (test) => {
    const refuse = async (peer) => {
      await peer.attach();
      await peer.call();
      peer.refuse("NotAttached");
      await peer.staySilent();
    };
    const { daemon, guard } = await started(test, refuse);
    const began = Date.now();
    guard.listen({ policy: () => {} });
    await eventually(() => daemon.peers.length === 5, "it tries again");
    assert.ok(Date.now() - began >= 690, "100, 200 and 400 ms");
    assert.deepStrictEqual(guard.problems.map(({ code }) => code), ["NotAttached"]);
  },

  "before there is an instance there are no news": async (test) => {
    const daemon = await play(test, ways.good, tells(POLICY));
    const guard = makeGuard(test, { path: daemon.path });
    const heard = [];
    guard.listen({ policy: (item) => heard.push(item) });
    assert.strictEqual(daemon.peers.length, 0);
    await guard.start();
    await eventually(() => heard.length > 0, "news come");
    assert.deepStrictEqual(daemon.heard.filter(({ method }) => method === "Attach").map((call) =>
      call.parameters.instance),
      [undefined, "T1"]);
  },

  "as an iterator": async (test) => {
    const { daemon, guard } = await started(test, tells(POLICY, POLICY, { ...POLICY, generation: 2, missed: 3 },
      { topic: "moon" }));
    const seen = [];
    const news = guard.news(["policy", "moon"]);
    for await (const item of news) {
      seen.push([item.topic, item.generation, item.missed]);
      if (item.topic === "moon") break;
    }
    assert.deepStrictEqual(seen, [["policy", 1, 0], ["policy", 2, 3], ["moon", 0, 0]]);
    assert.deepStrictEqual(subscribed(daemon), [{ topics: ["policy", "moon"] }]);
    assert.deepStrictEqual(await news.next(), { value: undefined, done: true });
    const other = guard.news();
    const waiting = other.next();
    guard.close();
    assert.strictEqual((await waiting).done, true);
  },

  "a switch that the daemon asked for comes into force with the answer": async (test) => {
    const asks = tells({ ...POLICY, topic: "identity", account: "work@contoso.com", window: "w1",
      request: "switch-1" });
    const { daemon, guard } = await started(test, asks);
    const heard = [];
    guard.listen({ identity: (item) => heard.push(item) });
    await eventually(() => heard.length > 0, "it is asked for");
    await guard.answer("switch-1", "success");
    const first = daemon.peers[0];
    daemon.play(ways.good);
    const count = daemon.peers.length;
    first.socket.destroy();
    // It may be back before anybody looks.
    await eventually(() => !guard.isConnected || daemon.peers.length > count, "the guard hears of it");
    await eventually(async () => (await guard.print()).reason === "internal", "it comes back");
    const again = daemon.peers[daemon.peers.length - 1].calls.find((call) => call.method === "SetIdentity");
    assert.deepStrictEqual(again.parameters, { level: "window", window: "w1", account: "work@contoso.com" });
  },
};
