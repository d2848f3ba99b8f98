"use strict";

// The guard of Electron apps: windows, views, popups, and what people are told.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { refused, readDecision } = require("../lib/decision");
const notice = require("../notice");
const { eventually } = require("./cleanup");
const { OFFER, OUT, PORTAL, allow, inEach, made, request } = require("./electron_case");
const { tells } = require("./electron_fake");

module.exports = {
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
    const safe = { sandbox: true, contextIsolation: true };
    const open = fake.contents(1, { preferences: { ...safe, nodeIntegrationInSubFrames: false } });
    open.emit("dom-ready");
    open.emit("dom-ready");
    fake.contents(2, { preferences: guarded.webPreferences({ zoomFactor: 2 }) }).emit("dom-ready");
    console.warn = said;
    const count = major < 30 ? 1 : 0;
    assert.deepStrictEqual([guarded.uncovered.length - before, warned.length], [count, count]);
    open.emit("destroyed");
    assert.strictEqual(guarded.uncovered.length, before);
    console.warn = () => {};
    fake.contents(3, { preferences: { nodeIntegration: true } }).emit("dom-ready");
    console.warn = said;
    const told = guarded.uncovered.slice(before).map(({ what }) => what).join(" ");
    if (major < 30) for (const word of ["frames", "Node", "scripts"]) assert.ok(told.includes(word), told);
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

  "Electron reads the preload from memory, and everything else as before": async (test) => {
    const { fake } = made(9);
    const [ours] = fake.session().preloads;
    const text = fs.readFileSync(ours, "utf8");
    let read = null;
    fs.promises.readFile(ours).then((bytes) => { read = bytes; });
    // No turn of the event loop: nothing is read from a disk.
    for (let count = 0; count < 10; count += 1) await null;
    assert.strictEqual(String(read), text);
    // What one reader does to it is no other's.
    read.fill(0);
    assert.strictEqual(String(await fs.promises.readFile(ours)), text);
    assert.strictEqual(await fs.promises.readFile(ours, "utf8"), text);
    const other = path.join(test.folder(), "preload.js");
    fs.writeFileSync(other, "theirs");
    assert.strictEqual(String(await fs.promises.readFile(other)), "theirs");
    await assert.rejects(fs.promises.readFile(`${ours}.none`), { code: "ENOENT" });
  },

  "with its package the notice stands in the place of a page": inEach(async (major) => {
    const { fake, client, refusals } = made(major, { notice });
    client.news.policy({ organization: { name: "Contoso" } });
    const contents = fake.contents(1);
    assert.ok(!tells(contents, "will-navigate", { url: OUT }, OUT));
    const page = await eventually(() => contents.loaded[0], "a notice is shown");
    const html = Buffer.from(page.split(",")[1], "base64").toString();
    assert.ok(html.includes("Contoso") && html.includes("example.net"), html);
    assert.deepStrictEqual(refusals.map(({ isNoticed }) => isNoticed), [true]);
    // It is asked about as no page, and is no document of the viewer.
    const [asked, said] = [client.asked.length, client.said.length];
    assert.deepStrictEqual(await request(fake.session(), { url: page, webContentsId: undefined }), {});
    contents.emit("did-navigate", {}, page);
    assert.deepStrictEqual([client.asked.length, client.said.length], [asked, said]);
    const [back] = /webviewguard-notice:\w+\/back/.exec(html);
    for (const url of ["webviewguard-notice:0/back", back, back]) {
      assert.ok(!tells(contents, "will-navigate", { url }, url));
    }
    await eventually(() => contents.loaded.length > 1, "the button works");
    await new Promise((done) => setImmediate(done));
    assert.deepStrictEqual(contents.loaded.slice(1), [-1]);
  }),

  "a request that fails is followed by its notice, and other failures by none": inEach(async (major) => {
    const { fake } = made(major, { notice });
    const session = fake.session();
    const contents = fake.contents(1);
    const fails = (code, isMain) => tells(contents, "did-fail-load", {}, code, "", OUT, isMain, 1, 1);
    fails(-20, true);
    await request(session, { url: OUT, resourceType: "mainFrame" });
    fails(-105, true);
    fails(-20, false);
    await new Promise((done) => setImmediate(done));
    assert.deepStrictEqual(contents.loaded, []);
    fails(-20, true);
    fails(-20, true);
    await new Promise((done) => setImmediate(done));
    assert.strictEqual(contents.loaded.length, 1);
    await request(session, { url: OUT, resourceType: "subFrame", id: 2 });
    fails(-20, true);
    await new Promise((done) => setImmediate(done));
    assert.strictEqual(contents.loaded.length, 1);
  }),

  "people are told once at a time": inEach((major) => {
    const { fake, client } = made(major, { refused: null });
    const contents = fake.contents(1);
    client.judges = () => refused("noAnswer");
    for (let count = 0; count < 3; count += 1) tells(contents, "will-navigate", { url: OUT }, OUT);
    assert.deepStrictEqual(fake.shown.length, 1);
    assert.ok(fake.shown[0].includes("does not answer"));
  }),
};
