"use strict";

// Credentials for sign-in pages: an agent that lies, and requests that must carry none.

const assert = require("assert");
const fs = require("fs");
const net = require("net");
const path = require("path");
const { readDecision, refused } = require("../lib/decision");
const { SignIns } = require("../lib/electron/sign-ins");
const { signInCredential } = require("../lib/sign-in");

const PAGE = "https://login.microsoftonline.com/common/oauth2/authorize?sso_nonce=n1";
const NAME = "x-ms-RefreshTokenCredential";
const YES = { outcome: "allow", reason: "internal", id: "1", identity: "work@contoso.com", signIn: true };
const GOOD = { parameters: { name: NAME, value: "eyJ0.a-b_c" } };

/** An agent that answers this, and what it was asked. */
async function agent(test, answer) {
  const folder = test.folder();
  const asked = [];
  const server = net.createServer((line) => line.on("data", (bytes) => {
    asked.push(JSON.parse(bytes.toString().replace("\0", "")));
    if (answer !== null) line.end(typeof answer === "string" ? answer : `${JSON.stringify(answer)}\0`);
  }));
  await new Promise((resolve) => server.listen(path.join(folder, "webviewguard-session.sock"), resolve));
  test.add(() => server.close());
  lead(test, folder);
  return asked;
}

function lead(test, folder) {
  const before = process.env.XDG_RUNTIME_DIR;
  process.env.XDG_RUNTIME_DIR = folder;
  test.add(() => {
    if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
    else process.env.XDG_RUNTIME_DIR = before;
  });
}

/** A session's `webRequest` of one slot, and the headers of one request. */
function requests(credential) {
  const native = { onBeforeSendHeaders: (filter, listener) => { native.filter = filter; native.listener = listener; } };
  const signIns = new SignIns(native, credential);
  const send = (details, requestHeaders = { Accept: "*/*" }) => new Promise((resolve) => {
    native.listener({ id: 1, url: PAGE, requestHeaders, ...details }, resolve);
  });
  return { native, signIns, send };
}

const made = async () => ({ name: NAME, value: "secret" });

