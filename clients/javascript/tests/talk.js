"use strict";

const assert = require("assert");
const { VERSION } = require("../lib/conversation");
const { Asker } = require("../lib/asker");
const { Said } = require("../lib/said");
const { Session } = require("../lib/session");
const { PREFIX } = require("./fake");

/** Plays the service for one session, without a socket. Time stands still unless a test moves it. */
class Talk {
  constructor(hello = {}) {
    this.time = 1000000;
    this.said = new Said();
    this.session = new Session({ features: ["actions", "clips"], ...hello }, this.said, () => 0);
    this.asker = new Asker(this.session, this.said, () => this.time);
  }

  connect() {
    this.session.connecting(this.time);
    this.session.connected(this.time);
  }

  /** What was sent since the last time, as the vectors write it: no vector states the library's own version. */
  frames() {
    return String(this.session.takeOutgoing() || "").split("\0").slice(0, -1).map((text) => {
      const { method, parameters } = JSON.parse(text);
      if (method.endsWith(".Attach")) {
        assert.strictEqual(parameters.clientVersion, VERSION);
        delete parameters.clientVersion;
      }
      return { method: method.replace(PREFIX, ""), parameters };
    });
  }

  say(text) {
    this.session.received(Buffer.from(text), this.time);
  }

  reply(parameters = {}, error = null) {
    this.say(`${JSON.stringify(error === null ? { parameters } : { parameters, error: PREFIX + error })}\0`);
  }

  /** Connects, answers Attach and all that is said again, and returns those frames. */
  attach(token = "T1", contract = {}) {
    this.connect();
    const frames = this.frames();
    this.reply({ instance: token, contract });
    return [...frames, ...this.answerAll()];
  }

  answerAll() {
    const frames = this.frames();
    for (let count = 0; count < frames.length; count += 1) this.reply();
    return frames;
  }

  /** The connection ends, and the back-off is over. */
  lose() {
    this.session.lost(this.time, "gone");
    this.session._backOff.pause(-Infinity);
  }
}

module.exports = { Talk };
