"use strict";

// The real daemon in a folder of its own.

const assert = require("assert");
const fs = require("fs");
const net = require("net");
const path = require("path");
const { spawn } = require("child_process");
const { once } = require("events");
const { LONG_MS, eventually, inTime } = require("./cleanup");
const { makeGuard } = require("./case");

const PROGRAM = process.env.WEBVIEWGUARD || path.join(__dirname, "../../../.build/release/webviewguard");
const APP = "com.contoso.portal";
const WORK = "work@contoso.com";
const PERSONAL = "me@example.org";
const BROWSER = "com.contoso.Browser.desktop";
// The machine may be busy.
const ANSWER_MS = 2000;

const FILES = {
  "webviewguard.yaml": `graceSeconds: 1\ncontract: { startMs: 3000, answerMs: ${ANSWER_MS} }\n`,
  "policy.d/app.yaml": `apps:
  ${APP}:
    peers: [{ uid: ${process.getuid()} }]
    identityMode: multi
    handledSchemes: [contoso-portal]
    allowedAccounts: ["*@contoso.com", "me@example.org"]
    classes:
      documents: { policy: currentIdentity, externalURLs: contoso }
      loose: {}
`,
  "policy.d/organisation.yaml": `accounts:
  - { upn: ${WORK}, objectId: 6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11, protection: contoso-standard }
  - { upn: ${PERSONAL} }
protections:
  contoso-standard:
    webTransfer: managedBrowser
    clipboard: { level: managedWithPasteIn, exceptionLength: 0 }
    send: managed
    receive: managed
browsers:
  managed: { desktopId: ${BROWSER} }
`,
  "rules/contoso.yaml": `ruleSet: contoso
default: external
rules:
  - id: own
    internal: { domain: contoso.com }
  - id: sharing
    external: { domain: sharing.example }
    then: block
    message: "{host} is a personal file-sharing site"
`,
};

/** `webviewguard serve` with its own configuration, sockets and log. It is ended by its pid, never by name. */
class Daemon {
  constructor(test, files = FILES) {
    assert.ok(fs.existsSync(PROGRAM), `no daemon at \`${PROGRAM}\`: build it, or set WEBVIEWGUARD`);
    this.folder = test.folder();
    this.config = path.join(this.folder, "config");
    this.path = path.join(this.folder, "run/guard.sock");
    this.state = path.join(this.folder, "state");
    fs.mkdirSync(path.join(this.folder, "run"), { mode: 0o755 });
    for (const name of Object.keys(files)) this.write(name, files[name]);
    test.add(() => this.stop("SIGKILL"));
  }

  write(name, text) {
    fs.mkdirSync(path.dirname(path.join(this.config, name)), { recursive: true });
    fs.writeFileSync(path.join(this.config, name), text);
  }

  /** Starts it, and returns when its socket answers and the contract is written. */
  async start() {
    const contract = path.join(this.folder, "run/contract.json");
    fs.rmSync(contract, { force: true });
    const words = [
      "serve", "--config", this.config, "--socket-dir", path.dirname(this.path), "--log-dir", path.join(this.folder,
      "log"),
      "--state-dir", this.state,
    ];
    const said = fs.openSync(path.join(this.folder, "stderr"), "a");
    this.process = spawn(PROGRAM, words, { stdio: ["ignore", said, said] });
    fs.closeSync(said);
    await eventually(async () => {
      assert.strictEqual(this.process.exitCode, null, fs.readFileSync(path.join(this.folder, "stderr"), "utf8"));
      return fs.existsSync(contract) && accepts(this.path);
    }, "the daemon serves");
    return this;
  }

  /** Ends it, if it has not ended by itself. */
  async stop(signal = "SIGTERM") {
    const { process } = this;
    if (!process) return;
    if (process.exitCode === null && process.signalCode === null) {
      const ended = once(process, "exit");
      process.kill(signal);
      await inTime(() => ended, LONG_MS, "the daemon");
    }
    if (this.process === process) this.process = null;
  }
}

function accepts(socket) {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    connection.on("error", () => resolve(false));
    connection.on("connect", () => {
      connection.destroy();
      resolve(true);
    });
  });
}

async function serving(test, files) {
  return new Daemon(test, files).start();
}

/** A guard that shows the managed account in the viewer `docs`, and private data in `home`. */
async function managed(test, daemon, options) {
  const guard = makeGuard(test, { path: daemon.path, features: ["wrap", "plainText"], ...options });
  assert.ok(await guard.start());
  await guard.setIdentity("process", { account: WORK });
  await guard.setIdentity("window", { window: "private", account: PERSONAL });
  await guard.registerViewer("docs", { class: "documents" });
  await guard.registerViewer("home", { window: "private", class: "loose" });
  return guard;
}

module.exports = { APP, BROWSER, Daemon, FILES, PERSONAL, PROGRAM, WORK, managed, serving };
