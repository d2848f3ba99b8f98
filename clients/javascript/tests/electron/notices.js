"use strict";

// The notice in the place of a page that may not load, in a real Electron.

const assert = require("assert");
const { readFileSync } = require("fs");
const path = require("path");
const { eventually } = require("../cleanup");
const { serving } = require("../real");
const { App, EXTERNAL, NAMED, POLICY, PORTAL } = require("./played");

const said = (value) => JSON.stringify(value);

async function started(test) {
  return new App(test).start(process.env.ELECTRON, { NOTICES: "yes" });
}

/** Waits until the window shows a notice, and tells its text. */
function noticed(app, word) {
  return eventually(async () => {
    const url = await app.run("return it.contents.isLoading() ? '' : it.contents.getURL()");
    const isThere = url.startsWith("data:text/html");
    const text = isThere ? await app.page("document.body.innerText").catch(() => "") : "";
    return text.includes(word) && text;
  }, `a notice with \`${word}\``);
}

/** The policy, under which a user may go on to what is external and say why. */
const WARNING = {
  ...POLICY,
  "policy.d/organisation.yaml": POLICY["policy.d/organisation.yaml"].replace("    webTransfer: managedBrowser\n",
    "    webTransfer: block\n    warn: [navigate]\n"),
};

/** A warning of a page that somebody wanted to see. */
async function warned(test, { way = follows, place = "/warned" } = {}) {
  const daemon = await serving(test, WARNING);
  const app = await new App(test, { daemon }).start(process.env.ELECTRON, { NOTICES: "yes" });
  const url = app.site.url(EXTERNAL, place);
  await way(app, url);
  await noticed(app, EXTERNAL);
  return { app, url };
}

