"use strict";

// An app of thirty lines, as an embedder writes it; behind them what lets a test play its user: one script a line on
// a socket.

const path = require("path");
const net = require("net");
const electron = require("electron");
const { guard } = require(path.join(__dirname, "../../../electron.js"));
const { Views } = require(path.join(__dirname, "../../../lib/electron/views"));

const { app, BrowserWindow } = electron;
const [start, control, socket] = process.argv.slice(-3);
const refused = [];
const opened = [];
// What the guard costs is measured beside an app that is as careful without it: what its pages are given costs more.
const unguarded = { client: null, webPreferences: Views.preferences };
const guarded = process.env.UNGUARDED ? unguarded : guard({
  app: process.env.APP_NAME || "com.contoso.portal", class: "documents", path: socket, require: "always",
  notice: process.env.NOTICES ? require(path.join(__dirname, "../../../notice")) : null,
  refused: ({ kind, url, decision }) => refused.push({ kind, url, reason: decision.reason }),
  open: ({ url }) => opened.push(url),
});
const registered = [];
const documents = [];
if (guarded.client !== null) {
  const register = guarded.client.registerViewer.bind(guarded.client);
  guarded.client.registerViewer = (viewer, said) => {
    registered.push({ viewer, ...said });
    return register(viewer, said);
  };
  const setDocument = guarded.client.setDocument.bind(guarded.client);
  guarded.client.setDocument = (viewer, url) => {
    documents.push(url);
    return setDocument(viewer, url);
  };
  guarded.client.setIdentity("process", { account: "work@contoso.com" });
}

app.whenReady().then(async () => {
  const window = new BrowserWindow({ webPreferences: guarded.webPreferences(), width: 600, height: 400 });
  await window.loadURL(start).catch(() => {});
  play({ app, electron, guarded, refused, opened, registered, documents, window, contents: window.webContents });
});
app.on("window-all-closed", () => app.quit());

/** Runs each script that comes, with `it` as what it may touch, and answers with its value. */
function play(it) {
  const connection = net.connect(control);
  let received = "";
  connection.setEncoding("utf8");
  connection.on("data", async (text) => {
    received += text;
    for (let end = received.indexOf("\0"); end >= 0; end = received.indexOf("\0")) {
      const source = received.slice(0, end);
      received = received.slice(end + 1);
      let answer;
      try {
        // eslint-disable-next-line no-new-func
        answer = { value: await new Function("it", "require", `return (async () => { ${source} })()`)(it, require) };
      } catch (problem) {
        answer = { problem: String((problem && problem.stack) || problem) };
      }
      connection.write(`${JSON.stringify(answer)}\0`);
    }
  });
  connection.on("close", () => app.exit(0));
}
