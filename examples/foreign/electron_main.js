"use strict";

// The smallest Electron app under the guard: `electron electron_main.js https://portal.contoso.com/`.

const { app, BrowserWindow } = require("electron");
const { guard } = require("../../clients/javascript/electron.js"); // guard

const guarded = guard({ app: "com.contoso.browser", class: "documents" }); // guard
if (guarded.isActive) guarded.client.setIdentity("process", { account: "work@contoso.com" }); // guard

app.whenReady().then(() => {
  new BrowserWindow({ webPreferences: guarded.webPreferences() }).loadURL(process.argv[process.argv.length - 1]); // guard
});
