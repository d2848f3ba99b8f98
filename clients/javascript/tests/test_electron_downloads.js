"use strict";

// The guard of Electron apps: downloads, and those that are sealed.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const sealingPackage = require("../sealing");
const { refused } = require("../lib/decision");
const { eventually } = require("./cleanup");
const { FakeClient, OUT, PORTAL, allow, inEach, made, request } = require("./electron_case");
const { tells } = require("./electron_fake");
const { PERSONAL, WORK, managed, serving } = require("./real");
const { always } = require("./sealed");

const { Sealing, protectionInfo } = sealingPackage;
const DATA = Buffer.from("a secret of the organisation ".repeat(5000));
const LABEL = "abcd";

/** A client that gives keys and labels as the daemon does, unless it refuses to. */
class KeyedClient extends FakeClient {
  constructor() {
    super();
    this.refuses = null;
    this.keys = always();
    this.judges = () => allow({ setOwner: WORK, mustEncrypt: true });
    this.accounts = { list: async () => ({ accounts: [{ account: WORK, managed: true }] }) };
  }

  async call(method, { account, use, object, keyId = null }) {
    const name = method.split(".").pop();
    if (name === this.refuses) throw Object.assign(new Error("no"), { name: "GuardError", code: "KeyWithheld" });
    if (name === "SetOwner") return { standing: "mine", owner: account, mustEncrypt: true, label: LABEL };
    const key = await this.keys({ use, account, objectId: object, keyId });
    return { ...key, key: key.key.toString("hex") };
  }
}

/** An app that seals, with a folder for its downloads; what lies in between lies elsewhere. */
async function sealed(test, major, client = new KeyedClient()) {
  const [folder, memory] = [test.folder(), test.folder()];
  for (const name of ["XDG_RUNTIME_DIR", "XDG_CACHE_HOME"]) {
    const before = process.env[name];
    test.add(() => { if (before === undefined) delete process.env[name]; else process.env[name] = before; });
    process.env[name] = memory;
  }
  const said = console.error;
  console.error = () => {};
  test.add(() => { console.error = said; });
  const app = made(major, { sealing: sealingPackage, client });
  return { ...app, client, folder, session: app.fake.session(), sealing: new Sealing(client.keys || client) };
}

/** Ends a download as Electron does; what the app hears of it. */
function done(item, state) {
  return new Promise((resolve) => {
    item.once("done", (event, heard) => resolve(heard));
    item.emit("done", {}, state);
  });
}

