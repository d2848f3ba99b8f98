"use strict";

// The vectors that the clients of all languages share, on the machine without a socket.

const assert = require("assert");
const { accountKey, complianceNumber, enrollmentNumber, mayWork, sameAccount } = require("..");
const { Accounts } = require("../lib/accounts");
const { readConfig } = require("../lib/config");
const { CLOSED, contractAnswer, parseContract, readContract } = require("../lib/contract");
const { readDecision, refused, withoutAnswer } = require("../lib/decision");
const { isSuccess, mustRemove } = require("../lib/results");
const { each, vectors } = require("./case");
const { Talk } = require("./talk");

const stateCall = ({ method, parameters }) => ({ method, parameters, read: () => null, unheard: null });

function question(text, contract = {}) {
  const talk = new Talk();
  talk.attach("T1", contract);
  const ticket = talk.asker.question("navigate", { viewer: "v1", url: "https://example.net/" });
  talk.say(text);
  assert.ok(ticket.isDone);
  return { decision: ticket.result(), talk };
}

function chosen(found, means) {
  if (Array.isArray(means)) return means.map((part, place) => chosen(found[place], part));
  if (typeof means !== "object" || means === null) return found;
  const view = {};
  for (const name of Object.keys(means)) view[name] = chosen(found === null ? undefined : found[name], means[name]);
  return view;
}

/** A talk at the moment at which its connection was lost. */
function atTheLoss(one) {
  const talk = new Talk(one.hello);
  for (const call of one.before) talk.asker.note(stateCall(call));
  assert.deepStrictEqual(talk.attach(), one.first);
  for (const call of one.calls) {
    const ticket = talk.asker.state(stateCall(call));
    assert.deepStrictEqual(talk.frames(), [{ method: call.method, parameters: call.parameters }]);
    if (call.isLost) continue;
    talk.reply("result" in call ? { result: call.result } : {}, call.error || null);
    assert.ok(ticket.isDone);
  }
  talk.lose();
  talk.session.problems = [];
  return talk;
}

const CALLS = {
  Register: (accounts, said) => accounts.register(said.account),
  Deregister: (accounts, said) => accounts.deregister(said.account, said.data),
  List: (accounts) => accounts.list(),
  DeviceAccount: async (accounts) => ({ account: await accounts.deviceAccount() }),
  MaySignIn: (accounts, said) => accounts.maySignIn(said.account),
  AllowedAccounts: (accounts) => accounts.allowed(),
  Remediate: async (accounts, said) => ({ request: await accounts.remediate(said.account, said) }),
  Complete: (accounts, said) => accounts.complete(said.request, said.result),
};

/** A navigation or a registration of a click, and which `action` it was given. */
function step(talk, one, ids) {
  if (one.register) {
    talk.asker.state(stateCall({ method: "RegisterViewer", parameters: one.register }));
    talk.answerAll();
    return;
  }
  talk.asker.question("navigate", one.navigate);
  const [{ parameters }] = talk.answerAll();
  const sent = parameters.event.action === undefined ? null : parameters.event.action;
  if ("sent" in one) assert.strictEqual(sent, one.sent);
  else if (ids.has(one.action)) assert.strictEqual(sent, ids.get(one.action));
  else ids.set(one.action, sent);
}

