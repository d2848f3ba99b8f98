"use strict";

// A real Electron beside daemons that fall silent, lie and reload, with two windows, and with another app of the same
// user; and how often a page asks.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { eventually } = require("../cleanup");
const { CONTRACT, FakeDaemon, ways } = require("../fake");
const { APP, FILES, serving } = require("../real");
const { App, NAMED, POLICY, PORTAL } = require("./played");

// A loop that waits for one answer stands for so long; no machine is so busy by itself.
const ANSWER_MS = 3000;
const BEAT_MS = 10;
const MANY = 50;
const PICTURES = 20;
const SECOND = "com.contoso.second";

function started(test, more = {}, surroundings = {}) {
  return new App(test, more).start(process.env.ELECTRON, surroundings);
}

/** A daemon that allows everything, and when `isSilent` hears all and says nothing. */
async function fallingSilent(test) {
  const daemon = new FakeDaemon(path.join(test.folder(), "guard.sock"), async (peer) => {
    peer.contract = { ...CONTRACT, startMs: ANSWER_MS, answerMs: ANSWER_MS };
    for (;;) {
      const call = await peer.call();
      if (!daemon.isSilent) peer.answer(call);
    }
  });
  test.add(() => daemon.close());
  return daemon.listen();
}

/** How often it was called since the last time: navigations by their frame, others by their method. */
function questions(daemon) {
  const counted = {};
  for (const { method, parameters } of daemon.heard.splice(0)) {
    const name = method === "Navigate" ? parameters.event.frame : method;
    counted[name] = (counted[name] || 0) + 1;
  }
  return counted;
}

function loads(app, place) {
  return app.run(`return it.contents.loadURL(${JSON.stringify(app.site.url(PORTAL, place))}).then(() => 1, () => 0)`);
}

/** The requests of places that begin so. */
function arrived(app, place) {
  return app.site.heard.filter((line) => line.includes(`/${place}`));
}

module.exports = {
  "a page asks once for itself and once for each of what it loads": async (test) => {
    const daemon = await fallingSilent(test);
    const app = await started(test, { daemon });
    await loads(app, "/first");
    const isFirst = ({ method, parameters }) => method === "SetDocument" && parameters.document.endsWith("/first");
    await eventually(() => daemon.heard.some(isFirst), "the first document is told");
    questions(daemon);
    const body = Array.from({ length: PICTURES }, (_, number) => `<img src="/picture/${number}">`).join("");
    await loads(app, `/counted?body=${encodeURIComponent(body)}`);
    await eventually(() => arrived(app, "picture").length === PICTURES, "the pictures are there");
    const counted = questions(daemon);
    // Whoever looks for an icon is the engine.
    assert.deepStrictEqual(counted, { main: 1, resource: PICTURES, SetDocument: 1 });
  },

  "many questions of a silence stop the main process once, and a later one does not": async (test) => {
    const daemon = await fallingSilent(test);
    const app = await started(test, { daemon });
    await loads(app, "/first");
    await app.run(`it.beats = [Date.now()]; it.beating = setInterval(() => it.beats.push(Date.now()), ${BEAT_MS})`);
    daemon.isSilent = true;
    await app.page(`for (let n = 0; n < ${MANY}; n += 1) { window.open("/silent-" + n); fetch("/silent-" + n)
      .catch(() => 0); } 1`);
    for (let number = 0; number < 5; number += 1) {
      await app.page(`location.href = "/silent-later-${number}"; 1`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const standstills = `return it.beats.slice(1).map((beat, number) => beat - it.beats[number])
      .filter((pause) => pause > ${ANSWER_MS / 2})`;
    assert.strictEqual((await app.run(standstills)).length, 1);
    assert.deepStrictEqual(arrived(app, "silent"), []);
  },

  "nothing is loaded on the word of a daemon that lies": async (test) => {
    for (const name of ["garbage", "closesHalfWay", "dribbles", "neverEnds", "refuses"]) {
      const daemon = await new FakeDaemon(path.join(test.folder(), "guard.sock"), ways[name]).listen();
      test.add(() => daemon.close());
      const app = await started(test, { daemon });
      await loads(app, "/never");
      await app.page("fetch('/never').catch(() => 0).then(() => 1)").catch(() => {});
      assert.deepStrictEqual([name, app.site.heard], [name, []]);
    }
  },

  "a stricter policy holds in windows that are open": async (test) => {
    const app = await started(test);
    assert.ok(await loads(app, "/before"));
    const rules = POLICY["rules/contoso.yaml"].replace("rules:\n", `rules:
  - id: closed
    external: { host: ${PORTAL} }
    then: block
    for: [page, frame, resource, download, upload]
`);
    app.daemon.write("rules/contoso.yaml", rules);
    app.daemon.process.kill("SIGHUP");
    let number = 0;
    await eventually(async () => {
      number += 1;
      await loads(app, `/after-${number}`);
      return !app.site.heard.some((line) => line.includes(`/after-${number}`));
    }, "the new rule holds");
  },

  "two windows are two viewers of one program, and each is judged": async (test) => {
    const app = await started(test);
    await app.run(`it.other = new it.electron.BrowserWindow({ webPreferences: it.guarded.webPreferences() })`);
    const go = (window, place, host = PORTAL) => app.run(`return ${window}.webContents.loadURL(${JSON.stringify(
      app.site.url(host, place))}).then(() => 1, () => 0)`);
    assert.deepStrictEqual([await go("it.window", "/one"), await go("it.other", "/other")], [1, 1]);
    assert.deepStrictEqual([await go("it.window", "/x", NAMED), await go("it.other", "/x", NAMED)], [0, 0]);
    assert.deepStrictEqual(app.site.at(NAMED), []);
    const names = await app.run("return it.registered.map(({ viewer }) => viewer)");
    assert.strictEqual(new Set(names).size, 2);
    await app.run("it.other.destroy()");
    assert.ok(await go("it.window", "/behind"));
  },

  "two apps of one user are judged apart": async (test) => {
    const second = FILES["policy.d/app.yaml"].replace(APP, SECOND).replace("contoso-portal", "contoso-second");
    const daemon = await serving(test, { ...POLICY, "policy.d/second.yaml": second });
    const one = await started(test, { daemon });
    const other = await started(test, { daemon }, { APP_NAME: SECOND });
    for (const app of [one, other]) {
      assert.ok(await loads(app, "/own"));
      await app.run(`return it.contents.loadURL(${JSON.stringify(app.site.url(NAMED, "/named"))}).catch(() => 0)`);
      assert.deepStrictEqual(app.site.at(NAMED), []);
    }
    const log = path.join(daemon.folder, "log");
    const records = fs.readdirSync(log).flatMap((name) => fs.readFileSync(path.join(log, name), "utf8").split("\n"))
      .filter((line) => line.includes(NAMED)).map((line) => JSON.parse(line));
    assert.deepStrictEqual([...new Set(records.map(({ app }) => app))].sort(), [APP, SECOND].sort());
    assert.strictEqual(new Set(records.map(({ instance }) => instance)).size, 2);
  },
};
