"use strict";

// The guard of Electron apps beside apps that do much by themselves, in odd orders.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { guard } = require("../electron");
const { refused, readDecision } = require("../lib/decision");
const { OFFER, OUT, PORTAL, allow, asking, inEach, made, request } = require("./electron_case");
const { FakeElectron, tells } = require("./electron_fake");
const notice = require("../notice");
const { eventually } = require("./cleanup");

const NOTICE = { mimeWrap: true, replacement: "notice", clip: "c1" };

/** What is said on the console meanwhile stays there. */
async function quietly(work) {
  const said = console.error;
  console.error = () => {};
  try {
    return await work();
  } finally {
    console.error = said;
  }
}

/** Whether a new window may be opened, before and after Electron 12. */
function opens(major, contents, url, options = {}) {
  if (major < 12) return tells(contents, "new-window", {}, url, "", "new-window", options);
  return contents._setWindowOpenHandler({ url }).action === "allow";
}

module.exports = {
  "the guard ends with the app, behind whatever the app does then": inEach((major) => {
    const { fake, client } = made(major);
    let said = "";
    client.close = () => { said += "closed"; };
    fake.app.on("quit", () => { said += "quits "; });
    fake.app.emit("quit", {}, 0);
    assert.strictEqual(said, "quits closed");
  }),

  "an app that takes all listeners away": inEach(async (major) => {
    const { fake, client } = made(major);
    fake.app.removeAllListeners();
    client.judges = (kind, { url }) => (url === PORTAL ? allow() : refused("external"));
    const session = fake.session();
    const contents = fake.contents(1);
    session.removeAllListeners();
    contents.removeAllListeners();
    assert.deepStrictEqual(await request(session, { url: OUT }), { cancel: true });
    assert.ok(!tells(contents, "will-navigate", { url: OUT }, OUT));
    assert.ok(!tells(contents, "will-redirect", { url: OUT, isMainFrame: true }, OUT, false, true, 1, 1));
    assert.ok(!opens(major, contents, OUT));
    assert.ok(!tells(session, "will-download", {}, fake.download({ url: OUT }), contents));
    assert.ok(!tells(fake.app, "desktop-capturer-get-sources", {}, contents));
    contents.emit("did-navigate", {}, PORTAL);
    assert.deepStrictEqual(client.said.pop(), ["document", "contents-1", PORTAL]);
  }),

  "an app whose listeners throw": inEach(async (major) => {
    const { fake } = made(major);
    const session = fake.session();
    const contents = fake.contents(1);
    const item = fake.download({ url: OUT });
    let isOff = false;
    session.on("will-download", () => { throw new Error("a mistake of the app"); });
    const event = { preventDefault: () => { isOff = true; } };
    assert.throws(() => session.emit("will-download", event, item, contents), /of the app/);
    assert.ok(isOff);
    session.webRequest.onBeforeRequest(() => { throw new Error("a mistake of the app"); });
    assert.deepStrictEqual(await quietly(() => request(session, { url: PORTAL })), { cancel: true });
  }),

  "an app that takes back what guards a web view or a popup": inEach((major) => {
    const { fake } = made(major);
    const contents = fake.contents(1);
    const preferences = {};
    const open = { sandbox: false, contextIsolation: false };
    contents.on("will-attach-webview", (_, theirs) => Object.assign(theirs, open));
    tells(contents, "will-attach-webview", {}, preferences, {});
    assert.deepStrictEqual([preferences.sandbox, preferences.contextIsolation], [true, true]);
    if (major >= 12) return;
    const options = {};
    contents.on("new-window", (event, url, name, disposition, theirs) => { theirs.webPreferences = open; });
    assert.ok(opens(major, contents, PORTAL, options) && options.webPreferences.sandbox);
  }),

  "a window that the app did not want makes the next one nobody's popup": inEach((major) => {
    const { fake, client } = made(major);
    const contents = fake.contents(1);
    if (major >= 12) contents.setWindowOpenHandler(() => ({ action: "deny" }));
    else contents.on("new-window", (event) => event.preventDefault());
    assert.ok(!opens(major, contents, PORTAL));
    fake.contents(2);
    assert.deepStrictEqual(client.said.pop(), ["register", "contents-2", { class: "documents", kind: "embedded",
      opener: null }]);
  }),

  "an app that hands links over by itself opens one program for a click": inEach(async (major) => {
    const { fake, client, opened } = made(major);
    const contents = fake.contents(1);
    const { shell } = fake.modules;
    client.judges = () => readDecision(OFFER);
    const handed = [];
    contents.on("will-navigate", (event, url) => {
      event.preventDefault();
      handed.push(shell.openExternal(url));
    });
    assert.ok(!tells(contents, "will-navigate", { url: OUT }, OUT));
    await Promise.all(handed);
    assert.deepStrictEqual([opened, fake.outside, handed.length], [[OUT], [], 1]);
    // Another link, and one that no page clicked.
    await shell.openExternal(`${OUT}b`);
    assert.strictEqual(opened.length, 2);
  }),

  "downloads that the app begins at a session": inEach(async (major) => {
    const { fake } = made(major);
    const session = fake.session();
    const contents = fake.contents(1);
    // Its own request would pass no hook: a page's passes them all.
    contents.session = session.seen;
    session.downloadURL(PORTAL);
    assert.deepStrictEqual([contents.loaded, session.loaded], [[PORTAL], []]);
    await quietly(() => fake.session().downloadURL(PORTAL));
    session.createInterruptedDownload({ urlChain: [PORTAL, OUT] });
    assert.deepStrictEqual(session.loaded, []);
    session.createInterruptedDownload({ urlChain: [PORTAL] });
    assert.deepStrictEqual(session.loaded, [PORTAL]);
  }),

  "pictures of pages, files that are dragged, and the screen as a device": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    const contents = fake.contents(1);
    const frames = [];
    const all = () => {
      contents.copyImageAt(1, 1);
      contents.startDrag({ file: "/tmp/a" });
      contents.beginFrameSubscription((image) => frames.push(image));
    };
    const ask = (details) => new Promise((resolve) => (
      session._setPermissionRequestHandler(contents, "media", resolve, details)));
    client.judges = () => refused("blocked");
    all();
    client.judges = (kind) => allow(kind === "copy" ? NOTICE : {});
    contents.copyImageAt(1, 1);
    assert.deepStrictEqual([contents.copied, contents.dragged, frames], [0, [], []]);
    client.judges = () => allow();
    all();
    assert.deepStrictEqual([contents.copied, contents.dragged, frames], [1, ["/tmp/a"], ["image"]]);
    client.judges = (kind) => (kind === "capture" ? refused("captureBlocked") : allow());
    assert.deepStrictEqual([await ask({ mediaTypes: [] }), await ask({ mediaTypes: ["video"] })], [false, true]);
  }),

  "what the app itself puts on the clipboard": inEach((major) => {
    const { fake, client } = made(major);
    const { clipboard } = fake.modules;
    const contents = fake.contents(1);
    client.judges = (kind) => allow(kind === "copy" ? NOTICE : {});
    clipboard.writeText("secret");
    assert.strictEqual(fake.text.clipboard, "notice");
    // The app reads its own, and so do its pages.
    assert.strictEqual(clipboard.readText(), "secret");
    assert.strictEqual(asking(fake, contents)({ type: "paste", selection: "clipboard" }).text, "secret");
    clipboard.writeText("marked secret", "selection");
    assert.deepStrictEqual([fake.text.selection, clipboard.readText("selection")], ["notice", "marked secret"]);
    const writes = {
      writeHTML: ["<b>x</b>"], writeRTF: ["x"], writeBookmark: ["x", "x"], write: [{ text: "x", html: "x" }],
    };
    for (const [name, said] of Object.entries(writes)) {
      fake.text.clipboard = "before";
      clipboard[name](...said);
      assert.strictEqual(fake.text.clipboard, "notice", name);
    }
    fake.text.clipboard = "before";
    const pictures = { writeImage: ["x"], writeBuffer: ["image/png", "x"], write: [{ image: "x" }] };
    for (const [name, said] of Object.entries(pictures)) {
      clipboard[name](...said);
      assert.strictEqual(fake.text.clipboard, "before", name);
    }
    client.judges = () => refused("orgData");
    clipboard.writeText("secret");
    assert.strictEqual(fake.text.clipboard, "before");
    const nothing = [clipboard.readText(), clipboard.readHTML(), clipboard.readImage(), clipboard.readBookmark(),
      clipboard.readBuffer("x").length, clipboard.read("x")];
    assert.deepStrictEqual(nothing, ["", "", "no picture", { title: "", url: "" }, 0, ""]);
    client.judges = () => allow();
    clipboard.writeText("public");
    const texts = [fake.text.clipboard, clipboard.readText(), clipboard.read("x")];
    assert.deepStrictEqual(texts, ["public", "public", "public"]);
  }),

  "the app of the README shows its window, and says that nobody answers": async (test) => {
    const [, page] = fs.readFileSync(path.join(__dirname, "../README.md"), "utf8").split("## Electron\n");
    const [, code] = /```js\n([^]*?)```/.exec(page);
    const { modules } = new FakeElectron(37);
    const [windows, boxes, opened] = [[], [], []];
    const electron = {
      app: { whenReady: async () => {}, on: () => {} },
      dialog: { showErrorBox: (...texts) => boxes.push(texts) },
      BrowserWindow: class {
        constructor({ webPreferences }) { windows.push(webPreferences); }
        async loadURL(url) { opened.push(url); throw new Error("ERR_BLOCKED_BY_CLIENT"); }
      },
    };
    const guards = (options) => {
      const socket = path.join(test.folder(), "guard.sock");
      const guarded = guard({ ...options, electron: modules, require: "always", path: socket, onProblem: () => {} });
      test.add(() => guarded.client.close());
      return guarded;
    };
    const packages = { electron, "webviewguard/electron": { guard: guards }, "webviewguard-notice": notice };
    new Function("require", code)((name) => packages[name]);
    await eventually(() => opened.length > 0, "the page loads");
    assert.deepStrictEqual([windows.map(({ sandbox }) => sandbox), opened], [[true], [PORTAL]]);
    assert.ok(boxes.length === 1 && boxes[0][1].includes("noAnswer"), JSON.stringify(boxes));
  },
};
