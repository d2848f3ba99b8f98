"use strict";

// The notice in the place of a page that may not load, in a real Electron.

const assert = require("assert");
const { eventually } = require("../cleanup");
const { App, NAMED, PORTAL } = require("./played");

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
};
