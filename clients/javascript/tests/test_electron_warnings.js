"use strict";

// The way on from a warning in an Electron app, for a user and for nobody else. The strict fake plays Electron.

const assert = require("assert");
const { readDecision } = require("../lib/decision");
const notice = require("../notice");
const { eventually } = require("./cleanup");
const { OUT, PORTAL, asking, inEach, made, request } = require("./electron_case");
const { tells } = require("./electron_fake");

const WARNING = { outcome: "warn", reason: "external", id: "7353448151165139" };
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** A view that shows the notice of a warning; `press` presses its buttons as a user does, `script` as nobody does. */
async function warned(major, { way = "link" } = {}) {
  const { fake, client, refusals } = made(major, { notice });
  const session = fake.session();
  const contents = fake.contents(1);
  const acknowledged = [];
  client.acknowledge = async (decision, outcome, more = {}) => {
    acknowledged.push([decision.id, outcome, more.justification]);
    return client.isAway !== true;
  };
  client.judges = (kind, event) => readDecision(event.url === OUT ? WARNING : { outcome: "allow", id: "1" });
  const mainFrame = (details) => request(session, { id: fake.requests = (fake.requests || 10) + 1, url: OUT,
    resourceType: "mainFrame", ...details });
  // Electron tells of a page that begins before it asks the hook.
  contents.loadURL = async (url) => {
    contents.loaded.push(url);
    contents.emit("did-start-navigation", {}, url, false, true);
  };
  const shows = async () => {
    const page = await eventually(() => contents.loaded.find((url) => String(url).startsWith("data:")), "a notice");
    contents.getURL = () => page;
    return Buffer.from(page.slice(page.indexOf(",") + 1), "base64").toString();
  };
  if (way === "link") assert.ok(!tells(contents, "will-navigate", {}, OUT));
  else {
    assert.ok((await mainFrame(way === "form" ? { method: "POST" } : {})).cancel);
    contents.emit("did-fail-load", {}, -20, "", OUT, true);
  }
  const html = await shows();
  const link = (action) => (new RegExp(`webviewguard-notice:\\w+/${action}`).exec(html) || [""])[0];
  const script = async (action, query = "") => {
    assert.ok(!tells(contents, "will-navigate", {}, `${link(action)}${query}`));
    await turn();
  };
  const press = async (action, query) => {
    asking(fake, contents)({ type: "pressed" });
    await script(action, query);
  };
  contents.loaded.length = 0;
  return { fake, client, session, contents, acknowledged, refusals, html, link, script, press, mainFrame };
}

const BECAUSE = "?justification=+For+the+audit%3A+caf%C3%A9+";

