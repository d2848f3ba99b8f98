"use strict";

// What is kept of what the app said, where the vectors say nothing.

const assert = require("assert");
const { FrameSplitter } = require("../lib/frames");
const { Said } = require("../lib/said");
const { Talk } = require("./talk");

const call = (method, parameters, gates) => ({ method, parameters: { ...parameters, ...gates }, read: () => true,
  unheard: false });

module.exports = {
  "the window of a viewer is that of what it lies in": () => {
    const said = new Said();
    said.apply("RegisterViewer", { viewer: "a", window: "w1" }, true);
    said.apply("RegisterViewer", { viewer: "b", parent: "a" }, true);
    said.apply("RegisterViewer", { viewer: "c", parent: "b" }, true);
    said.apply("RegisterViewer", { viewer: "a", parent: "c", window: null }, true);
    assert.strictEqual(said.window("c"), "w1");
    assert.strictEqual(said.window("none"), null);
    const round = new Said();
    round.apply("RegisterViewer", { viewer: "a" }, true);
    round.apply("RegisterViewer", { viewer: "b", parent: "a" }, true);
    round.apply("RegisterViewer", { viewer: "a", parent: "b" }, true);
    assert.strictEqual(round.window("a"), null);
  },

  "a switch whose gates nobody answered is not said again": () => {
    const talk = new Talk();
    talk.attach();
    const ticket = talk.asker.state(call("SetIdentity", { level: "process", account: "a" }, { gates: "success" }));
    talk.frames();
    talk.lose();
    assert.strictEqual(ticket.result(), false);
    assert.deepStrictEqual(talk.attach("T2").slice(1), [{ method: "SetIdentity", parameters: { level: "process" } }]);
  },

  "without a policy questions wait for none, and are asked once more when there is one": () => {
    const talk = new Talk();
    talk.connect();
    talk.frames();
    talk.reply({}, "NoPolicy");
    const ticket = talk.asker.question("print", {});
    assert.deepStrictEqual(talk.frames().map(({ method }) => method), ["Print"]);
    talk.reply({}, "NotAttached");
    assert.deepStrictEqual(talk.frames().map(({ method }) => method), ["Attach"]);
    talk.reply({ instance: "T1", contract: {} });
    assert.deepStrictEqual(talk.frames().map(({ method }) => method), ["Print"]);
    talk.reply({ decision: { outcome: "allow", reason: "printAllowed" } });
    assert.strictEqual(ticket.result().reason, "printAllowed");
  },

  "a frame may come in any pieces": () => {
    const text = Buffer.from(`${JSON.stringify({ parameters: { a: "ä😀" } })}\0${JSON.stringify({ error: "x.Y" })}\0`);
    for (let size = 1; size <= text.length; size += 1) {
      const splitter = new FrameSplitter();
      const found = [];
      for (let start = 0; start < text.length; start += size) found.push(...splitter.feed(text.slice(start,
        start + size)));
      assert.deepStrictEqual(found, [
        { parameters: { a: "ä😀" }, error: null, continues: false }, { parameters: {}, error: "x.Y", continues: false },
      ]);
    }
  },

  "what is no UTF-8 is no reply, and a replacement character is one": () => {
    assert.throws(() => new FrameSplitter().feed(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0])),
      /no JSON/);
    const whole = Buffer.from(`${JSON.stringify({ parameters: { a: "\ufffd" } })}\0`);
    assert.strictEqual(new FrameSplitter().feed(whole)[0].parameters.a, "\ufffd");
  },

  "a reply without an end is refused": () => {
    const splitter = new FrameSplitter();
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    assert.throws(() => {
      for (let count = 0; count < 20; count += 1) splitter.feed(piece);
    }, /does not end/);
  },
};
