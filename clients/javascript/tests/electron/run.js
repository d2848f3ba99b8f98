"use strict";

// The client in a real Electron: `scripts/test-electron` runs this as nobody, without a network.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { spawn } = require("child_process");
const { eventually } = require("../cleanup");
const { runAll } = require("../runner");
const { serving } = require("../real");
const { App, EXTERNAL, NAMED, POLICY, PORTAL, mark } = require("./played");
const { wayland, x11 } = require("./screens");

async function started(test) {
  return new App(test).start(process.env.ELECTRON);
}

/** How an app ends that nobody asks anything. */
function ended(words) {
  const child = spawn(process.env.ELECTRON, ["--no-sandbox", "--disable-gpu", ...words], { stdio: "inherit" });
  return new Promise((resolve) => child.once("exit", (...said) => resolve(said)));
}

/** Each way out, as a script of a page: `URL` is where it goes. */
const WAYS = {
  link: "const a = document.createElement('a'); a.href = URL; document.body.append(a); a.click()",
  "link blank": "const a = document.createElement('a'); a.href = URL; a.target = '_blank'; document.body.append(a);"
    + "a.click()",
  location: "location.href = URL",
  "window.open": "void window.open(URL)",
  "form get": "const f = document.createElement('form'); f.action = URL; document.body.append(f); f.submit()",
  "form post": "const f = document.createElement('form'); f.action = URL; f.method = 'post'; document.body.append(f);"
    + "f.submit()",
  frame: "const f = document.createElement('iframe'); f.src = URL; document.body.append(f)",
  refresh: "const m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0;url=' + URL;"
    + "document.head.append(m)",
  "frame to top": "const f = document.createElement('iframe'); document.body.append(f);"
    + "f.srcdoc = `<script>top.location.href = '${URL}'</script>`",
};
const RESOURCES = {
  image: "new Image().src = URL",
  fetch: "fetch(URL, { mode: 'no-cors' }).catch(() => {})",
  "fetch post": "fetch(URL, { method: 'POST', body: 'secret', mode: 'no-cors' }).catch(() => {})",
  xhr: "const x = new XMLHttpRequest(); x.open('GET', URL); x.send()",
  beacon: "navigator.sendBeacon(URL, 'secret')",
  script: "const s = document.createElement('script'); s.src = URL; document.body.append(s)",
  stylesheet: "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = URL; document.head.append(l)",
  websocket: "new WebSocket(URL.replace('http', 'ws'))",
  "event source": "new EventSource(URL)",
  worker: "new Worker(URL_OF_BLOB)",
};

/** Goes a way to a URL, and lets it come to its end. */
async function go(app, script, url) {
  await app.goes("/start");
  const worker = `URL.createObjectURL(new Blob([\"fetch('\" + TO + \"', { mode: 'no-cors' })\"]))`;
  const source = script.replace(/URL_OF_BLOB/g, worker).replace(/\bURL\b(?!\.create)/g, "TO");
  await app.page(`const TO = ${JSON.stringify(url)}; { ${source}; } 1`).catch((problem) => console.log("page:",
    problem.message.slice(0, 300)));
  await mark(app);
  await app.run("it.electron.BrowserWindow.getAllWindows().forEach((w) => w === it.window || w.destroy())");
}