module.exports = {
  "an agent is asked for the page and the account of the decision, anew each time": async (test) => {
    const asked = await agent(test, GOOD);
    for (let times = 0; times < 2; times += 1) {
      assert.deepStrictEqual(await signInCredential(readDecision(YES), PAGE), { name: NAME, value: "eyJ0.a-b_c" });
    }
    const call = { method: "org.webviewguard.Session.SignIn", parameters: { url: PAGE, account: "work@contoso.com" } };
    assert.deepStrictEqual(asked, [call, call]);
  },

  "nobody is asked unless the daemon says so": async (test) => {
    const asked = await agent(test, GOOD);
    const others = [
      { ...YES, signIn: null }, { ...YES, signIn: false }, { ...YES, outcome: "block" }, { ...YES, identity: "" },
      { ...YES, identity: null },
    ];
    for (const other of others) assert.strictEqual(await signInCredential(readDecision(other), PAGE), null);
    assert.strictEqual(await signInCredential(refused("noAnswer"), PAGE), null);
    assert.deepStrictEqual(asked, []);
  },

  "what an agent may not say is no credential": async (test) => {
    const values = ["", "a\r\nHost: evil.example", "a b", "a\u0000", "é", "a".repeat(12289), 7, null, ["a"]];
    const lies = [
      ...values.map((value) => ({ parameters: { name: NAME, value } })),
      { parameters: { name: "Host", value: "a" } }, { parameters: { name: NAME.toUpperCase(), value: "a" } },
      { error: "org.webviewguard.Session.NoCredential", parameters: GOOD.parameters }, [], 7, "not JSON\0", "", "{}",
      "x".repeat(100000),
    ];
    for (const lie of lies) {
      await agent(test, lie);
      const found = await signInCredential(readDecision(YES), PAGE);
      assert.strictEqual(found, null, JSON.stringify(lie).slice(0, 80));
    }
  },

  "an agent that hangs, that is away, or that is somebody else's": async (test) => {
    await agent(test, null);
    assert.strictEqual(await signInCredential(readDecision(YES), PAGE, { waitMs: 50 }), null);
    const folder = test.folder();
    lead(test, folder);
    assert.strictEqual(await signInCredential(readDecision(YES), PAGE), null);
    await agent(test, GOOD);
    // Others may put a socket there.
    fs.chmodSync(process.env.XDG_RUNTIME_DIR, 0o777);
    assert.strictEqual(await signInCredential(readDecision(YES), PAGE), null);
  },

  "only the request that was decided about carries it, once": async () => {
    const { native, signIns, send } = requests(made);
    assert.strictEqual(native.listener, undefined);
    signIns.decided({ id: 1, url: PAGE }, readDecision({ ...YES, signIn: null }));
    assert.strictEqual(native.listener, undefined);
    signIns.decided({ id: 1, url: PAGE }, readDecision(YES));
    assert.deepStrictEqual(native.filter, { urls: ["<all_urls>"] });
    assert.deepStrictEqual((await send({ id: 2 })).requestHeaders, { Accept: "*/*" });
    assert.deepStrictEqual((await send({})).requestHeaders, { Accept: "*/*", [NAME]: "secret" });
    assert.deepStrictEqual((await send({})).requestHeaders, { Accept: "*/*" });
  },

  "a redirect takes it nowhere": async () => {
    const { signIns, send } = requests(made);
    signIns.decided({ id: 1, url: PAGE }, readDecision(YES));
    const { requestHeaders } = await send({});
    const url = "https://evil.example/";
    // Electron hands the headers of the request before to the hop.
    assert.deepStrictEqual((await send({ url }, requestHeaders)).requestHeaders, { Accept: "*/*" });
    signIns.decided({ id: 1, url: PAGE }, readDecision(YES));
    const lower = { [NAME.toLowerCase()]: "secret" };
    assert.deepStrictEqual((await send({ url }, lower)).requestHeaders, {});
    // The page's own request never came: what was decided about it is over.
    signIns.decided({ id: 1, url }, readDecision({ outcome: "allow", reason: "internal", id: "1" }));
    assert.deepStrictEqual((await send({})).requestHeaders, { Accept: "*/*" });
  },

  "no credential, and the page loads as it is": async () => {
    const { signIns, send } = requests(async () => null);
    signIns.decided({ id: 1, url: PAGE }, readDecision(YES));
    assert.deepStrictEqual(await send({}), { requestHeaders: { Accept: "*/*" } });
  },

  "the app's own listener works, and sees none": async () => {
    const { signIns, send } = requests(made);
    const seen = [];
    signIns.onBeforeSendHeaders({ urls: ["https://*.microsoftonline.com/*"] }, (details, callback) => {
      seen.push(details.requestHeaders);
      callback({ requestHeaders: { ...details.requestHeaders, Own: "1", [NAME]: "forged" } });
    });
    signIns.decided({ id: 1, url: PAGE }, readDecision(YES));
    const sent = await send({}, { Accept: "*/*", [NAME]: "old" });
    assert.deepStrictEqual(sent.requestHeaders, { Accept: "*/*", Own: "1", [NAME]: "secret" });
    assert.deepStrictEqual(seen, [{ Accept: "*/*" }]);
    assert.deepStrictEqual((await send({ url: "https://a.example/" })).requestHeaders, { Accept: "*/*" });
    signIns.onBeforeSendHeaders((details, callback) => callback({ cancel: true }));
    signIns.decided({ id: 1, url: PAGE }, readDecision(YES));
    const cancelled = await send({});
    assert.ok(cancelled.cancel && !(NAME in cancelled.requestHeaders));
    signIns.onBeforeSendHeaders(null);
    signIns.decided({ id: 1, url: PAGE }, readDecision(YES));
    assert.strictEqual((await send({})).requestHeaders[NAME], "secret");
  },
};
