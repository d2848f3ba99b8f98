"use strict";

// What other programs read of an app in a real Electron: with xclip, and on a Wayland desktop with wl-paste.

const assert = require("assert");
const { eventually } = require("../cleanup");
const { App, PORTAL } = require("./played");
const { press, read, write } = require("./screens");

const BOTH = ["clipboard", "primary"];
const said = (value) => JSON.stringify(value);

async function started(test, body) {
  const app = await new App(test).start(process.env.ELECTRON);
  await app.goes(`/copy?body=${encodeURIComponent(body)}`);
  await app.run("it.window.focus()");
  return app;
}

/** Other programs read something there, and it is none of the organisation's data. */
async function isHidden(selection) {
  const text = await eventually(() => read(selection), `something is on ${selection}`);
  assert.ok(!text.includes("secret"), `${selection}: ${text}`);
}

function value(app) {
  return app.page("document.getElementById('t').value");
}

module.exports = {
  "a copy by a key and what is marked": async (test) => {
    const app = await started(test, "<p id=a>org secret 1</p><textarea id=t></textarea>");
    await app.page("getSelection().selectAllChildren(document.getElementById('a')); document.title = 'marked'; 1");
    await eventually(() => app.page("document.hasFocus()"), "the page has the focus");
    // Marked text may be read for a moment.
    await eventually(() => read("primary") !== "" && !read("primary").includes("secret"), "PRIMARY has the notice");
    press("c");
    await isHidden("clipboard");
    await app.page("document.getElementById('t').focus(); 1");
    press("v");
    await eventually(async () => (await value(app)) === "org secret 1", "it is pasted");
  },

  "a copy by a script": async (test) => {
    const app = await started(test, "<p id=a>org secret 1</p><textarea id=t></textarea>");
    await app.page("getSelection().selectAllChildren(document.getElementById('a')); document.execCommand('copy')");
    await isHidden("clipboard");
    await app.page("document.getElementById('t').focus(); 1");
    await app.run("it.contents.paste()");
    await eventually(async () => (await value(app)) === "org secret 1", "it is pasted");
  },

  "what another program copied is pasted where it may be": async (test) => {
    const app = await started(test, "<textarea id=t></textarea>");
    write("from elsewhere");
    await eventually(() => read("clipboard") === "from elsewhere", "it lies there");
    await app.page("document.getElementById('t').focus(); 1");
    await eventually(async () => {
      await app.run("it.contents.selectAll(); it.contents.paste()");
      return (await value(app)) === "from elsewhere";
    }, "it is pasted");
  },

  "the module `clipboard` of the app and of an old preload": async (test) => {
    const app = await started(test, "x");
    for (const selection of BOTH) {
      const type = selection === "primary" ? "selection" : "clipboard";
      await app.run(`it.electron.clipboard.writeText('org secret of the app', '${type}')`);
      await isHidden(selection);
      const own = await app.run(`return it.electron.clipboard.readText('${type}')`);
      assert.strictEqual(own, "org secret of the app");
      await app.run(`it.electron.clipboard.write({ text: 'org secret 2', html: '<b>org secret 2</b>' }, '${type}')`);
      await isHidden(selection);
    }
    await app.run(`it.other = new it.electron.BrowserWindow({ webPreferences: { nodeIntegration: true } });
      return it.other.loadURL(${said(app.site.url(PORTAL, "/node"))})`);
    for (const type of ["clipboard", "selection"]) {
      await app.run(`return it.other.webContents.executeJavaScript(
        "require('electron').clipboard.writeText('org secret of a page', '${type}')")`);
      await isHidden(type === "selection" ? "primary" : type);
    }
  },

  "a page that copies past everybody": async (test) => {
    const app = await started(test, "x");
    const taking = (text) => `<p id=b>${text}</p><script>addEventListener("copy", (event) => {
      event.stopImmediatePropagation();
      event.preventDefault();
      event.clipboardData.setData("text/plain", "${text}");
    }, true)</script>`;
    const marks = "getSelection().selectAllChildren(document.getElementById('b')); 1";
    const frame = "const f = document.createElement('iframe'); document.body.append(f); f.contentWindow";
    const ways = {
      "keeps others from hearing": [taking("org secret 1"), "1"],
      "opens itself anew": ["x", `document.open(); document.write(${said(taking("org secret 2"))}); document.close()`],
      "writes itself anew": ["x", `document.write(${said(taking("org secret 3"))}); document.close()`],
      "writes without an event": ["x", "navigator.clipboard.writeText('org secret 4').catch(() => 1)", true],
      "does so in a frame": ["x", `${frame}.navigator.clipboard.writeText('org secret 5').catch(() => 1)`, true],
      "writes an item": ["x", "navigator.clipboard.write([new ClipboardItem({ 'text/plain': "
        + "new Blob(['org secret 6'], { type: 'text/plain' }) })]).catch(() => 1)", true],
    };
    for (const [name, [body, script, isWritten = false]] of Object.entries(ways)) {
      await app.run(`it.electron.clipboard.writeText("none");
        return it.contents.loadURL(${said(app.site.url("localhost", `/copy?body=${encodeURIComponent(body)}`))})`);
      const before = read("clipboard");
      await app.page(`${script}; 1`);
      if (!isWritten) await app.page(marks);
      if (!isWritten) await app.run("it.window.focus(); it.contents.copy()");
      // Not even for a moment: whoever reads meanwhile reads the notice, or what was there before.
      for (let count = 0; count < 15; count += 1) assert.ok(!read("clipboard").includes("secret"), name);
      assert.ok(before !== "", name);
    }
  },
};
