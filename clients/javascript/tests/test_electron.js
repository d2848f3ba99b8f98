"use strict";

// The guard of Electron apps: what it guards at all, and what pages load.

const assert = require("assert");
const path = require("path");
const { guard } = require("../electron");
const { refused } = require("../lib/decision");
const { isNamed } = require("../lib/electron/patterns");
const { isInstalled } = require("../lib/place");
const { FakeClient, OUT, PORTAL, allow, inEach, made, request } = require("./electron_case");
const { FakeElectron, tells } = require("./electron_fake");

module.exports = {
  "it comes before ready, and mistakes are told": inEach((major) => {
    const fake = new FakeElectron(major);
    fake.isReady = true;
    assert.throws(() => guard({ require: "always", electron: fake.modules, client: new FakeClient() }),
      /before `ready`/);
    assert.throws(() => guard({ klass: "documents" }), TypeError);
    assert.throws(() => guard({ require: "sometimes", electron: fake.modules }), TypeError);
  }),

  "what is not managed is not guarded, unless always": (test) => {
    const real = Object.getOwnPropertyDescriptor(process, "platform");
    test.add(() => Object.defineProperty(process, "platform", real));
    Object.defineProperty(process, "platform", { ...real, value: "win32" });
    const fake = new FakeElectron(37);
    const off = guard({ electron: fake.modules, path: "/some/guard.sock" });
    assert.deepStrictEqual([off.isActive, off.client, off.webPreferences({ a: 1 })], [false, null, { a: 1 }]);
    assert.strictEqual(fake.app.listenerCount("session-created"), 0);
    const on = guard({ electron: fake.modules, client: new FakeClient(), require: "always" });
    assert.ok(on.isActive && on.uncovered.every(({ what, close }) => what && close));
    Object.defineProperty(process, "platform", real);
    const folder = test.folder();
    const nothing = { directory: path.join(folder, "none"), units: [], programs: [] };
    const runtime = process.env.XDG_RUNTIME_DIR;
    process.env.XDG_RUNTIME_DIR = folder;
    assert.ok(!isInstalled(null, nothing));
    assert.ok(isInstalled(null, { ...nothing, programs: [__filename] }));
    assert.ok(isInstalled(null, { ...nothing, directory: folder }));
    assert.ok(isInstalled("/some/guard.sock", nothing));
    if (runtime === undefined) delete process.env.XDG_RUNTIME_DIR;
    else process.env.XDG_RUNTIME_DIR = runtime;
  },

  "requests are judged first, and then by the app's own listener": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    fake.contents(1);
    assert.deepStrictEqual(await request(session, { url: PORTAL }), {});
    const heard = [];
    session.webRequest.onBeforeRequest({ urls: ["https://*.contoso.com/*"] }, (details, callback) => {
      heard.push(details.url);
      callback({ redirectURL: "app://x" });
    });
    assert.deepStrictEqual(await request(session, { url: `${PORTAL}a` }), { redirectURL: "app://x" });
    assert.deepStrictEqual(await request(session, { url: "https://other.example/" }), {});
    assert.deepStrictEqual(await request(session, { url: OUT }), { cancel: true });
    assert.deepStrictEqual(heard, [`${PORTAL}a`]);
    session.webRequest.onBeforeRequest(null);
    assert.deepStrictEqual(await request(session, { url: `${PORTAL}b` }), {});
    session.webRequest.onHeadersReceived(() => {});
    assert.ok(session.native._headers && session.native._filter.urls[0] === "<all_urls>");
    const [, event] = client.asked[0];
    assert.deepStrictEqual(event, {
      viewer: "contents-1", url: PORTAL, from: PORTAL, method: "GET", frame: "resource", hop: false,
    });
  }),

  "a sign-in page is asked about, and its headers are made": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    fake.contents(1);
    client.judges = () => allow({ identity: "work@contoso.com", signIn: true });
    assert.strictEqual(session.native._sending, undefined);
    await request(session, { url: PORTAL, resourceType: "mainFrame", id: 7 });
    const send = (details) => new Promise((resolve) => session.native._sending(details, resolve));
    const sent = await send({ id: 7, url: PORTAL, requestHeaders: { Accept: "*/*" } });
    // There is no agent here.
    assert.deepStrictEqual(sent, { requestHeaders: { Accept: "*/*" } });
    const heard = [];
    session.webRequest.onBeforeSendHeaders((details, callback) => { heard.push(details.url); callback({}); });
    await send({ id: 8, url: OUT, requestHeaders: {} });
    assert.deepStrictEqual(heard, [OUT]);
  }),

  "frames, hops, uploads, and requests of nobody's page": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    fake.contents(1);
    await request(session, { url: `${PORTAL}a`, resourceType: "mainFrame", id: 7, method: "POST" });
    await request(session, { url: `${PORTAL}b`, resourceType: "mainFrame", id: 7 });
    await request(session, { url: `${PORTAL}c`, resourceType: "subFrame", id: 8 });
    await request(session, { url: `${PORTAL}d`, webContentsId: undefined, referrer: "", id: 9 });
    const events = client.asked.map(([, event]) => [event.viewer, event.frame, event.hop, event.from, event.method]);
    assert.deepStrictEqual(events, [
      ["contents-1", "main", false, PORTAL, "POST"], ["contents-1", "main", true, `${PORTAL}a`, "GET"],
      ["contents-1", "sub", false, PORTAL, "GET"], [undefined, "resource", false, null, "GET"],
    ]);
    client.judges = (kind) => (kind === "upload" ? refused("uploadBlockedViewer") : allow());
    const uploadData = [{ bytes: Buffer.from("a") }, { file: "/home/user/secret.pdf" }];
    assert.deepStrictEqual(await request(session, { url: `${PORTAL}e`, uploadData }), { cancel: true });
    assert.deepStrictEqual(client.asked[client.asked.length - 1][1].path, "/home/user/secret.pdf");
  }),

  "a page behind one that failed is asked about as its window's": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    const contents = fake.contents(1);
    const about = major > 22 ? { url: `${PORTAL}a`, isMainFrame: true } : {};
    tells(contents, "did-start-navigation", about, `${PORTAL}a`, false, true, 1, 1);
    const unknown = { webContentsId: undefined, referrer: "" };
    await request(session, { ...unknown, url: `${PORTAL}a`, resourceType: "mainFrame" });
    await request(session, { ...unknown, url: `${PORTAL}b`, resourceType: "mainFrame", id: 2 });
    await request(session, { ...unknown, url: `${PORTAL}a`, id: 3 });
    assert.deepStrictEqual(client.asked.map(([, { viewer }]) => viewer), ["contents-1", undefined, undefined]);
  }),

  "what fails is blocked": inEach(async (major) => {
    const { fake, client } = made(major);
    const said = console.error;
    console.error = () => {};
    client.judges = () => { throw new Error("a mistake"); };
    const session = fake.session();
    const contents = fake.contents(1);
    const answers = [await request(session, { url: PORTAL }), tells(contents, "will-navigate", { url: PORTAL },
      PORTAL)];
    console.error = said;
    assert.deepStrictEqual(answers, [{ cancel: true }, false]);
  }),

  "a page that is gone in the middle lets nothing through": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    const contents = fake.contents(1);
    client.judges = () => allow();
    contents.getURL = () => { throw new Error("Object has been destroyed"); };
    const said = console.error;
    console.error = () => {};
    const item = { getURL: () => PORTAL, getURLChain: () => [PORTAL], getSavePath: () => "/tmp/x" };
    const answers = [
      await request(session, { url: PORTAL, referrer: "" }), tells(contents, "will-navigate", { url: PORTAL }, PORTAL),
      tells(session, "will-download", {}, item, contents),
    ];
    answers.push(major < 12 ? tells(contents, "new-window", {}, PORTAL, "", "new-window", {})
      : contents._setWindowOpenHandler({ url: PORTAL }).action !== "deny");
    console.error = said;
    assert.deepStrictEqual(answers, [{ cancel: true }, false, false, false]);
  }),

  "the app's own files are no pages of anybody": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    fake.contents(1);
    client.judges = () => refused("external");
    assert.deepStrictEqual(await request(session, { url: "file:///opt/app/index.html" }), {});
    for (const url of ["file:///opt/app/../secret", "file:///opt/application/x", "file:///etc/passwd",
      "file://host/opt/app/a",
      "file:///opt/app%2f..%2f..%2fetc/passwd"]) {
      assert.deepStrictEqual(await request(session, { url }), { cancel: true }, url);
    }
  }),

  "filters of requests": () => {
    const cases = [
      ["<all_urls>", "https://a.b/c", true], ["https://*.contoso.com/*", "https://a.contoso.com/x?y", true],
      ["https://*.contoso.com/*", "https://contoso.com/", true], ["https://*.contoso.com/*",
        "https://evilcontoso.com/", false],
      ["http://*.contoso.com/*", "http://a.contoso.com:8080/", true], ["*://*/*", "ws://x/", true], ["*://*/*",
        "ftp://x/", false],
      ["https://a.b/c*", "https://a.b/cd", true], ["https://a.b/c", "https://a.b/cd", false], ["https://a.b:8443/*",
        "https://a.b/", false],
      ["https://a.b/*", "https://a.b@evil.example/", false], ["nonsense", "https://a.b/", false],
    ];
    for (const [pattern, url, expected] of cases) assert.strictEqual(isNamed({ urls: [pattern] }, { url }), expected,
      `${pattern} ${url}`);
    assert.ok(isNamed(null, { url: OUT }) && isNamed({ urls: [] }, { url: OUT }));
    assert.ok(!isNamed({ urls: [], types: ["image"] }, { url: OUT, resourceType: "xhr" }));
    assert.ok(!isNamed({ urls: [], excludeUrls: ["<all_urls>"] }, { url: OUT }));
  },
};
