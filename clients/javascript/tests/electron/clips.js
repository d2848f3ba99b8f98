"use strict";

// What other programs read of an app in a real Electron: with xclip, and on a Wayland desktop with wl-paste.

const assert = require("assert");
const path = require("path");
const { execFileSync, spawn } = require("child_process");
const { eventually } = require("../cleanup");
const { App, PORTAL } = require("./played");
const { drag, isWayland, press, read, write } = require("./screens");

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

/** The lines that another program says, beside the app's window. */
async function target(test) {
  const words = ["--no-sandbox", "--disable-gpu", path.join(__dirname, "target")];
  const child = spawn(process.env.ELECTRON, words, { stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, HOME: test.folder() } });
  test.add(() => new Promise((resolve) => child.once("exit", resolve).kill("SIGKILL")));
  const lines = [];
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text) => lines.push(...text.split("\n")));
  await eventually(() => lines.includes("ready"), "the other program is there");
  return lines;
}

/** What a page does to lose the listeners of others, as for all engines: see Tests/Engines/rig/pages.py. */
function rewritten() {
  const source = "import json, sys; sys.path.insert(0, sys.argv[1]); from rig import pages; "
    + "print(json.dumps(pages.REWRITTEN))";
  const engines = path.join(__dirname, "../../../../Tests/Engines");
  return JSON.parse(execFileSync("python3", ["-B", "-c", source, engines], { encoding: "utf8" }));
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
    // A desktop may take a moment until keys reach the window that has the focus.
    await eventually(() => {
      if (read("clipboard") === "") press("c");
      return read("clipboard") !== "";
    }, "something is copied");
    await isHidden("clipboard");
    await app.page("document.getElementById('t').focus(); 1");
    await eventually(async () => {
      if (await value(app) === "") press("v");
      return (await value(app)) !== "";
    }, "something is pasted");
    assert.ok((await value(app)).startsWith("org secret 1"));
  },

  "a copy by a script": async (test) => {
    const app = await started(test, "<p id=a>org secret 1</p><textarea id=t></textarea>");
    await app.page("getSelection().selectAllChildren(document.getElementById('a')); document.execCommand('copy')");
    await isHidden("clipboard");
    await app.page("document.getElementById('t').focus(); 1");
    await app.run("it.contents.paste()");
    await eventually(async () => (await value(app)) === "org secret 1", "it is pasted");
  },

  "markup that a page copies runs no script where it is pasted": async (test) => {
    const app = await started(test, "x");
    const markup = "<b>bold</b><img src=x onerror=\"document.documentElement.dataset.ran = 1\">";
    const taking = `<p id=b>text</p><script>addEventListener("copy", (event) => {
      event.preventDefault();
      event.clipboardData.setData("text/plain", "text");
      event.clipboardData.setData("text/html", ${said(markup)});
    })</script>`;
    await app.run(`return it.contents.loadURL(${said(app.site.url("localhost",
      `/copy?body=${encodeURIComponent(taking)}`))})`);
    await app.page("getSelection().selectAllChildren(document.getElementById('b')); 1");
    await app.run("it.window.focus(); it.contents.copy()");
    await eventually(() => read("clipboard").length > 20, "the notice lies there");
    await app.goes(`/paste?body=${encodeURIComponent("<div id=t contenteditable style='height: 99px'></div>")}`);
    await app.page("document.getElementById('t').focus(); 1");
    await app.run("it.contents.paste()");
    await eventually(() => app.page("document.getElementById('t').textContent !== ''"), "it is pasted");
    // A picture that came with it would have failed before this one.
    await app.page("new Promise((resolve) => { const own = new Image(); own.onerror = own.onload = () => resolve(1); own.src = 'x'; })");
    assert.strictEqual(await app.page("document.documentElement.dataset.ran || ''"), "");
    assert.strictEqual(await app.page("document.getElementById('t').innerHTML"), "text");
  },

  "what is dragged to another program": async (test) => {
    if (isWayland()) return console.log("no drag under Xwayland: xdotool moves no pointer of sway");
    const body = (text) => `<p draggable=true ondragstart="event.dataTransfer.setData('text/plain', '${text}')"
      style="width: 300px; height: 300px">drag</p>`;
    const app = await started(test, body("org secret 1"));
    await app.run("it.window.setBounds({ x: 0, y: 0, width: 380, height: 380 })");
    const dropped = await target(test);
    drag([100, 150], [550, 200]);
    const drops = () => dropped.filter((line) => line.startsWith("dropped"));
    await eventually(() => drops().length === 1, "something is dropped");
    await app.goes(`/past?body=${encodeURIComponent(`${body("x")}<script>addEventListener("dragstart", (event) => {
      event.stopImmediatePropagation();
      event.dataTransfer.setData("text/plain", "org secret 2");
    }, true)</script>`)}`);
    drag([100, 150], [550, 200]);
    await eventually(() => drops().length === 2, "something is dropped, past everybody");
    for (const text of drops()) assert.ok(!text.includes("secret") && text.length > 20, text);
    await app.run("return it.guarded.client.setIdentity('process', { account: 'me@example.org' })");
    await app.goes(`/own?body=${encodeURIComponent(body("a text of one's own").replace("one's", "my"))}`);
    drag([100, 150], [550, 200]);
    await eventually(() => dropped.some((line) => line.includes("a text of my own")), "one's own is dropped as it is");
    return undefined;
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

  "a page that writes itself anew is asked as before": async (test) => {
    const app = await started(test, "x");
    const there = "!document.getElementById('rich') && document.getElementById('other') !== null";
    const url = app.site.url("localhost", `/anew?body=${encodeURIComponent("<p id=rich>x</p>")}`);
    for (const [name, script] of Object.entries(rewritten())) {
      const before = `before ${name}`;
      write(before);
      await eventually(() => read("clipboard") === before, "it lies there");
      await app.run(`return it.contents.loadURL(${said(url)})`);
      await app.page(`(() => { ${script} })(); 1`);
      await eventually(() => app.page(there), `the page is another one: ${name}`);
      await app.page("document.getElementById('text').focus(); document.getElementById('text').select(); 1");
      await app.run("it.window.focus()");
      await eventually(() => app.page("document.hasFocus()"), "the page has the focus");
      await eventually(() => {
        press("c");
        assert.ok(!read("clipboard").includes("contoso only"), name);
        return read("clipboard") !== before;
      }, `something is copied: ${name}`);
      assert.ok(!read("clipboard").includes("contoso only"), name);
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
      "takes the hand of a frame": ["x", `(() => { ${frame}.Document.prototype.open.call(document);
        document.write(${said(taking("org secret 7"))}); document.close() })()`],
      "listens while an element goes": ["x", `customElements.define("x-leaves", class extends HTMLElement {
        disconnectedCallback() { addEventListener("copy", (event) => { event.stopImmediatePropagation();
          event.preventDefault(); event.clipboardData.setData("text/plain", "org secret 10"); }, true); } });
        document.body.append(document.createElement("x-leaves"));
        document.open(); document.write("<p id=b>org secret 10</p>"); document.close()`],
      "has functions of its own": ["x", `Function.prototype.apply = Function.prototype.call = () => 1;
        Document.prototype.open = () => 1; document.write(${said(taking("org secret 9"))}); document.close()`],
      "leads itself to a script": ["x", `location = "javascript:" + encodeURIComponent(${said(said(taking("org secret 8")))})`],
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
    // The person's own pages may.
    await app.run("return it.guarded.client.setIdentity('process', { account: 'me@example.org' })");
    await app.run(`return it.contents.loadURL(${said(app.site.url("localhost", "/copy"))})`);
    const [item] = ways["writes an item"].slice(1);
    await app.page("navigator.clipboard.writeText('my own text').then(() => 1)");
    await eventually(() => read("clipboard") === "my own text", "a text of one's own");
    await app.page(`${item.replace("org secret 6", "my own item").replace(".catch(() => 1)", "")}.then(() => 1)`);
    await eventually(() => read("clipboard") === "my own item", "an item of one's own");
  },
};
