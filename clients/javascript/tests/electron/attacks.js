"use strict";

// Apps that do much by themselves, in odd orders, in a real Electron; and daemons that fail in the middle.

const assert = require("assert");
const { eventually } = require("../cleanup");
const { App, EXTERNAL, NAMED, PORTAL, mark } = require("./played");

async function started(test, options) {
  return new App(test, options).start(process.env.ELECTRON);
}

/** Nothing reached a host that it may not, of whatever was asked before this. */
async function isClean(app, what) {
  await mark(app);
  assert.deepStrictEqual([...app.site.at(EXTERNAL), ...app.site.at(NAMED)], [], what);
}

/** A text as a script has it. */
const said = (value) => JSON.stringify(value);

/** Has a page of the app's go to a URL. */
async function follows(app, url) {
  await app.goes("/start");
  await app.page(`location.href = ${said(url)}; 1`);
}

module.exports = {
  "an app that takes all listeners away": async (test) => {
    const app = await started(test);
    await app.run(`for (const name of it.contents.eventNames()) if (!String(name).startsWith("-")) {
        it.contents.removeAllListeners(name);
      }
      for (const name of ["web-contents-created", "session-created"]) it.app.removeAllListeners(name);
      it.contents.session.removeAllListeners();`);
    await follows(app, app.site.url(EXTERNAL, "/navigated"));
    await isClean(app, "a link");
    await app.page(`void window.open(${said(app.site.url(EXTERNAL, "/popup"))})`);
    await isClean(app, "a popup");
    await app.run(`it.other = new it.electron.BrowserWindow({ webPreferences: { partition: "fresh" } });
      return it.other.loadURL(${said(app.site.url(EXTERNAL, "/fresh"))}).catch(() => 1)`);
    await isClean(app, "a session that comes later");
  },

  "a session that was dropped and comes back": async (test) => {
    const app = await started(test, { switches: () => ["--js-flags=--expose-gc"] });
    await app.run("void it.electron.session.fromPartition('late')");
    const collect = "gc(); return new Promise((done) => setTimeout(done, 20))";
    for (let count = 0; count < 5; count += 1) await app.run(collect);
    await app.run(`it.electron.session.fromPartition("late").webRequest.onBeforeRequest((_, callback) => callback({}));
      it.other = new it.electron.BrowserWindow({ webPreferences: { partition: "late" } });
      return it.other.loadURL(${said(app.site.url(EXTERNAL, "/late"))}).catch(() => 1)`);
    await isClean(app, "a window of it");
  },

  "an app that sends requests elsewhere, or answers with headers of its own": async (test) => {
    const app = await started(test);
    await app.run(`const { webRequest } = it.contents.session;
      webRequest.onBeforeRequest(({ url }, callback) => (
        callback(url.includes("/sent") ? { redirectURL: ${said(app.site.url(NAMED, "/sent-on"))} } : {})));
      const responseHeaders = { Location: [${said(app.site.url(NAMED, "/hop"))}] };
      webRequest.onHeadersReceived(({ url }, callback) => callback(url.includes("/hopped")
        ? { statusLine: "HTTP/1.1 302 Found", responseHeaders } : {}));`);
    for (const place of ["/sent", "/hopped"]) {
      await app.page(`fetch(${said(place)}, { mode: "no-cors" }).catch(() => {}); 1`);
      await isClean(app, `${place}, a fetch`);
      await follows(app, app.site.url(PORTAL, place));
      await isClean(app, `${place}, a page`);
    }
  },

  "an app that answers http by itself, and schemes of its own": async (test) => {
    const app = await started(test);
    const named = said(app.site.url(NAMED, "/protocol"));
    // Without the guard, too, `session: null` ends this version of Electron.
    const ways = { plain: "{ url }", other: "{ url, session: it.electron.session.fromPartition('other') }" };
    for (const [name, answer] of Object.entries(ways)) {
      await app.run(`const url = ${named}; it.electron.session.fromPartition("own-${name}").protocol
          .registerHttpProtocol("contoso-portal", (_, callback) => callback(${answer}));
        it.other = new it.electron.BrowserWindow({ webPreferences: { partition: "own-${name}" } });
        it.other.loadURL("contoso-portal://x/").catch(() => 1)`);
      await isClean(app, `a scheme of its own, ${name}`);
    }
    await app.run(`it.contents.session.protocol.interceptHttpProtocol("http", ({ url, method }, callback) => (
      callback({ url, method, session: it.electron.session.fromPartition("other") })))`);
    await app.page(`fetch(${named}, { mode: "no-cors" }).catch(() => {}); 1`);
    await isClean(app, "a fetch that is intercepted");
    await follows(app, app.site.url(NAMED, "/page"));
    await isClean(app, "a page that is intercepted");
  },

  "requests of `net`, also with sessions and hops": async (test) => {
    const app = await started(test);
    const ask = (options) => app.run(`const request = it.electron.net.request(${options});
      return new Promise((resolve) => {
        for (const name of ["error", "response", "abort"]) request.on(name, () => resolve(1));
        request.on("redirect", () => request.followRedirect());
        request.end();
      })`);
    const named = app.site.url(NAMED, "/net");
    const hop = app.site.url(PORTAL, `/hop?to=${encodeURIComponent(named)}`);
    await ask(`{ url: ${said(named)}, partition: "net" }`);
    await ask(`{ url: ${said(named)}, session: it.electron.session.fromPartition("net2"), method: "POST" }`);
    await ask(`{ url: ${said(hop)}, partition: "net3" }`);
    await ask(`{ url: ${said(hop)}, redirect: "manual" }`);
    await isClean(app, "net");
    assert.ok(app.site.at(PORTAL).some((line) => line.includes("/hop")));
  },

  "downloads that the app begins": async (test) => {
    const app = await started(test);
    await app.run(`it.items = [];
      process.on("uncaughtException", () => {});
      it.contents.session.on("will-download", (event, item) => {
        item.setSavePath("/tmp/never-" + Math.random());
        item.once("done", (_, state) => it.items.push(state));
        if (item.canResume()) item.resume();
        throw new Error("a mistake of the app");
      });`);
    await app.page(`location.href = ${said(app.site.url(PORTAL, "/file.bin"))}; 1`);
    const isRefused = "return it.refused.some(({ kind }) => kind === 'download')";
    await eventually(() => app.run(isRefused), "the download is refused, though the app's listener throws");
    assert.deepStrictEqual(await app.run("return it.items.filter((state) => state === 'completed')"), []);
    const out = app.site.url(EXTERNAL, "/file.bin");
    const hop = app.site.url(PORTAL, `/hop?to=${encodeURIComponent(app.site.url(NAMED, "/file.bin"))}`);
    await app.run(`const { session } = it.contents;
      const lost = { path: "/tmp/never", offset: 0, length: 100, lastModified: "", eTag: "" };
      session.createInterruptedDownload({ ...lost, urlChain: [${said(out)}] });
      for (const url of [${said(out)}, ${said(hop)}]) {
        session.downloadURL(url);
        it.contents.downloadURL(url);
        it.electron.session.fromPartition("nobody's").downloadURL(url);
      }`);
    await isClean(app, "downloads");
  },

  "windows and views of all kinds": async (test) => {
    const app = await started(test);
    const out = (place) => app.site.url(EXTERNAL, place);
    const open = { nativeWindowOpen: true, nodeIntegration: true, webviewTag: true, contextIsolation: false };
    await app.run(`it.other = new it.electron.BrowserWindow({ webPreferences: ${said(open)} });
      return it.other.loadURL(${said(app.site.url(PORTAL, "/open"))})`);
    const script = (code) => app.run(`return it.other.webContents.executeJavaScript(${said(`${code}; 1`)}, true)`);
    await script(`window.open(${said(out("/native"))}, "x", "width=200,height=200,nodeIntegration=yes")`);
    await script(`const blank = window.open("", "y"); if (blank) blank.location.href = ${said(out("/blank"))}`);
    await script(`const v = document.createElement("webview"); v.partition = "of-view"; v.src = ${said(out("/view"))};
      v.setAttribute("webpreferences", "sandbox=no"); document.body.append(v)`);
    await isClean(app, "windows without our preferences");
    for (const url of [`data:text/html,<script>location.href=${said(out("/data"))}</script><img src=${said(
      app.site.url(NAMED, "/image"))}>`, "about:blank"]) {
      await app.run(`return it.other.loadURL(${said(url)}).catch(() => 1)`);
      await script(`location.href = ${said(out("/of-it"))}`);
      await isClean(app, url.slice(0, 20));
    }
    await app.run(`return it.other.loadURL(${said(app.site.url(PORTAL, "/tools"))})`);
    await app.run("it.other.webContents.openDevTools({ mode: 'detach' })");
    await eventually(() => app.run("return it.other.webContents.isDevToolsOpened()"), "the tools are open");
    await app.run(`const { debugger: tools } = it.contents;
      tools.attach("1.3");
      return tools.sendCommand("Page.navigate", { url: ${said(out("/by-tools"))} }).catch(() => 1)`);
    await isClean(app, "the tools");
    const told = await app.run("return it.guarded.uncovered.map(({ what }) => what).join()");
    const words = ["frames of", "Node and the modules", "scripts that change"];
    for (const word of words) assert.ok(told.includes(word), told);
  },

  "workers of a service, and shared ones": async (test) => {
    const app = await started(test);
    // They are there for pages of secure origins only.
    const url = app.site.url("localhost", "/workers");
    await app.run(`return it.contents.loadURL(${said(url)})`);
    const body = (place) => `fetch(${said(app.site.url(NAMED, place))}, { mode: "no-cors" }).catch(() => 0)
      .then(() => fetch(${said(app.site.url("localhost", `${place}-went-on`))}))`;
    const script = (place) => `/worker.js?body=${encodeURIComponent(body(place))}`;
    await app.page(`new SharedWorker(${said(script("/shared"))}); 1`);
    await app.page(`navigator.serviceWorker.register(${said(script("/service"))}).then(() => 1)`);
    for (const place of ["/shared", "/service"]) {
      await eventually(() => app.site.at("localhost").some((line) => line.includes(`${place}-went-on`)), place);
    }
    await isClean(app, "workers");
  },

  "an app that opens links by itself": async (test) => {
    const app = await started(test);
    await app.run(`for (const name of ["will-navigate", "new-window"]) it.contents.on(name, (event, url) => {
      event.preventDefault();
      it.electron.shell.openExternal(url);
    })`);
    const url = app.site.url(EXTERNAL, "/link");
    await follows(app, url);
    await app.page(`void window.open(${said(`${url}2`)})`);
    await isClean(app, "links");
    assert.deepStrictEqual(await app.run("return it.opened"), [url, `${url}2`]);
  },

  "a screen is no camera": async (test) => {
    // Cameras are there for pages of secure origins only.
    const app = await started(test);
    await app.run(`return it.contents.loadURL(${said(app.site.url("localhost", "/start"))})`);
    const why = await app.page(`navigator.mediaDevices.getUserMedia(
      { video: { mandatory: { chromeMediaSource: "desktop", chromeMediaSourceId: "screen:0:0" } } })
      .then(() => "recorded", ({ name }) => name)`);
    assert.notStrictEqual(why, "recorded");
    const kinds = await app.run("return it.refused.map(({ kind }) => kind)");
    assert.ok(kinds.includes("capture"), `${why} ${kinds}`);
  },

  "a daemon that hangs, and one with another policy": async (test) => {
    const app = await started(test);
    const count = () => app.run("return it.refused.length");
    app.daemon.process.kill("SIGSTOP");
    await app.page(`location.href = ${said(app.site.url(PORTAL, "/hung"))}; 1`);
    const isHung = "({ url, reason }) => reason === 'noAnswer' && String(url).includes('/hung')";
    await eventually(() => app.run(`return it.refused.some(${isHung})`), "it is refused");
    app.daemon.process.kill("SIGCONT");
    await eventually(async () => {
      await app.goes("/again");
      return app.site.at(PORTAL).includes(`GET ${PORTAL}/again`);
    }, "it answers again");
    assert.ok(!app.site.at(PORTAL).some((line) => line.includes("/hung")));
    app.daemon.write("rules/contoso.yaml", "ruleSet: contoso\ndefault: internal\nrules: []\n");
    app.daemon.process.kill("SIGHUP");
    const before = await count();
    await eventually(async () => {
      await app.run(`return it.contents.loadURL(${said(app.site.url(NAMED, "/now-internal"))}).catch(() => 1)`);
      return app.site.at(NAMED).length > 0;
    }, "the new policy holds");
    assert.ok(before >= 1);
  },

  "a page behind one that failed is its window's": async (test) => {
    const app = await started(test);
    await app.run("return it.guarded.client.setIdentity('window', { window: 'own', account: 'me@example.org' })");
    await app.run("return it.guarded.client.registerViewer('contents-' + it.contents.id, { window: 'own' })");
    const load = (host, place) => app.run(
      `return it.contents.loadURL(${said(app.site.url(host, place))}).catch(() => 1)`);
    await app.daemon.stop("SIGKILL");
    await load(PORTAL, "/fails");
    await app.daemon.start();
    await eventually(async () => {
      await load(EXTERNAL, "/own");
      return app.site.at(EXTERNAL).length > 0;
    }, "the person's own page loads, as in any window of theirs");
    assert.deepStrictEqual(await app.run("return it.opened"), []);
  },

  "two apps of one person": async (test) => {
    const one = await started(test);
    const other = await started(test, { daemon: one.daemon });
    await other.run("return it.guarded.client.setIdentity('process', { account: 'me@example.org' })");
    const link = (app) => app.site.url(EXTERNAL, "/link");
    for (const app of [one, other]) await follows(app, link(app));
    await eventually(async () => (await one.run("return it.opened")).length === 1, "one app hands the link over");
    await eventually(() => other.site.at(EXTERNAL).length === 1, "the other shows it: its data are the person's own");
    assert.deepStrictEqual(one.site.at(EXTERNAL), []);
    await one.daemon.stop("SIGKILL");
    for (const app of [one, other]) {
      await app.page(`location.href = ${said(app.site.url(PORTAL, "/away"))}; 1`);
      await eventually(() => app.run("return it.refused.some(({ reason }) => reason === 'noAnswer')"), "it is refused");
      assert.ok(!app.site.at(PORTAL).some((line) => line.includes("/away")));
    }
  },
};
