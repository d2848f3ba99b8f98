"use strict";

// Static rules that the daemon exports: what is asked for, in which parts, and what the app gets.

const assert = require("assert");
const { each, makeGuard, play, vectors } = require("./case");
const { PREFIX, ways } = require("./fake");

const lastWord = (name) => name.slice(name.lastIndexOf(".") + 1);

module.exports = {
  "documents are read as the vectors say": async (test) => {
    await each(vectors("rules").cases, async (one) => {
      const sent = [];
      const daemon = await play(test, async (peer) => {
        await peer.attach();
        for (const step of one.talk) {
          sent.push((await peer.call()).parameters);
          if (step.reply) peer.reply(step.reply);
          else peer.send(`${JSON.stringify({ error: step.error, parameters: step.parameters })}\0`);
        }
        await ways.good(peer);
      });
      const guard = makeGuard(test, { path: daemon.path });
      await guard.start();
      const read = guard.rules(one.ask.format, one.ask.class).then(
        (rules) => rules, (problem) => ({ error: lastWord(problem.code) }));
      assert.deepStrictEqual(await read, one.means);
      assert.deepStrictEqual(sent, one.talk.map((step) => step.sent));
      guard.close();
    });
  },

  "a document that is never ready is given up": async (test) => {
    const daemon = await play(test, async (peer) => {
      await peer.attach();
      for (;;) {
        await peer.call();
        peer.reply({ generation: 1, digest: "a", ready: false });
      }
    });
    const guard = makeGuard(test, { path: daemon.path });
    await guard.start();
    await assert.rejects(guard.rules("webkit-content-blocker", null, { waitMs: 100 }), { code: "notReady" });
  },
};
