"use strict";

// A real Electron with the app of `app`, a real daemon and a site, for one test.

const net = require("net");
const path = require("path");
const { spawn } = require("child_process");
const { eventually } = require("../cleanup");
const { FILES, serving } = require("../real");
const { Site } = require("./site");

const PORTAL = "portal.contoso.com";
const EXTERNAL = "example.net";
const NAMED = "sharing.example";

const POLICY = {
  ...FILES,
  "policy.d/app.yaml": FILES["policy.d/app.yaml"].replace("externalURLs: contoso",
    "externalURLs: contoso, subFrames: true"),
  "policy.d/organisation.yaml": FILES["policy.d/organisation.yaml"].replace("    send: managed\n", `    send: managed
    save: { allowed: false, exceptions: [localStorage] }
    printing: block
    screenCapture: block
    notifications: blockOrgData
`),
  "rules/contoso.yaml": `ruleSet: contoso
default: external
rules:
  - id: named
    external: { host: sharing.example }
    then: block
    for: [page, frame, resource, download, upload]
  - id: near
    internal: { host: localhost }
    for: [page, frame, resource]
  - id: own
    internal: { domain: contoso.com }
    for: [page, frame, resource, download, upload]
`,
};

/** The app: `run(script)` runs a script in its main process, `page(script)` in its page. */
class App {
  /** `switches` are those of Electron, for a site; `daemon` is one that serves another app already. */
  constructor(test, { switches = () => [], daemon = null } = {}) {
    this.daemon = daemon;
    this._test = test;
    this._switches = switches;
    this._waiting = [];
    this._received = "";
  }

  async start(program, surroundings = {}) {
    const test = this._test;
    this.daemon = this.daemon || await serving(test, POLICY);
    this.site = await new Site().listen();
    test.add(() => this.site.close());
    const control = path.join(test.folder(), "control.sock");
    const server = net.createServer((socket) => this._connected(socket));
    await new Promise((resolve) => server.listen(control, resolve));
    test.add(() => server.close());
    const words = [
      "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * 127.0.0.1", ...this._switches(this.site),
      path.join(__dirname, "app"), this.site.url(PORTAL, "/start"), control, this.daemon.path,
    ];
    const home = test.folder();
    const child = spawn(program, words, { stdio: "inherit", env: { ...process.env, HOME: home, ...surroundings } });
    this.child = child;
    test.add(() => new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      child.once("exit", resolve);
      child.kill("SIGKILL");
    }));
    child.once("exit", (code, signal) => {
      for (const { reject } of this._waiting.splice(0)) reject(new Error(`Electron ended with ${code || signal}`));
    });
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(`Electron ended with ${child.exitCode}`);
      return this._socket;
    }, "the app connects");
    return this;
  }

  run(script) {
    return new Promise((resolve, reject) => {
      this._waiting.push({ resolve, reject });
      this._socket.write(`${script}\0`);
    });
  }

  page(script) {
    return this.run(`return it.contents.executeJavaScript(${JSON.stringify(script)}, true)`);
  }

  /** Waits until the app's page is there. */
  async shows(host, place) {
    await eventually(async () => {
      const url = await this.run("return it.contents.isLoading() ? '' : it.contents.getURL()");
      return url.includes(`//${host}:`) && url.includes(place);
    }, `the app shows ${host}${place}`);
  }

  async goes(place) {
    await this.run(`return it.contents.loadURL(${JSON.stringify(this.site.url(PORTAL, place))}).catch(() => {})`);
  }

  _connected(socket) {
    this._socket = socket;
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("data", (text) => {
      this._received += text;
      for (let end = this._received.indexOf("\0"); end >= 0; end = this._received.indexOf("\0")) {
        const answer = JSON.parse(this._received.slice(0, end));
        this._received = this._received.slice(end + 1);
        const { resolve, reject } = this._waiting.shift();
        if ("problem" in answer) reject(new Error(answer.problem));
        else resolve(answer.value);
      }
    });
  }
}

/** Two turns of a page and one request of the portal later, whatever was on its way was asked about. */
async function mark(app) {
  await new Promise((resolve) => setTimeout(resolve, 400));
  const place = `/mark-${Math.random()}`;
  // A request that an app took over may never be answered.
  const late = "new Promise((done) => setTimeout(done, 3000))";
  await app.page(`Promise.race([fetch("${place}").catch(() => 0), ${late}]).then(() => 1)`).catch(() => {});
}

module.exports = { App, EXTERNAL, NAMED, POLICY, PORTAL, mark };