/** Presses a mouse button upon an element, as a person does: again while the engine drops it, before it has painted. */
async function clicks(app, selector) {
  await app.page("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const { x, y } = await app.page(`(() => { const element = document.querySelector(${said(selector)});
    element.scrollIntoView({ block: "center" });
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) }; })()`);
  await app.run(`it.presses = 0; it.hears = it.hears || it.electron.ipcMain.on("webviewguard", (event, { type }) => {
    if (type === "pressed") it.presses += 1; })`);
  await eventually(async () => {
    for (const type of ["mouseDown", "mouseUp"]) {
      await app.run(`it.contents.sendInputEvent(${said({ type, x, y, button: "left", clickCount: 1 })})`);
    }
    await new Promise((done) => setTimeout(done, 500));
    return app.run("return it.presses > 0");
  }, "the press is heard");
}

const writes = (app, reason) => app.page(`document.querySelector("[name=justification]").value = ${said(reason)}; 1`);
const warnings = (app) => readFileSync(path.join(app.daemon.folder, "log/decisions.jsonl"), "utf8").split("\n")
  .filter((line) => line.includes("for the audit"));

function presses(app, action) {
  return app.page(`document.querySelector("a[href$='/${action}']").click(); 1`);
}

const follows = (app, url) => app.page(`location.href = ${said(url)}; 1`);

module.exports = {
  "a link that may not be followed, and the way back": async (test) => {
    const app = await started(test);
    await follows(app, app.site.url(NAMED, "/secret?query"));
    const text = await noticed(app, NAMED);
    assert.ok(!text.includes("query"), text);
    await presses(app, "back");
    await app.shows(PORTAL, "/start");
    assert.strictEqual(await app.page("document.title"), "/start");
    assert.deepStrictEqual(app.site.at(NAMED), []);
  },

  "a page that the app may not load, and the way back": async (test) => {
    const app = await started(test);
    const url = app.site.url(NAMED, "/loaded");
    await app.run(`return it.contents.loadURL(${said(url)}).catch(() => 1)`);
    await noticed(app, NAMED);
    await presses(app, "back");
    await app.shows(PORTAL, "/start");
    assert.deepStrictEqual(app.site.at(NAMED), []);
    const documents = await app.run("return it.documents");
    assert.ok(documents.length > 0 && documents.every((one) => !one.startsWith("data:")), documents.join());
  },

  "nobody else presses its buttons": async (test) => {
    const app = await started(test);
    await follows(app, app.site.url(NAMED, "/one"));
    await noticed(app, NAMED);
    const back = await app.page("document.querySelector(`a[href$='/back']`).href");
    await app.goes("/other");
    for (const link of [back, back.replace("back", "retry"), "webviewguard-notice:0/back"]) await follows(app, link);
    await app.page("new Promise((done) => setTimeout(done, 500))");
    await app.shows(PORTAL, "/other");
    assert.deepStrictEqual(app.site.at(NAMED), []);
  },

  "the guard is away, and comes back": async (test) => {
    const app = await started(test);
    await app.daemon.stop("SIGKILL");
    await follows(app, app.site.url(PORTAL, "/away"));
    await noticed(app, "noAnswer");
    await app.daemon.start();
    await eventually(async () => {
      const url = await app.run("return it.contents.isLoading() ? '' : it.contents.getURL()");
      if (url.startsWith("data:")) await presses(app, "retry").catch(() => 1);
      return url.includes("/away");
    }, "the page loads");
    assert.ok(app.site.at(PORTAL).includes(`GET ${PORTAL}/away`));
  },

  "a user goes on after a warning, once, and the reason is recorded": async (test) => {
    for (const way of [follows, (app, url) => app.run(`return it.contents.loadURL(${said(url)}).catch(() => 1)`)]) {
      const { app, url } = await warned(test, { way });
      await clicks(app, "#continue");
      await app.page("new Promise((done) => setTimeout(done, 300))");
      assert.deepStrictEqual(app.site.at(EXTERNAL), []);
      await writes(app, "for the audit");
      await clicks(app, "#continue");
      await app.shows(EXTERNAL, "/warned");
      assert.deepStrictEqual(app.site.at(EXTERNAL), [`GET ${EXTERNAL}/warned`]);
      await eventually(() => warnings(app).length > 0, "the reason is recorded");
      assert.strictEqual(warnings(app).length, 1);
      // The next time it is asked again, and so is a page that comes back to the notice.
      await follows(app, `${url}?again`);
      await noticed(app, EXTERNAL);
      await app.run("it.contents.reload()");
      await noticed(app, EXTERNAL);
      assert.strictEqual(app.site.at(EXTERNAL).length, 1);
    }
  },

  "no script goes on, and nothing hides behind who does": async (test) => {
    const { app, url } = await warned(test, { place: `/hop?to=${encodeURIComponent(`http://${NAMED}/hidden`)}` });
    await writes(app, "for the audit");
    const press = "document.querySelector('#continue')";
    for (const script of [`${press}.click()`, `${press}.form.submit()`,
      `${press}.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }))`]) {
      await app.page(`${script}; 1`);
      await app.page("new Promise((done) => setTimeout(done, 300))").catch(() => 1);
    }
    assert.deepStrictEqual(app.site.at(EXTERNAL), []);
    // The hop of the page that somebody goes on to is a page of its own.
    await clicks(app, "#continue");
    await eventually(() => app.site.at(EXTERNAL).length > 0, "it loads");
    await noticed(app, NAMED);
    assert.deepStrictEqual(app.site.at(NAMED), []);
    assert.ok(url.includes("hop"));
  },

  "another window that loads the same page in this moment has no part in it": async (test) => {
    const { app, url } = await warned(test);
    await writes(app, "for the audit");
    await app.run(`it.contents.on("will-navigate", () => setImmediate(() => {
      it.other = new it.electron.BrowserWindow({ webPreferences: it.guarded.webPreferences() });
      it.other.loadURL(${said(url)}).catch(() => 1);
    }))`);
    await clicks(app, "#continue");
    const shown = (contents) => app.run(`return ${contents}.isLoading() ? "" : ${contents}.getURL().slice(0, 40)`);
    const settled = async (contents) => /^(data:text|http:..example)/.test(await shown(contents));
    await eventually(async () => await settled("it.contents") && settled("it.other.webContents"), "both are there");
    assert.ok((await shown("it.other.webContents")).startsWith("data:"));
    await app.page("new Promise((done) => setTimeout(done, 300))");
    const isThere = (await shown("it.contents")).startsWith("http:");
    assert.strictEqual(app.site.at(EXTERNAL).length, isThere ? 1 : 0);
    // It is over, whoever had it.
    await app.run(`return it.contents.loadURL(${said(`${url}?later`)}).catch(() => 1)`);
    await noticed(app, EXTERNAL);
    assert.strictEqual(app.site.at(EXTERNAL).length, isThere ? 1 : 0);
  },

  "who goes on while the daemon is away goes nowhere": async (test) => {
    const { app } = await warned(test);
    await writes(app, "for the audit");
    await app.daemon.stop("SIGKILL");
    await clicks(app, "#continue");
    await noticed(app, "noAnswer");
    assert.deepStrictEqual(app.site.at(EXTERNAL), []);
  },
};