module.exports = {
  "downloads are judged with the place that the app chose": inEach(async (major) => {
    const { fake, client } = made(major);
    const session = fake.session();
    const contents = fake.contents(1);
    const item = (place, chain) => fake.download({ place, chain });
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
    later.place = "/media/usb/file";
    client.judges = () => refused("saveLocationNotListed");
    later.emit("updated");
    await eventually(() => later.isCancelled, "it is cancelled");
    assert.deepStrictEqual(client.asked[client.asked.length - 1][1], {
      url: `${PORTAL}file`, path: "/media/usb/file", location: "other",
    });
  }),

  "a name that a site suggests turns no letters and ends no line": inEach(async (major, test) => {
    const { fake, client } = made(major);
    const [session, folder] = [fake.session(), test.folder()];
    const begin = (said) => {
      const item = fake.download(said);
      assert.ok(tells(session, "will-download", {}, item, null));
      return item;
    };
    const kept = begin({ place: path.join(folder, "a\u202eb/cod\u202egpj.exe") });
    assert.strictEqual(kept.place, path.join(folder, "a\u202eb/cod_gpj.exe"));
    assert.strictEqual(client.asked[0][1].path, kept.place);
    // Nothing that lies there already is written over, and the app learns the name.
    for (const name of ["cod_gpj.exe", "cod_gpj (1).exe"]) fs.writeFileSync(path.join(folder, name), "mine");
    const other = begin({ place: path.join(folder, "cod\u2066gpj.exe") });
    assert.strictEqual(other.getSavePath(), path.join(folder, "cod_gpj (2).exe"));
    fs.writeFileSync(path.join(folder, "x_"), "mine");
    assert.strictEqual(begin({ place: path.join(folder, "x\n") }).place, path.join(folder, "x_ (1)"));
    assert.strictEqual(begin({ place: path.join(folder, "cod_gpj.exe") }).place, path.join(folder, "cod_gpj.exe"));
    // Electron asks somebody for a place.
    assert.deepStrictEqual(begin({ name: "a\u2028b\u200f.txt" }).options, { defaultPath: "a_b_.txt" });
    assert.deepStrictEqual(begin({ name: "plan.pdf" }).options, {});
    const item = fake.download({});
    item.setSaveDialogOptions({ title: "Where?", defaultPath: "/tmp/a\u061cb" });
    assert.ok(tells(session, "will-download", {}, item, null));
    assert.deepStrictEqual([item.place, item.options], ["", { title: "Where?", defaultPath: "/tmp/a_b" }]);
  }),

  "downloads of an account whose files are encrypted are sealed": inEach(async (major, test) => {
    const { fake, session, sealing, folder } = await sealed(test, major);
    const file = path.join(folder, "plan.pdf");
    const item = fake.download({ place: file, size: DATA.length });
    assert.ok(tells(session, "will-download", {}, item, fake.contents(1)));
    const between = item.place;
    assert.ok(!between.startsWith(folder) && item.getSavePath() === file && item.savePath === file);
    item.setSavePath("/media/usb/file");
    assert.strictEqual(item.place, between);
    fs.writeFileSync(between, DATA);
    assert.strictEqual(await done(item, "completed"), "completed");
    assert.ok(!fs.readFileSync(file).includes(DATA) && (await sealing.unprotect(fs.readFileSync(file))).equals(DATA));
    assert.deepStrictEqual([fs.existsSync(path.dirname(between)), fs.readdirSync(folder)], [false, ["plan.pdf"]]);
  }),

  "somebody is asked for the place of a sealed download, and nothing lies there before": inEach(async (major, test) => {
    const { fake, session, client, sealing, folder } = await sealed(test, major);
    const choices = [];
    fake.chooses = (options) => new Promise((resolve) => {
      assert.strictEqual(options.defaultPath, "fi_le");
      choices.push((filePath) => resolve({ canceled: filePath === null, filePath }));
    });
    const begin = () => {
      const item = fake.download({ name: "fi\u202ele" });
      assert.ok(tells(session, "will-download", {}, item, null));
      fs.writeFileSync(item.place, DATA);
      return item;
    };
    const kept = begin();
    const ends = done(kept, "completed");
    assert.deepStrictEqual(fs.readdirSync(folder), []);
    choices.pop()(path.join(folder, "chosen"));
    assert.strictEqual(await ends, "completed");
    assert.strictEqual(kept.getSavePath(), path.join(folder, "chosen"));
    assert.ok((await sealing.unprotect(fs.readFileSync(kept.getSavePath()))).equals(DATA));
    const cancelled = begin();
    choices.pop()(null);
    await eventually(() => cancelled.isCancelled, "it is cancelled");
    assert.strictEqual(await done(cancelled, "cancelled"), "cancelled");
    const refusedLater = begin();
    const { judges } = client;
    client.judges = (kind, event) => (event.path === null ? judges(kind, event) : refused("saveLocationNotListed"));
    choices.pop()(path.join(folder, "refused"));
    await eventually(() => refusedLater.isCancelled, "it is cancelled");
    assert.strictEqual(await done(refusedLater, "completed"), "interrupted");
    assert.deepStrictEqual(fs.readdirSync(folder), ["chosen"]);
    for (const item of [kept, cancelled, refusedLater]) assert.ok(!fs.existsSync(item.place));
  }),

  "without a key nothing of a download stays": inEach(async (major, test) => {
    const { fake, session, client, folder } = await sealed(test, major);
    const file = path.join(folder, "plan");
    for (const fails of ["DataKey", "SetOwner"]) {
      client.refuses = fails;
      const item = fake.download({ place: file });
      assert.ok(tells(session, "will-download", {}, item, null));
      fs.writeFileSync(item.place, DATA);
      await eventually(() => item.isCancelled, "it is cancelled");
      assert.strictEqual(await done(item, "completed"), "interrupted");
      assert.deepStrictEqual([fs.readdirSync(folder), fs.existsSync(item.place)], [[], false]);
    }
    client.refuses = null;
    const broken = fake.download({ place: file });
    assert.ok(tells(session, "will-download", {}, broken, null));
    assert.strictEqual(await done(broken, "interrupted"), "interrupted");
    assert.deepStrictEqual([fs.readdirSync(folder), fs.existsSync(path.dirname(broken.place))], [[], false]);
  }),

  "what need not be encrypted lies in plain, and an app without the package is told": inEach(async (major, test) => {
    const { fake, session, client, folder, guarded } = await sealed(test, major);
    const isTold = (one) => one.uncovered.some(({ what }) => what.includes("encrypted"));
    assert.deepStrictEqual([isTold(guarded), isTold(made(major).guarded)], [false, true]);
    for (const more of [{ setOwner: WORK }, { mustEncrypt: true }, {}]) {
      client.judges = () => allow(more);
      const item = fake.download({ place: path.join(folder, "plan") });
      assert.ok(tells(session, "will-download", {}, item, null));
      assert.strictEqual(item.place, path.join(folder, "plan"));
    }
    const bare = made(major);
    bare.client.judges = () => allow({ setOwner: WORK, mustEncrypt: true });
    const item = bare.fake.download({ place: "/tmp/plan" });
    assert.ok(tells(bare.fake.session(), "will-download", {}, item, null));
    assert.strictEqual(item.place, "/tmp/plan");
  }),

  "a sealed file that is uploaded tells whose it is": inEach(async (major, test) => {
    const { fake, session, client, sealing, folder } = await sealed(test, major);
    fake.contents(1);
    const file = path.join(folder, "plan");
    fs.writeFileSync(file, await sealing.protect(DATA, WORK));
    client.judges = (kind, { label }) => (kind === "upload" && label ? refused("x") : allow());
    const upload = (name) => request(session, { url: PORTAL, uploadData: [{ file: name }] });
    assert.deepStrictEqual(await upload(file), { cancel: true });
    assert.strictEqual(client.asked.pop()[1].label, LABEL);
    fs.writeFileSync(file, "mine");
    assert.deepStrictEqual(await upload(file), {});
    assert.deepStrictEqual(await upload(path.join(folder, "none")), { cancel: true });
  }),

  "the real daemon wants downloads of the managed account sealed": async (test) => {
    const daemon = await serving(test);
    const client = await managed(test, daemon, { sync: true });
    await client.registerViewer("contents-1", { class: "documents" });
    const { fake, session, folder } = await sealed(test, 37, client);
    const item = fake.download({ place: path.join(folder, "plan") });
    const contents = fake.contents(1);
    assert.ok(tells(session, "will-download", {}, item, contents));
    fs.writeFileSync(item.place, DATA);
    assert.strictEqual(await done(item, "completed"), "completed");
    const envelope = fs.readFileSync(path.join(folder, "plan"));
    assert.ok(protectionInfo(envelope).isSealed);
    assert.ok((await new Sealing(client).unprotect(envelope)).equals(DATA));
    await client.setIdentity("process", { account: PERSONAL });
    const mine = fake.download({ place: path.join(folder, "mine") });
    assert.ok(tells(session, "will-download", {}, mine, null));
    assert.strictEqual(mine.place, path.join(folder, "mine"));
  },
};
