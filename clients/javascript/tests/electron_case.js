"use strict";

// What the tests of the guard of Electron apps stand on: a strict fake of three majors. What a real one does is tried
// by `make test-electron`.

const { guard } = require("../electron");
const { refused, readDecision } = require("../lib/decision");
const { FakeElectron, MAJORS } = require("./electron_fake");

const PORTAL = "https://portal.contoso.com/";
const OUT = "https://example.net/";
const allow = (more = {}) => readDecision({ outcome: "allow", reason: "internal", id: "1", ...more });
const OFFER = { outcome: "redirect", reason: "external", id: "1", open: { target: "managedBrowser", url: OUT } };

/** A client whose answers a test gives: by default what goes to `example.net` is blocked. */
class FakeClient {
  constructor() {
    this.asked = [];
    this.said = [];
    this.judges = (kind, event) => (String(event.url).includes("example.net") ? refused("external") : allow());
  }

  /** `news` are the handlers that listen. */
  listen(handlers) {
    this.news = handlers;
  }

  start() {
    return Promise.resolve(true);
  }

  decideSync(kind, event) {
    this.asked.push([kind, event]);
    return this.judges(kind, event);
  }

  async decide(kind, event) {
    return this.decideSync(kind, event);
  }

  async registerViewer(...said) {
    this.said.push(["register", ...said]);
  }

  async setDocument(...said) {
    this.said.push(["document", ...said]);
  }

  async forgetViewer(...said) {
    this.said.push(["forget", ...said]);
  }
}

function made(major, options = {}) {
  const fake = new FakeElectron(major);
  const client = new FakeClient();
  const refusals = [];
  const opened = [];
  const guarded = guard({
    class: "documents", require: "always", client, electron: fake.modules, refused: (one) => refusals.push(one),
    open: ({ url }) => opened.push(url), ...options,
  });
  return { fake, client, refusals, opened, guarded };
}

/** A test for each major. */
const inEach = (test) => async (cleanup) => {
  for (const major of MAJORS) {
    try {
      await test(major, cleanup);
    } catch (problem) {
      problem.message = `Electron ${major}: ${problem.message}`;
      throw problem;
    }
  }
};

function request(session, details) {
  const whole = { id: 1, method: "GET", resourceType: "xhr", webContentsId: 1, referrer: PORTAL, ...details };
  return new Promise((resolve) => session.native._listener(whole, resolve));
}

/** Asks as the preload does, and gives the answer. */
function asking(fake, contents) {
  return (asked) => {
    const event = { sender: contents };
    fake.ipc.emit("webviewguard", event, { from: PORTAL, ...asked });
    return event.returnValue;
  };
}

module.exports = { FakeClient, OFFER, OUT, PORTAL, allow, asking, inEach, made, request };
