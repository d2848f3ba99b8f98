"use strict";

// A daemon that does as a test says, also what no daemon does: a script for each connection. As a program of its own,
// `node fake.js SOCKET WAY...`, it plays ways by their names, for tests of calls that let no event loop turn.

const net = require("net");

// Long, so that no answer is missed on a loaded machine; a test that waits for a deadline asks for a short one.
const PATIENT_MS = 20000;
const SHORT_MS = 300;
const CONTRACT = { startMs: 800, answerMs: SHORT_MS, navigation: "closed", clipboard: "closed", other: "open" };
const PREFIX = "org.webviewguard.Guard.";
const ALLOWED = {
  outcome: "allow", id: "1", reason: "internal", identityLevel: "process", generation: 1, digest: "ab",
    mode: "enforced",
};

/** One connection of a client, as the daemon sees it. */
class Peer {
  constructor(socket, daemon) {
    this.socket = socket;
    this.calls = [];
    this.contract = CONTRACT;
    this.isClosed = false;
    this._daemon = daemon;
    this._received = "";
    this._wake = () => {};
    socket.setEncoding("utf8");
    socket.on("data", (text) => {
      this._received += text;
      this._wake();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isClosed = true;
      this._wake();
    });
  }

  /** The next call, with its method's last words; it ends the script when the client is gone. */
  async call() {
    while (!this._received.includes("\0")) {
      if (this.isClosed) throw new Gone();
      await new Promise((resolve) => { this._wake = resolve; });
    }
    const end = this._received.indexOf("\0");
    const call = JSON.parse(this._received.slice(0, end));
    this._received = this._received.slice(end + 1);
    call.method = call.method.replace(PREFIX, "");
    this.calls.push(call);
    this._daemon.heard.push(call);
    return call;
  }

  send(bytes) {
    if (this.isClosed) throw new Gone();
    this.socket.write(bytes);
  }

  reply(parameters, flags = {}) {
    this.send(`${JSON.stringify({ parameters, ...flags })}\0`);
  }

  refuse(error, parameters = {}) {
    this.send(`${JSON.stringify({ error: error.includes(".") ? error : PREFIX + error, parameters })}\0`);
  }

  /** Hears, and says nothing, until the client goes. */
  async staySilent() {
    for (;;) await this.call();
  }

  /** Answers the first call as Attach. */
  async attach(contract = {}) {
    this.contract = { ...this.contract, ...contract };
    await this.call();
    this.reply({ instance: "T1", contract: this.contract, generation: 1, digest: "ab" });
  }

  /** Answers everything well until the client goes. */
  async oblige() {
    for (;;) this.answer(await this.call());
  }

  /** Says what a good daemon would; `decision` are members that it decides otherwise. */
  answer(call, decision = {}) {
    if (call.method === "Attach") this.reply({ instance: "T1", contract: this.contract, generation: 1, digest: "ab" });
    else if (call.method === "DecideMany") {
      this.reply({ decisions: call.parameters.questions.map(() => ({ ...ALLOWED, ...decision })) });
    } else if (call.parameters.event) this.reply({ decision: { ...ALLOWED, ...decision } });
    else if (call.method !== "Subscribe") this.reply({});
  }
}

class Gone extends Error {}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ways of daemons, good and bad. */
const ways = {
  /** Answers everything, and may be as slow about it as a busy machine is. */
  async good(peer) {
    peer.contract = { ...CONTRACT, answerMs: PATIENT_MS, startMs: PATIENT_MS };
    await peer.oblige();
  },
  async silent(peer) {
    await peer.staySilent();
  },
  async silentWhenAsked(peer) {
    await peer.attach();
    await peer.staySilent();
  },
  async hangsUp(peer) {
    await peer.attach();
    await peer.call();
  },
  async hangsUpAtOnce() {},
  async closesHalfWay(peer) {
    await peer.attach();
    await peer.call();
    peer.send('{"parameters":{"decision":{"outcome":"allow"');
  },
  /** Sends one byte after the other, too slowly. */
  async dribbles(peer) {
    await peer.attach();
    await peer.call();
    for (const byte of `${JSON.stringify({ parameters: { decision: ALLOWED } })}\0`) {
      peer.send(byte);
      await pause(20);
    }
  },
  /** Answers after the deadline. */
  async late(peer) {
    await peer.attach();
    const call = await peer.call();
    await pause(SHORT_MS * 1.5);
    peer.answer(call, { reason: "late" });
    await ways.good(peer);
  },
  async garbage(peer) {
    await peer.attach();
    await peer.call();
    peer.send("HTTP/1.1 400 Bad Request\r\n\r\n\0");
    await peer.staySilent();
  },
  /** Sends a reply without an end, as fast as it goes. */
  async neverEnds(peer) {
    await peer.attach();
    await peer.call();
    while (!peer.isClosed) {
      peer.send(`"${"x".repeat(65536)}`);
      await pause(0);
    }
  },
  /** Sends a reply to no call. */
  async chatters(peer) {
    await peer.attach();
    await pause(20);
    peer.reply({ decision: ALLOWED });
    await peer.staySilent();
  },
  async refuses(peer) {
    for (;;) {
      await peer.call();
      peer.refuse("NoApp");
    }
  },
};

/**
 * Serves each connection by the next of the scripts; the last serves all that follow. A script that returns hangs up.
 */
class FakeDaemon {
  constructor(path, ...scripts) {
    this.path = path;
    this.peers = [];
    this.heard = [];
    this._isClosed = false;
    this.play(...(scripts.length > 0 ? scripts : [ways.good]));
    this._server = net.createServer((socket) => this._serve(socket));
  }

  play(...scripts) {
    this._scripts = [...scripts];
  }

  listen() {
    return new Promise((resolve, reject) => {
      this._server.once("error", reject);
      this._server.listen(this.path, () => resolve(this));
    });
  }

  /** A connection that was on its way is ended as well: the server waits for each. */
  close() {
    this._isClosed = true;
    for (const peer of this.peers) peer.socket.destroy();
    return new Promise((resolve) => this._server.close(resolve));
  }

  async _serve(socket) {
    const peer = new Peer(socket, this);
    this.peers.push(peer);
    if (this._isClosed) {
      socket.destroy();
      return;
    }
    const script = this._scripts.length > 1 ? this._scripts.shift() : this._scripts[0];
    try {
      await script(peer);
    } catch (problem) {
      if (!(problem instanceof Gone)) throw problem;
    }
    socket.end();
  }
}

if (require.main === module) {
  const [, , path, ...names] = process.argv;
  new FakeDaemon(path, ...names.map((name) => ways[name])).listen().then(() => console.log("ready"));
}

module.exports = { CONTRACT, FakeDaemon, PATIENT_MS, PREFIX, SHORT_MS, ways };
