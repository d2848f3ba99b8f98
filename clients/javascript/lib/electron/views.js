"use strict";

// The web contents of an app as viewers: registered before they load anything, asked about when they go somewhere.

const { keepSlot, orCalledOff, wrap } = require("./slots");

// So long a window that was allowed may take until it is there.
const OPENING_MS = 10000;

class Views {
  constructor(modules, client, viewerClass) {
    this._modules = modules;
    this._client = client;
    this._class = viewerClass;
    this._names = new Map();
    // The viewers whose new windows were allowed, oldest first.
    this._opening = [];
    /** Windows in whose frames nobody guards the clipboard. */
    this.gaps = [];
  }

  /** What lets the preload guard frames as well: it is loaded there only so, and `sandbox` keeps Node from the page. */
  static preferences(preferences = {}) {
    return { ...preferences, sandbox: true, nodeIntegrationInSubFrames: true, contextIsolation: true };
  }

  install(judge) {
    this._judge = judge;
    this._modules.app.on("web-contents-created", (_, contents) => this._created(contents));
  }

  /** The name of the viewer that is shown in web contents; null for none. */
  name(contents) {
    return contents ? this._names.get(contents.id) || null : null;
  }

  /** The web contents of a number, as requests have it; null when they are gone. */
  contents(id) {
    return id === undefined || id < 0 ? null : this._modules.webContents.fromId(id) || null;
  }

  _created(contents) {
    const viewer = `contents-${contents.id}`;
    const opener = this._openerOf(contents);
    this._names.set(contents.id, viewer);
    const said = { class: this._class, kind: opener === null ? "embedded" : "popup", opener };
    this._say(this._client.registerViewer(viewer, said));
    const { id } = contents;
    contents.once("destroyed", () => {
      this._names.delete(id);
      this._say(this._client.forgetViewer(viewer));
    });
    this._watch(contents, viewer);
  }

  /** Who opened a window that comes into being now. */
  _openerOf(contents) {
    const now = Date.now();
    this._opening = this._opening.filter(({ at }) => now - at < OPENING_MS);
    if (contents.getType() !== "window") return null;
    const found = this._opening.shift();
    return found ? found.viewer : null;
  }

  _watch(contents, viewer) {
    const judge = this._judge;
    // In front of the app's own listeners.
    contents.prependListener("will-navigate", (event, url) => this._going(contents, event, event.url || url, {}));
    contents.prependListener("will-redirect", (event, url, _, isMain) => {
      const isMainFrame = event.isMainFrame === undefined ? isMain : event.isMainFrame;
      this._going(contents, event, event.url || url, { hop: true, frame: isMainFrame === false ? "sub" : "main" });
    });
    contents.prependListener("will-frame-navigate", (event) => {
      // That of the main frame comes as `will-navigate` too.
      if (event.isMainFrame === false) this._going(contents, event, event.url, { frame: "sub" });
    });
    contents.once("dom-ready", () => this._look(contents, viewer));
    contents.on("did-navigate", (_, url) => this._say(this._client.setDocument(viewer, url)));
    contents.on("did-attach-webview", (_, guest) => {
      if (this.name(guest)) this._say(this._client.registerViewer(this.name(guest), { parent: viewer }));
    });
    contents.prependListener("will-attach-webview", (_, preferences) => Object.assign(preferences,
      Views.preferences(preferences)));
    this._watchWindows(contents, viewer);
    this._watchOutput(contents, judge);
  }

  /** Electron makes no window anew: that its preferences leave something open can only be told. */
  _look(contents, viewer) {
    const said = typeof contents.getLastWebPreferences === "function" ? contents.getLastWebPreferences() : null;
    if (said === null || said === undefined || said.nodeIntegrationInSubFrames) return;
    this.gaps.push({ what: `the clipboard in frames of ${viewer}`, close: "webPreferences: guarded.webPreferences()" });
    console.warn(`webviewguard: ${viewer} has frames whose clipboard nobody guards: use guarded.webPreferences()`);
    contents.once("destroyed", () => { this.gaps = this.gaps.filter(({ what }) => !what.endsWith(` ${viewer}`)); });
  }

  _going(contents, event, url, about) {
    if (this._judge.isOwn(url)) return;
    orCalledOff(event, () => {
      const said = { url, from: contents.getURL() || null, frame: "main", ...about };
      if (!this._judge.may("navigate", contents, said)) event.preventDefault();
    });
  }

  _watchWindows(contents, viewer) {
    const mayOpen = (url) => {
      const said = { url: url || "about:blank", from: contents.getURL() || null, frame: "main", newWindow: true };
      if (!this._judge.isOwn(said.url) && !this._judge.may("navigate", contents, said)) return false;
      this._opening.push({ viewer, at: Date.now() });
      return true;
    };
    const isKept = keepSlot(contents, "setWindowOpenHandler", (theirs, details) => {
      try {
        return mayOpen(details.url) ? this._answerOf(theirs, details) : { action: "deny" };
      } catch (problem) {
        console.error("webviewguard:", problem);
        return { action: "deny" };
      }
    });
    // Before Electron 12 an event asks.
    if (isKept) return;
    contents.prependListener("new-window", (event, url, name, disposition, options) => {
      orCalledOff(event, () => {
        if (!mayOpen(url)) event.preventDefault();
        else if (options) options.webPreferences = Views.preferences(options.webPreferences);
      });
    });
  }

  /** The app's own word on a window that may open, with what guards it. */
  _answerOf(theirs, details) {
    const answer = theirs === null ? { action: "allow" } : theirs(details);
    if (!answer || answer.action !== "allow") {
      this._opening.pop();
      return answer;
    }
    const options = answer.overrideBrowserWindowOptions || {};
    const webPreferences = Views.preferences(options.webPreferences);
    return { ...answer, overrideBrowserWindowOptions: { ...options, webPreferences } };
  }

  /** What leaves a page on paper and in pictures. */
  _watchOutput(contents, judge) {
    const about = () => ({ url: contents.getURL() || null });
    wrap(contents, "print", (original, options, callback) => {
      if (judge.may("print", contents, about())) return original(options, callback);
      return callback ? callback(false, "blocked by the policy") : undefined;
    });
    const refuse = () => Promise.reject(new Error("blocked by the policy"));
    wrap(contents, "printToPDF", (original, ...values) => (
      judge.may("print", contents, about()) ? original(...values) : refuse()));
    const picture = (original, ...values) => (
      judge.may("capture", contents, { capture: "ownImage" }) ? original(...values) : refuse());
    wrap(contents, "capturePage", picture);
    wrap(contents, "savePage", (original, file, ...values) => (
      judge.may("save", contents, { url: about().url, path: file }) ? original(file, ...values) : refuse()));
  }

  _say(promise) {
    promise.catch((problem) => console.warn(`webviewguard: ${problem.message}`));
  }
}

module.exports = { Views };
