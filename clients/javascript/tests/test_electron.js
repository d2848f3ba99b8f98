"use strict";

// The guard of Electron apps against a strict fake of three majors. What a real one does is tried by `make
// test-electron`.

const assert = require("assert");
const path = require("path");
const { guard } = require("../electron");
const { refused, readDecision } = require("../lib/decision");
const { isNamed } = require("../lib/electron/patterns");
const { isInstalled } = require("../lib/place");
const { eventually } = require("./cleanup");
const { FakeElectron, MAJORS, tells } = require("./electron_fake");

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

  "navigations are answered at once, before the app's own listeners": inEach((major) => {
    const { fake, client, refusals } = made(major);
    const contents = fake.contents(1);
    const seen = [];
    contents.on("will-navigate", (event) => seen.push(event.defaultPrevented));
    // Newer versions tell all in the event, older ones in what follows.
    const about = (url, isMainFrame = true) => (major > 22 ? { url, isMainFrame } : {});
    assert.ok(tells(contents, "will-navigate", about(PORTAL), PORTAL));
    assert.ok(!tells(contents, "will-navigate", about(OUT), OUT));
    assert.deepStrictEqual(seen, [false, true]);
    assert.ok(!tells(contents, "will-redirect", about(OUT), OUT, false, true, 1, 1));
    assert.ok(!tells(contents, "will-redirect", about(OUT, false), OUT, false, false, 1, 1));
    assert.deepStrictEqual(client.asked.slice(-2).map(([, event]) => [event.frame, event.hop]), [["main", true],
      ["sub", true]]);
    if (major > 22) assert.ok(!tells(contents, "will-frame-navigate", about(OUT, false)));
    assert.deepStrictEqual(refusals.map(({ kind, url }) => [kind, url]), [["navigate", OUT], ["navigate", OUT]]);
    contents.emit("did-navigate", {}, `${PORTAL}now`);
    assert.deepStrictEqual(client.said.pop(), ["document", "contents-1", `${PORTAL}now`]);
    contents.emit("destroyed");
    assert.deepStrictEqual(client.said.pop(), ["forget", "contents-1"]);
  }),

  "an offer starts one program, and nobody is told of a refusal": inEach(async (major) => {
    const { fake, client, refusals, opened } = made(major);
    const contents = fake.contents(1);
    client.judges = () => readDecision({ ...OFFER, repeat: client.asked.length > 1 });
    assert.ok(!tells(contents, "will-navigate", { url: OUT }, OUT));
    assert.ok(!tells(contents, "will-navigate", { url: OUT }, OUT));
    assert.deepStrictEqual([opened, refusals], [[OUT], []]);
  }),

  "new windows: ours, then the app's, and the popup knows its opener": inEach((major) => {
    const { fake, client } = made(major);
    const contents = fake.contents(1);
    let mayOpen;
    if (major >= 12) {
      const open = (url) => contents._setWindowOpenHandler({ url });
      mayOpen = (url) => open(url).action === "allow";
      const heard = [];
      contents.setWindowOpenHandler(({ url }) => {
        heard.push(url);
        return url.endsWith("no") ? { action: "deny" }
          : { action: "allow", overrideBrowserWindowOptions: { width: 5, webPreferences: { sandbox: false,
            zoomFactor: 2 } } };
      });
      const { width, webPreferences } = open(PORTAL).overrideBrowserWindowOptions;
      assert.deepStrictEqual([width, webPreferences.sandbox, webPreferences.nodeIntegrationInSubFrames,
        webPreferences.zoomFactor],
        [5, true, true, 2]);
      fake.contents(20);
      assert.ok(!mayOpen(`${PORTAL}no`) && !mayOpen(OUT));
      assert.deepStrictEqual(heard, [PORTAL, `${PORTAL}no`]);
    } else {
      const options = { webPreferences: { sandbox: false } };
      mayOpen = (url) => tells(contents, "new-window", {}, url, "", "new-window", options);
      assert.ok(mayOpen(PORTAL) && options.webPreferences.sandbox === true);
      fake.contents(20);
      assert.ok(!mayOpen(OUT));
    }
    const registered = client.said.filter(([what]) => what === "register").map(([, viewer, { opener,
      kind }]) => [viewer, opener, kind]);
    assert.deepStrictEqual(registered, [["contents-1", null, "embedded"], ["contents-20", "contents-1", "popup"]]);
    // A window that the app itself makes later is nobody's popup.
    fake.contents(21);
    assert.strictEqual(client.said.pop()[2].opener, null);
    assert.ok(client.asked.every(([, { newWindow, viewer }]) => newWindow && viewer === "contents-1"));
  }),

  "a window whose frames nobody guards is told of": inEach((major) => {
    const { fake, guarded } = made(major);
    const before = guarded.uncovered.length;
    const said = console.warn;
    const warned = [];
    console.warn = (text) => warned.push(text);
    const open = fake.contents(1, { preferences: { nodeIntegrationInSubFrames: false } });
    open.emit("dom-ready");
    fake.contents(2, { preferences: guarded.webPreferences({ zoomFactor: 2 }) }).emit("dom-ready");
    console.warn = said;
    const count = major < 30 ? 1 : 0;
    assert.deepStrictEqual([guarded.uncovered.length - before, warned.length], [count, count]);
    open.emit("destroyed");
    assert.strictEqual(guarded.uncovered.length, before);
  }),

  "web views get the preload, and lie in their page": inEach((major) => {
    const { fake, client } = made(major);
    const contents = fake.contents(1);
    const preferences = { sandbox: false, nodeIntegrationInSubFrames: false };
    tells(contents, "will-attach-webview", {}, preferences, {});
    assert.ok(preferences.sandbox && preferences.nodeIntegrationInSubFrames);
    const guest = fake.contents(2, { type: "webview" });
    contents.emit("did-attach-webview", {}, guest);
    assert.deepStrictEqual(client.said.pop(), ["register", "contents-2", { parent: "contents-1" }]);
  }),

  "downloads are judged with the place that the app chose": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    const contents = fake.contents(1);
    const item = (place, chain) => {
      const one = new (require("events").EventEmitter)();
      return Object.assign(one, {
        getURL: () => `${PORTAL}file`, getURLChain: () => chain || [`${PORTAL}file`], getSavePath: () => place,
        cancel: () => { one.isCancelled = true; },
      });
    };
    client.judges = (kind, { location, url }) => (location === "localStorage" && !url.includes(
      "example.net") ? allow() : refused("x"));
    const kept = item("/home/user/.config/app/file");
    assert.ok(tells(session, "will-download", {}, kept, contents));
    assert.ok(!tells(session, "will-download", {}, item("/tmp/file"), contents));
    assert.ok(!tells(session, "will-download", {}, item("/home/user/.config/app/../x"), contents));
    assert.ok(!tells(session, "will-download", {}, item("/home/user/.config/app/file", [OUT, `${PORTAL}file`]),
      contents));
    client.judges = () => allow();
    const later = item("");
    assert.ok(tells(session, "will-download", {}, later, null));
    later.getSavePath = () => "/media/usb/file";
    client.judges = () => refused("saveLocationNotListed");
    later.emit("updated");
    await eventually(() => later.isCancelled, "it is cancelled");
    assert.deepStrictEqual(client.asked[client.asked.length - 1][1], {
      url: `${PORTAL}file`, path: "/media/usb/file", location: "other",
    });
  }),

  "permissions are judged, and then by the app's own handlers": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    const contents = fake.contents(1);
    const ask = (permission, details) => new Promise((resolve) => (
      session._setPermissionRequestHandler(contents, permission, resolve, details)));
    assert.deepStrictEqual([await ask("geolocation"), await ask("openExternal", { externalURL: "mailto:a@b" })], [true,
      true]);
    const kinds = { "clipboard-read": "paste", notifications: "notify", "display-capture": "capture",
      fileSystem: "open" };
    client.judges = () => refused("blocked");
    for (const permission of Object.keys(kinds)) {
      assert.strictEqual(await ask(permission, { filePath: "/a", fileAccessType: "readable" }), false);
      assert.strictEqual(client.asked.pop()[0], kinds[permission]);
    }
    client.judges = () => allow({ mimeWrap: true, replacement: "notice" });
    assert.strictEqual(await ask("clipboard-sanitized-write"), false);
    client.judges = () => allow();
    const heard = [];
    session.setPermissionRequestHandler((_, permission, callback) => { heard.push(permission); callback(false); });
    assert.strictEqual(await ask("notifications"), false);
    session.setPermissionCheckHandler((_, permission) => { heard.push(permission); return false; });
    assert.strictEqual(session._setPermissionCheckHandler(contents, "notifications", PORTAL, {}), false);
    client.judges = () => refused("blocked");
    session.setPermissionCheckHandler(() => true);
    assert.strictEqual(session._setPermissionCheckHandler(contents, "clipboard-read", PORTAL, {}), false);
    assert.strictEqual(client.asked.pop()[1].probe, true);
    assert.strictEqual(session._setPermissionCheckHandler(contents, "geolocation", PORTAL, {}), true);
    assert.deepStrictEqual(heard, ["notifications", "notifications"]);
    if (major >= 17) {
      const shown = new Promise((resolve) => session._setDisplayMediaRequestHandler({}, resolve));
      assert.deepStrictEqual(await shown, {});
    }
  }),

  "prints and pictures": inEach(async (major) => {
    const { fake, client } = made(major);
    const contents = fake.contents(1);
    contents.print({});
    assert.strictEqual(await contents.printToPDF({}), "pdf");
    client.judges = () => refused("printBlocked");
    let told = null;
    contents.print({}, (...values) => { told = values; });
    assert.deepStrictEqual([contents.printed, told[0]], [1, false]);
    for (const make of ["printToPDF", "capturePage", "savePage"]) await assert.rejects(contents[make]("/tmp/x"),
      /blocked/);
    if (major >= 17) assert.deepStrictEqual(await fake.modules.desktopCapturer.getSources({}), []);
    assert.ok(!tells(fake.app, "desktop-capturer-get-sources", {}, contents));
  }),

  "what the app itself hands to other programs": inEach(async (major) => {
    const { fake, client, opened } = made(major);
    const { shell } = fake.modules;
    await shell.openExternal(PORTAL);
    await shell.openExternal(OUT);
    assert.deepStrictEqual(fake.outside, [PORTAL]);
    client.judges = () => readDecision(OFFER);
    await shell.openExternal(OUT);
    assert.deepStrictEqual([fake.outside, opened], [[PORTAL], [OUT]]);
    client.judges = () => refused("shareBlocked");
    assert.ok((await shell.openPath("/tmp/x")).includes("blocked"));
    assert.deepStrictEqual(client.asked.map(([kind]) => kind), ["openURL", "openURL", "openURL", "share"]);
  }),

  "the preload stays, whatever the app sets later": inEach((major) => {
    const { fake } = made(major);
    const session = fake.session();
    const ours = path.join(__dirname, "..", "preload.js");
    assert.deepStrictEqual(session.preloads, [ours]);
    if (major >= 35) return;
    session.setPreloads(["/opt/app/theirs.js"]);
    assert.deepStrictEqual(session.preloads, [ours, "/opt/app/theirs.js"]);
    assert.deepStrictEqual(session.getPreloads(), ["/opt/app/theirs.js"]);
  }),

  "clips: the notice lies outside, and the content is pasted inside": inEach(async (major) => {
    const { fake, client } = made(major);
    const contents = fake.contents(1);
    const ask = (asked) => {
      const event = { sender: contents };
      fake.ipc.emit("webviewguard", event, { from: PORTAL, ...asked });
      return event.returnValue;
    };
    client.judges = (kind) => (kind === "copy" ? allow({ mimeWrap: true, replacement: "notice", proposal: "p1",
      clip: "c1" }) : allow());
    const copied = ask({ type: "copy", length: 6, formats: ["text/plain"], cut: true });
    assert.deepStrictEqual([copied.outcome, copied.notice], ["allow", "notice"]);
    ask({ type: "filled", selection: "clipboard", text: "secret", html: "<b>secret</b>" });
    const [, echo] = client.asked[client.asked.length - 1];
    assert.deepStrictEqual(echo, { selection: "clipboard", selfOwned: true, length: 6, clip: "c1" });
    // A page kept the preload from replacing it.
    fake.text.clipboard = "secret";
    await eventually(() => fake.text.clipboard === "notice", "the notice lies there");
    const pasted = ask({ type: "paste", selection: "clipboard" });
    assert.deepStrictEqual(pasted, { outcome: "insert", text: "secret", html: "<b>secret</b>" });
    assert.deepStrictEqual(client.asked[client.asked.length - 1][1],
      { viewer: "contents-1", selection: "clipboard", from: PORTAL, length: 6, clip: "c1" });
    // Another program copied something since.
    fake.text.clipboard = "of another";
    assert.deepStrictEqual(ask({ type: "paste", selection: "clipboard" }), { outcome: "allow" });
    assert.deepStrictEqual(client.asked.slice(-2).map(([kind, event]) => [kind, event.selfOwned, event.length,
      event.clip]),
      [["clipboardChanged", false, 10, undefined], ["paste", undefined, 10, undefined]]);
    client.judges = () => refused("orgData");
    for (const type of ["copy", "paste", "drag"]) assert.deepStrictEqual(ask({ type, selection: "clipboard" }),
      { outcome: "block" });
    assert.deepStrictEqual(ask({ type: "files", files: ["/tmp/x"] }), { outcome: "block" });
    assert.deepStrictEqual(ask({ type: "unheard of" }), { outcome: "block" });
    const said = console.error;
    console.error = () => {};
    fake.ipc.emit("webviewguard", { sender: contents }, null);
    console.error = said;
    fake.text.selection = "marked secret";
    fake.ipc.emit("webviewguard-marked", { sender: contents }, { text: "marked secret", formats: [], from: PORTAL });
    await eventually(() => fake.text.selection === "", "PRIMARY is emptied");
  }),

  "drags carry the notice, and a drop in the app the content": inEach((major) => {
    const { fake, client } = made(major);
    const contents = fake.contents(1);
    const ask = (asked) => {
      const event = { sender: contents };
      fake.ipc.emit("webviewguard", event, { from: PORTAL, ...asked });
      return event.returnValue;
    };
    client.judges = (kind) => (kind === "copy" ? allow({ mimeWrap: true, replacement: "notice",
      proposal: "p1" }) : allow());
    ask({ type: "drag", length: 6, formats: ["text/plain"] });
    ask({ type: "filled", selection: "drag", text: "secret", html: "" });
    const dropped = ask({ type: "drop", text: "notice", length: 6, formats: ["text/plain"], files: [] });
    assert.deepStrictEqual(dropped, { outcome: "insert", text: "secret", html: "" });
    assert.deepStrictEqual(ask({ type: "dragend" }), { outcome: "allow" });
    assert.deepStrictEqual(ask({ type: "drop", text: "notice", length: 6, formats: [], files: [] }),
      { outcome: "allow" });
    client.judges = (kind) => (kind === "upload" ? refused("uploadBlockedViewer") : allow());
    assert.deepStrictEqual(ask({ type: "drop", text: "", length: null, formats: [], files: ["/tmp/a"] }),
      { outcome: "block" });
  }),

  "people are told once at a time": inEach((major) => {
    const { fake, client } = made(major, { refused: null });
    const contents = fake.contents(1);
    client.judges = () => refused("noAnswer");
    for (let count = 0; count < 3; count += 1) tells(contents, "will-navigate", { url: OUT }, OUT);
    assert.deepStrictEqual(fake.shown.length, 1);
    assert.ok(fake.shown[0].includes("does not answer"));
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
