"use strict";

// The guard of Electron apps: the other ways out, from permissions to clips.

const assert = require("assert");
const { refused, readDecision } = require("../lib/decision");
const { eventually } = require("./cleanup");
const { OFFER, OUT, PORTAL, allow, asking, inEach, made } = require("./electron_case");
const { tells } = require("./electron_fake");

module.exports = {
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

  "clips: the notice lies outside, and the content is pasted inside": inEach(async (major) => {
    const { fake, client } = made(major);
    const contents = fake.contents(1);
    const ask = asking(fake, contents);
    client.judges = (kind) => (kind === "copy" ? allow({ mimeWrap: true, replacement: "notice", proposal: "p1",
      clip: "c1" }) : allow());
    const copied = ask({ type: "copy", length: 6, formats: ["text/plain"], cut: true });
    assert.deepStrictEqual([copied.outcome, copied.notice], ["allow", "notice"]);
    ask({ type: "filled", selection: "clipboard", text: "secret", html: "<b>secret</b>" });
    const [, echo] = client.asked[client.asked.length - 1];
    assert.deepStrictEqual(echo, { selection: "clipboard", selfOwned: true, length: 6, clip: "c1" });
    // As the preload puts it there.
    fake.text.clipboard = "notice";
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
    const ask = asking(fake, contents);
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
};
