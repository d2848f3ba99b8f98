"use strict";

// What an app itself hands to other programs.

const { hear, orCalledOff, wrap } = require("./slots");

class Outside {
  constructor(modules, judge) {
    this._modules = modules;
    this._judge = judge;
  }

  install() {
    const { shell, desktopCapturer, app } = this._modules;
    const judge = this._judge;
    // A program that the offer names is started by the judge.
    wrap(shell, "openExternal", async (original, url, ...values) => {
      const { allowed } = await judge.later("openURL", null, { url: String(url) });
      if (allowed) await original(url, ...values);
    });
    wrap(shell, "openPath", async (original, file) => (
      (await judge.later("share", null, { path: file })).allowed ? original(file) : "blocked by the policy"));
    wrap(shell, "openItem", (original, file) => judge.may("share", null, { path: file }) && original(file));
    const screenshot = () => judge.may("capture", null, { capture: "screenshot" });
    if (desktopCapturer) {
      wrap(desktopCapturer, "getSources", async (original, ...values) => (screenshot() ? original(...values) : []));
    }
    // Before Electron 17 pages ask for the screens themselves.
    hear(app, {
      before: {
        "desktop-capturer-get-sources": (event, contents) => orCalledOff(event, () => {
          if (!judge.may("capture", contents, { capture: "recording" })) event.preventDefault();
        }),
      },
    });
  }
}

module.exports = { Outside };