module.exports = {
  "contract files": () => each(vectors("contracts").cases, (one) => {
    assert.deepStrictEqual({ ...(one.file === null ? CLOSED : parseContract(one.file)) }, one.means);
  }),

  "kinds of questions": () => each(vectors("kinds").cases, (one) => {
    for (const part of ["navigation", "clipboard", "other"]) {
      const contract = readContract({ [part]: "open" });
      assert.strictEqual(contractAnswer(contract, one.kind) === "open", part === one.contract);
    }
    const talk = new Talk();
    talk.attach();
    talk.asker.question(one.kind, {});
    assert.strictEqual(talk.frames()[0].method, one.method);
  }),

  "messages of blocks that are decided here": async () => {
    await each(vectors("messages").cases, (one) => {
      assert.strictEqual(refused(one.reason === "*" ? "SomethingNew" : one.reason).message, one.message);
    });
    assert.ok(withoutAnswer("closed").message);
    assert.strictEqual(withoutAnswer("open").message, null);
  },

  "decisions": () => each(vectors("decisions").cases, (one) => {
    const { decision, talk } = question(`${JSON.stringify(one.reply)}\0`);
    const opens = decision.opensNow;
    const found = { ...decision, opensNow: opens === null ? null : opens.url };
    assert.deepStrictEqual(chosen(found, one.means), one.means);
    assert.ok(!talk.session.isDown);
    // Nothing is lost, known or not.
    if (!decision.isLocal) assert.deepStrictEqual(decision.raw, one.reply.parameters.decision);
  }),

  "several decisions at once mean the same": () => {
    const whole = vectors("decisions").cases.filter(({ reply }) => !reply.error && (reply.parameters
      || {}).decision != null);
    return each(whole, (one) => {
      const given = one.reply.parameters.decision;
      const talk = new Talk();
      talk.attach();
      const ticket = talk.asker.questions([["copy", {}], ["paste", {}]]);
      talk.reply({ decisions: [given, given] });
      assert.deepStrictEqual(ticket.result(), [readDecision(given), readDecision(given)]);
    });
  },

  "garbage ends the connection": () => each(vectors("garbage").cases, (one) => {
    for (const navigation of ["closed", "open"]) {
      const { decision, talk } = question(one.text, { navigation });
      const expected = [navigation === "open" ? "allow" : "block", "noAnswer", true];
      assert.deepStrictEqual([decision.outcome, decision.reason, decision.isLocal], expected);
      assert.ok(talk.session.isDown);
    }
  }),

  "what is said again": () => each(vectors("replay").cases, (one) => {
    for (const expected of ["again", "anew"]) {
      const talk = atTheLoss(one);
      talk.connect();
      const frames = talk.frames();
      if (expected === "anew") {
        talk.reply({}, "UnknownInstance");
        frames.push(...talk.frames());
      }
      talk.reply({ instance: "T2", contract: {} });
      assert.deepStrictEqual([...frames, ...talk.answerAll()], one[expected]);
      assert.deepStrictEqual(talk.session.problems, []);
    }
  }),

  "saying it a third time is saying the same": () => each(vectors("replay").cases, (one) => {
    const talk = atTheLoss(one);
    talk.connect();
    talk.frames();
    talk.reply({}, "UnknownInstance");
    talk.frames();
    talk.reply({ instance: "T2", contract: {} });
    const second = talk.answerAll();
    talk.lose();
    assert.deepStrictEqual(talk.attach("T2").slice(1), second);
  }),

  "actions": () => each(vectors("actions").cases, (one) => {
    const talk = new Talk();
    talk.attach();
    const ids = new Map();
    const began = talk.time;
    for (const each of one.steps) {
      talk.time = began + each.at;
      step(talk, each, ids);
    }
    assert.strictEqual(new Set(ids.values()).size, ids.size);
  }),

  "ids of accounts": async () => {
    const { cases, same } = vectors("ids");
    await each(cases, (one) => assert.strictEqual(accountKey(one.id), one.key));
    await each(same, (one) => {
      assert.strictEqual(sameAccount(one.one, one.other), one.are);
      assert.strictEqual(sameAccount(one.other, one.one), one.are);
    });
  },

  "results of accounts": async () => {
    const table = vectors("results");
    await each(table.enrollment, (one) => assert.deepStrictEqual(
      [enrollmentNumber(one.word), isSuccess(one.word), mustRemove(one.word)], [one.number, one.isSuccess,
        one.mustRemove]));
    await each(table.compliance, (one) => assert.strictEqual(complianceNumber(one.word), one.number));
    await each([...table.states, ...table.lives], (one) => assert.strictEqual(mayWork(one.word), one.mayWork));
    for (const word of ["enchanted", "toString", "", null]) {
      assert.deepStrictEqual([enrollmentNumber(word), complianceNumber(word), isSuccess(word), mayWork(word)],
        [null, null, false, false]);
    }
  },

  "calls of accounts and their replies": () => each(vectors("accounts").cases, async (one) => {
    const talk = new Talk();
    talk.attach();
    const accounts = new Accounts((method, said, read) => {
      const ticket = talk.asker.call(method, said, read);
      assert.deepStrictEqual(talk.frames(), [{ method: `org.webviewguard.Accounts.${one.call}`,
        parameters: one.sent }]);
      talk.say(`${JSON.stringify(one.reply)}\0`);
      return ticket.promise();
    });
    const made = CALLS[one.call](accounts, one.arguments);
    if (one.fails) await assert.rejects(made, { code: one.fails, method: one.call });
    else assert.deepStrictEqual(chosen(await made, one.means), one.means);
    assert.ok(!talk.session.isDown, "the connection goes on");
  }),

  "app configuration": () => each(vectors("config").cases, (one) => {
    const [account] = readConfig({ accounts: [{ account: "a", state: "enrolled", values: one.values }] });
    const values = account.get("k");
    assert.deepStrictEqual({
      conflict: values.hasConflict,
      bool: { any: values.boolean(), or: values.boolean("or"), and: values.boolean("and") },
      number: { any: values.number(), min: values.number("min"), max: values.number("max") },
      string: { any: values.string(), min: values.string("min"), max: values.string("max") },
      all: values.layers.map((layer) => layer.value),
    }, one.means);
    assert.strictEqual(values.booleans.length + values.numbers.length + values.strings.length, one.means.all.length);
  }),

  "app configuration as the SDK has it marks the default": () => {
    const [account] = readConfig({ accounts: [{ account: "a", state: "newState", values: [
      { key: "a", entry: "base", default: true, flag: true }, { key: "a", entry: "pilot", default: false, flag: false },
      { key: "b", entry: "base", default: true, number: 1 }, { key: "__proto__", entry: "pilot", default: false,
        text: "x" },
    ] }] });
    assert.strictEqual(account.state, "blocked");
    assert.strictEqual(JSON.stringify(account.fullData),
      '[{"__IsDefault":true,"a":true,"b":1},{"a":false,"__proto__":"x"}]');
    assert.strictEqual(account.get("none").string(), null);
  },
};