module.exports = {
  "the portal loads, with its resources": async (test) => {
    const app = await started(test);
    await app.shows(PORTAL, "/start");
    await go(app, RESOURCES.fetch, app.site.url(PORTAL, "/data"));
    await go(app, WAYS.frame, app.site.url(PORTAL, "/frame"));
    assert.ok(app.site.at(PORTAL).includes(`GET ${PORTAL}/data`) && app.site.at(PORTAL).includes(
      `GET ${PORTAL}/frame`));
    assert.deepStrictEqual(await app.run("return it.refused"), []);
    assert.ok((await app.run("return it.guarded.uncovered.length")) > 3);
  },

  "no page, form, hop, popup or frame reaches a host that it may not": async (test) => {
    const app = await started(test);
    for (const host of [EXTERNAL, NAMED]) {
      for (const name of Object.keys(WAYS)) {
        const place = `/${name.replace(/ /g, "-")}`;
        await go(app, WAYS[name], app.site.url(host, place));
        for (const status of [302, 307]) {
          const hop = `/hop?status=${status}&to=${encodeURIComponent(app.site.url(host, `${place}-${status}`))}`;
          await go(app, WAYS[name], app.site.url(PORTAL, hop));
        }
        assert.deepStrictEqual(app.site.at(host), [], name);
      }
    }
    const opened = await app.run("return it.opened");
    assert.ok(opened.length > 10 && opened.every((url) => url.includes(EXTERNAL)), JSON.stringify(opened));
    assert.ok((await app.run("return it.refused")).every(({ url }) => url.includes(NAMED)));
  },

  "no resource reaches a host that a rule names": async (test) => {
    const app = await started(test);
    for (const name of Object.keys(RESOURCES)) {
      await go(app, RESOURCES[name], app.site.url(NAMED, `/${name.replace(" ", "-")}`));
      assert.deepStrictEqual(app.site.at(NAMED), [], name);
    }
    await go(app, RESOURCES.image, app.site.url(PORTAL,
      `/hop?to=${encodeURIComponent(app.site.url(NAMED, "/image-302"))}`));
    await go(app, RESOURCES.fetch, app.site.url(PORTAL,
      `/hop?to=${encodeURIComponent(app.site.url(NAMED, "/fetch-302"))}`));
    assert.deepStrictEqual(app.site.at(NAMED), []);
    // The judge can see: what is allowed arrives.
    await go(app, RESOURCES.worker, app.site.url(PORTAL, "/of-worker"));
    await eventually(() => app.site.at(PORTAL).includes(`GET ${PORTAL}/of-worker`), "it arrives");
  },

  "popups, web views, windows without our preferences and the app itself are guarded as well": async (test) => {
    const app = await started(test);
    const out = (place) => app.site.url(EXTERNAL, place);
    await app.page(`void window.open(${JSON.stringify(app.site.url(PORTAL, "/popup"))})`);
    await eventually(() => app.site.at(PORTAL).includes(`GET ${PORTAL}/popup`), "the popup loads");
    const popup = "it.electron.BrowserWindow.getAllWindows().find((w) => w !== it.window).webContents";
    await eventually(() => app.run(`return ${popup}.getURL().includes("/popup") && !${popup}.isLoading()`), "it is there");
    await app.run(`return ${popup}.executeJavaScript(${JSON.stringify(`location.href = "${out("/of-popup")}"; 1`)}, true)`);
    await app.run(`it.other = new it.electron.BrowserWindow({ webPreferences: { webviewTag: true, partition: "other" } });
      return it.other.loadURL(${JSON.stringify(app.site.url(PORTAL, "/other"))})`);
    const html = `<webview src="${out("/of-webview")}" partition="third"></webview>`;
    await app.run(`return it.other.webContents.executeJavaScript(${JSON.stringify(
      `document.body.innerHTML = ${JSON.stringify(html)}; location.hash = "a"; 1`)}, true)`);
    await app.run(`return it.other.loadURL(${JSON.stringify(out("/of-the-app"))}).catch(() => 1)`);
    await app.run(`const view = new it.electron.BrowserView(); it.window.setBrowserView(view);
      return view.webContents.loadURL(${JSON.stringify(out("/of-view"))}).catch(() => 1)`);
    await app.run(`it.contents.downloadURL(${JSON.stringify(out("/file.bin"))})`);
    await app.run(`const request = it.electron.net.request(${JSON.stringify(app.site.url(NAMED, "/of-net"))});
      return new Promise((resolve) => { request.on("error", resolve); request.on("response", resolve); request.end(); })`);
    await go(app, RESOURCES.fetch, app.site.url(PORTAL, "/last"));
    assert.deepStrictEqual([...app.site.at(EXTERNAL), ...app.site.at(NAMED)], []);
    const openers = await app.run("return it.registered");
    assert.ok(openers.some(({ opener, kind }) => opener && kind === "popup"), JSON.stringify(openers));
  },

  "pages without an address of their own": async (test) => {
    const app = await started(test);
    const named = app.site.url(NAMED, "/x");
    const pages = [
      `data:text/html,<script>fetch("${named}",{mode:"no-cors"});location.href="${named}"</script>`,
      `data:text/html,<form action="${named}" method=post></form><script>document.forms[0].submit()</script>`,
    ];
    for (const page of pages) {
      await app.goes("/start");
      const source = `{ const f = document.createElement("iframe"); f.src = ${JSON.stringify(page)};
        document.body.append(f); } 1`;
      await app.page(source);
      await go(app, RESOURCES.fetch, app.site.url(PORTAL, "/mark"));
    }
    const blob = `{ const b = URL.createObjectURL(new Blob(["<script>location.href='${named}'</script>"], { type: "text/html" }));`
      + "const f = document.createElement('iframe'); f.src = b; document.body.append(f); } 1";
    await app.page(blob);
    await go(app, RESOURCES.fetch, app.site.url(PORTAL, "/mark"));
    assert.deepStrictEqual(app.site.at(NAMED), []);
  },

  "the app's own handlers run after ours": async (test) => {
    const app = await started(test);
    await app.run(`it.heard = [];
      const { webRequest } = it.contents.session;
      webRequest.onBeforeRequest({ urls: ["http://*.contoso.com/*"] }, (details, callback) => {
        it.heard.push(details.url);
        callback({ cancel: details.url.includes("cancelled") });
      });
      it.contents.session.setPermissionRequestHandler((contents, permission, callback) => {
        it.heard.push(permission);
        callback(false);
      });`);
    await go(app, RESOURCES.fetch, app.site.url(PORTAL, "/seen"));
    await go(app, RESOURCES.fetch, app.site.url(PORTAL, "/cancelled"));
    await go(app, RESOURCES.fetch, app.site.url(NAMED, "/named"));
    const heard = await app.run("return it.heard");
    assert.ok(heard.some((url) => url.endsWith("/seen")) && heard.some((url) => url.endsWith("/cancelled")));
    assert.ok(!heard.some((url) => url.includes(NAMED)));
    assert.ok(!app.site.at(PORTAL).some((line) => line.endsWith("/cancelled")));
    assert.deepStrictEqual(app.site.at(NAMED), []);
  },

  "downloads, prints and pictures": async (test) => {
    const app = await started(test);
    await app.run(`it.saved = [];
      it.contents.session.on("will-download", (event, item) => {
        const folder = item.getURL().includes("own") ? it.app.getPath("userData") : "/tmp";
        item.setSavePath(folder + "/file.bin");
        item.once("done", (_, state) => it.saved.push([item.getURL(), state]));
      });`);
    const download = (place) => app.page(`location.href = ${JSON.stringify(app.site.url(PORTAL, place))}; 1`);
    await download("/file.bin?elsewhere");
    const isRefused = "return it.refused.some(({ kind }) => kind === 'download')";
    await eventually(() => app.run(isRefused), "the download is refused");
    await download("/file.bin?own");
    const isSaved = "return it.saved.some(([, state]) => state === 'completed')";
    await eventually(() => app.run(isSaved), "one of our own is saved");
    assert.ok((await app.run("return it.saved.filter(([, state]) => state === 'completed')"))
      .every(([url]) => url.endsWith("?own")));
    await assert.rejects(app.run("return it.contents.printToPDF({}).then(() => 1)"), /blocked by the policy/);
    assert.ok((await app.run("return it.refused.map(({ kind }) => kind)")).includes("print"));
    // A picture of its own the app may take.
    assert.ok(await app.run("return it.contents.capturePage().then((image) => image.toPNG().length)") > 0);
    await app.run("return it.electron.shell.openExternal('https://example.net/by-the-app')");
    assert.ok((await app.run("return it.opened")).includes("https://example.net/by-the-app"));
  },

  "a name that a site suggests is on the disk without what turns letters or ends a line": async (test) => {
    const app = await started(test);
    // One app takes the name from Electron, one reads what the site said, and one leaves it to Electron's dialog, which
    // nobody answers here: it would stand there with this name.
    await app.run(`it.folder = it.app.getPath("userData");
      it.contents.session.on("will-download", (event, item) => {
        const way = new URL(item.getURL()).searchParams.get("way");
        const said = decodeURIComponent(item.getContentDisposition().split("''")[1]);
        if (way !== "dialog") item.setSavePath(it.folder + "/" + (way === "said" ? said : item.getFilename()));
        else item.setSaveDialogOptions = ({ defaultPath }) => item.setSavePath(it.folder + "/" + defaultPath);
      });`);
    const folder = await app.run("return it.folder");
    const names = () => fs.readdirSync(folder).filter((name) => name.endsWith(".exe")).sort();
    for (const way of ["dialog", "electron", "said"]) {
      const place = `/file.bin?own&way=${way}&name=${encodeURIComponent(`${way}\u202egpj\u2028\u200f.exe`)}`;
      await app.page(`location.href = ${JSON.stringify(app.site.url(PORTAL, place))}; 1`);
      await eventually(() => names().some((name) => name.startsWith(way)), "it lies there");
    }
    assert.deepStrictEqual(names(), ["dialog_gpj__.exe", "electron_gpj__.exe", "said_gpj__.exe"]);
  },

  "an app that quits ends in order": async (test) => {
    for (const way of ["quit", "exit"]) {
      const app = await started(test);
      app.run(`it.app.${way}()`).catch(() => 1);
      const ending = () => [app.child.exitCode, app.child.signalCode];
      await eventually(() => ending().some((one) => one !== null), "it ends");
      assert.deepStrictEqual(ending(), [0, null], way);
    }
  },

  "an app that ends while its guard begins ends in order": async (test) => {
    const daemon = await serving(test, POLICY);
    const library = JSON.stringify(path.join(__dirname, "../../electron.js"));
    const begins = `const { app } = require("electron"), { guard } = require(${library});
      const begin = () => guard({ app: "com.contoso.portal", path: ${JSON.stringify(daemon.path)}, require: "always" });`;
    const ways = {
      "exit at once": "begin(); app.exit(0)",
      "quit at once": "begin(); app.quit()",
      "the process exits": "begin(); process.exit(0)",
      "exit when ready": "begin(); app.whenReady().then(() => app.exit(0))",
      "guarded twice": "begin(); begin(); app.whenReady().then(() => app.quit())",
    };
    for (const way of Object.keys(ways)) {
      const folder = test.folder();
      fs.writeFileSync(path.join(folder, "package.json"), '{ "main": "main.js" }');
      fs.writeFileSync(path.join(folder, "main.js"), `${begins}\n${ways[way]};`);
      for (let time = 0; time < 2; time += 1) {
        assert.deepStrictEqual(await ended([folder]), [0, null], way);
      }
    }
  },

  "a daemon that is killed blocks, and one that is back answers": async (test) => {
    const app = await started(test);
    await app.daemon.stop("SIGKILL");
    const before = app.site.heard.length;
    await app.page(`location.href = ${JSON.stringify(app.site.url(PORTAL, "/away"))}; 1`);
    await eventually(() => app.run("return it.refused.some(({ reason }) => reason === 'noAnswer')"), "it is refused");
    assert.strictEqual(app.site.heard.slice(before).filter((line) => line.includes("away")).length, 0);
    await app.daemon.start();
    await eventually(async () => {
      await app.goes("/back");
      return app.site.at(PORTAL).includes(`GET ${PORTAL}/back`);
    }, "a page loads again");
    assert.deepStrictEqual(app.site.at(EXTERNAL), []);
  },
};

/** Each desktop has an end of its own. */
async function main([first, ...names]) {
  const isWayland = first === "--wayland";
  const end = await (isWayland ? wayland() : x11());
  if (end === null) return process.exit(0);
  process.on("exit", end);
  const clips = [isWayland ? "wayland" : "clips", require("./clips")];
  const modules = isWayland ? [clips] : [["electron", module.exports], clips, ["notices", require("./notices")],
    ["attacks", require("./attacks")], ["outages", require("./outages")]];
  return runAll(modules, isWayland || first === undefined ? names : [first, ...names]);
}

if (require.main === module) main(process.argv.slice(2));