module.exports = {
  "a warning is claimed only with the notice": async (cleanup) => {
    for (const more of [{}, { notice }]) {
      const { client } = made(22, { client: null, path: "/nowhere/guard.sock", onProblem: () => {}, ...more }).guarded;
      cleanup.add(() => client.close());
      assert.strictEqual(client._engine.hello.features.includes("warn"), "notice" in more);
    }
  },

  "a user goes on, and says why": inEach(async (major) => {
    for (const way of ["link", "load"]) {
      const { contents, acknowledged, press, mainFrame, client } = await warned(major, { way });
      await press("continue", BECAUSE);
      assert.deepStrictEqual(acknowledged, [[WARNING.id, "allow", "For the audit: café"]]);
      assert.deepStrictEqual(contents.loaded, [OUT]);
      const asked = client.asked.length;
      assert.deepStrictEqual(await mainFrame({}), {});
      // Only whether it still warns, from the page that led there: that has no effect and no record.
      const again = client.asked.slice(asked).map(([kind, { probe, from }]) => [kind, probe, from]);
      assert.deepStrictEqual(again, [["navigate", true, client.asked[0][1].from]]);
      // Once.
      assert.ok((await mainFrame({})).cancel);
    }
  }),

  "nobody goes on by a script, without a reason, twice, or by a form": inEach(async (major) => {
    const { contents, acknowledged, press, script, mainFrame } = await warned(major);
    await script("continue", BECAUSE);
    for (const query of ["", "?justification=", "?justification=+%20+", "?reason=x"]) await press("continue", query);
    assert.deepStrictEqual([acknowledged, contents.loaded], [[], []]);
    assert.ok((await mainFrame({})).cancel);
    await press("continue", BECAUSE);
    await press("continue", BECAUSE);
    assert.deepStrictEqual([acknowledged.length, contents.loaded], [1, [OUT]]);
    const form = await warned(major, { way: "form" });
    assert.strictEqual(form.link("continue"), "");
    assert.ok((await form.mainFrame({})).cancel);
  }),

  "a press of long ago is none": inEach(async (major) => {
    const { fake, contents, acknowledged, script } = await warned(major);
    const { now } = Date;
    Date.now = () => now() - 2000;
    try {
      asking(fake, contents)({ type: "pressed" });
    } finally {
      Date.now = now;
    }
    await script("continue", BECAUSE);
    assert.deepStrictEqual([acknowledged, contents.loaded], [[], []]);
  }),

  "a user of another view presses nothing here": inEach(async (major) => {
    const { fake, contents, acknowledged, script } = await warned(major);
    asking(fake, fake.contents(2))({ type: "pressed" });
    await script("continue", BECAUSE);
    assert.deepStrictEqual([acknowledged, contents.loaded], [[], []]);
  }),

  "nothing else passes: another page, a hop, a body, another view, a part of a page": inEach(async (major) => {
    const others = [
      { url: `${OUT}?other` }, { url: "https://sub.example.net/" }, { method: "POST" }, { method: "HEAD" },
      { resourceType: "subFrame" }, { resourceType: "image" }, { webContentsId: 2 },
    ];
    for (const other of others) {
      const { fake, client, press, mainFrame } = await warned(major);
      fake.contents(2);
      client.judges = () => readDecision(WARNING);
      await press("continue", BECAUSE);
      assert.ok((await mainFrame(other)).cancel, JSON.stringify(other));
    }
    const { client, press, mainFrame } = await warned(major);
    await press("continue", BECAUSE);
    assert.deepStrictEqual(await mainFrame({ id: 5, url: PORTAL }), {});
    client.judges = () => readDecision(WARNING);
    // The portal leads there: that is another page, and a hop.
    assert.ok((await mainFrame({ id: 5 })).cancel);
  }),

  "another view that loads the same page has no part in it": inEach(async (major) => {
    // Of some pages Electron tells no number, only their URL.
    const untold = { webContentsId: undefined };
    const alone = await warned(major);
    alone.fake.contents(2);
    await alone.press("continue", BECAUSE);
    assert.deepStrictEqual(await alone.mainFrame(untold), {});
    for (const isFirst of [true, false]) {
      const { fake, press, mainFrame } = await warned(major);
      const other = fake.contents(2);
      const begins = () => {
        other.isBusy = true;
        other.emit("did-start-navigation", {}, OUT, false, true);
      };
      if (isFirst) begins();
      await press("continue", BECAUSE);
      if (!isFirst) begins();
      assert.ok((await mainFrame(untold)).cancel);
      assert.ok((await mainFrame(untold)).cancel);
    }
  }),

  "another page in between ends it": inEach(async (major) => {
    const between = {
      "it begins": ({ contents }) => contents.emit("did-start-navigation", {}, PORTAL, false, true),
      "it is asked about": ({ mainFrame }) => mainFrame({ url: PORTAL }),
      "the view is gone": ({ contents }) => contents.emit("destroyed"),
    };
    for (const [name, act] of Object.entries(between)) {
      const played = await warned(major);
      await played.press("continue", BECAUSE);
      await act(played);
      assert.ok((await played.mainFrame({})).cancel, name);
    }
    // Neither does what begins and is no page of the view.
    for (const [isInPlace, isMain] of [[true, true], [false, false]]) {
      const played = await warned(major);
      await played.press("continue", BECAUSE);
      played.contents.emit("did-start-navigation", {}, PORTAL, isInPlace, isMain);
      assert.deepStrictEqual(await played.mainFrame({}), {});
    }
  }),

  "a page that begins while the daemon hears why goes first": inEach(async (major) => {
    const { client, contents, press, mainFrame } = await warned(major);
    let hear = () => {};
    client.acknowledge = () => new Promise((resolve) => { hear = resolve; });
    await press("continue", BECAUSE);
    contents.emit("did-start-navigation", {}, PORTAL, false, true);
    hear(true);
    await turn();
    assert.deepStrictEqual(contents.loaded, []);
    assert.ok((await mainFrame({})).cancel);
  }),

  "a warning that is none any more lets nobody pass: a new policy, an account that was wiped": inEach(async (major) => {
    const { client, contents, press, mainFrame, refusals } = await warned(major);
    client.judges = () => readDecision({ outcome: "block", reason: "accountWiped", id: "2" });
    await press("continue", BECAUSE);
    assert.deepStrictEqual(contents.loaded, [OUT]);
    assert.ok((await mainFrame({})).cancel);
    assert.strictEqual(refusals[refusals.length - 1].decision.reason, "accountWiped");
    // What is allowed by now needs no pass, and no second question.
    const free = await warned(major);
    free.client.judges = () => readDecision({ outcome: "allow", reason: "internal", id: "2" });
    await free.press("continue", BECAUSE);
    assert.deepStrictEqual(await free.mainFrame({}), {});
  }),

  "a daemon that did not hear why is asked anew": inEach(async (major) => {
    for (const acknowledge of [async () => false, async () => { throw new Error("NotYours"); }]) {
      const { client, contents, press, mainFrame } = await warned(major);
      client.acknowledge = acknowledge;
      await press("continue", BECAUSE);
      assert.deepStrictEqual(contents.loaded, [OUT]);
      assert.ok((await mainFrame({})).cancel);
    }
  }),

  "who goes back does not go on, and who comes back to a used notice is asked anew": inEach(async (major) => {
    const { contents, acknowledged, press } = await warned(major);
    await press("back");
    assert.deepStrictEqual([acknowledged, contents.loaded], [[[WARNING.id, "block", undefined]], [-1]]);
    contents.emit("did-start-navigation", {}, contents.getURL(), false, true);
    await turn();
    assert.deepStrictEqual(contents.loaded, [-1, OUT]);
  }),

  "what is no page has no way on, and the daemon hears that": inEach(async (major) => {
    const { client, contents, acknowledged, refusals, fake } = await warned(major);
    client.judges = () => readDecision(WARNING);
    const opened = major >= 12 ? contents._setWindowOpenHandler({ url: OUT }).action === "allow"
      : tells(contents, "new-window", {}, OUT, "", "", {});
    assert.ok(!opened);
    assert.strictEqual(asking(fake, contents)({ type: "paste", selection: "clipboard" }).outcome, "block");
    await assert.rejects(contents.printToPDF({}));
    assert.ok(acknowledged.length === 3 && acknowledged.every(([, outcome]) => outcome === "block"));
    assert.deepStrictEqual(refusals.map(({ kind, isNoticed }) => `${kind} ${isNoticed}`),
      ["navigate true", "navigate false", "paste false", "print false"]);
  }),

  "a long reason is cut at what the daemon takes, between two letters": inEach(async (major) => {
    const { acknowledged, press } = await warned(major);
    await press("continue", `?justification=${encodeURIComponent(`a${"é".repeat(2000)}`)}`);
    assert.strictEqual(acknowledged[0][2], `a${"é".repeat(511)}`);
  }),
};
