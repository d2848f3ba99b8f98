"use strict";

// The web contents of an app as viewers: registered before they load anything, asked about when they go somewhere.

const { hear, keepSlot, orCalledOff, remember, wrap } = require("./slots");

// So long a window that was allowed may take until it is there.
const OPENING_MS = 10000;
// Pages under way of which it is remembered who loads them.
const OPEN_LOADS = 256;

class Views {
  constructor(modules, client, viewerClass) {
    this._modules = modules;
    this._client = client;
    this._class = viewerClass;
    this._names = new Map();
    // Which web contents began to load a URL, by the URL.
    this._loading = new Map();
    // The viewers whose new windows were allowed, oldest first.
    this._opening = [];
    // What the preferences of windows leave open, by their viewers.
    this._gaps = new Map();
  }

  /** What the windows that are there leave open. */
  get gaps() {
    return [].concat(...this._gaps.values());
  }

  /** What lets the preload guard frames as well: it is loaded there only so, and `sandbox` keeps Node from the page. */
  static preferences(preferences = {}) {
    return { ...preferences, sandbox: true, nodeIntegrationInSubFrames: true, contextIsolation: true };
  }

  install(judge) {
    this._judge = judge;
    hear(this._modules.app, { before: { "web-contents-created": (_, contents) => this._created(contents) } });
  }

  /** The name of the viewer that is shown in web contents; null for none. */
  name(contents) {
    return contents ? this._names.get(contents.id) || null : null;
  }

  /** The web contents of a request; null when they are gone. Of a page behind one that failed no number is told. */
  contents({ webContentsId, url, resourceType }) {
    const isTold = webContentsId !== undefined && webContentsId >= 0;
    const id = isTold || resourceType !== "mainFrame" ? webContentsId : this._loading.get(url);
    return id === undefined || id < 0 ? null : this._modules.webContents.fromId(id) || null;
  }

  /** Whether no other web contents can have made a request: their number is told, or nobody else loads a page. */
  isSurelyOf({ id }, { webContentsId }) {
    if (webContentsId === id) return true;
    const all = this._modules.webContents.getAllWebContents();
    return all.every((other) => other.id === id || !other.isLoadingMainFrame());
  }

  register(viewer, said) {
    this._say(this._client.registerViewer(viewer, said));
  }

  _created(contents) {
    const viewer = `contents-${contents.id}`;
    const opener = this._openerOf(contents);
    this._names.set(contents.id, viewer);
    const said = { class: this._class, kind: opener === null ? "embedded" : "popup", opener };
    this.register(viewer, said);
    this._watch(contents, viewer);
    this._watchWindows(contents, viewer);
    this._watchOutput(contents);
    this._judge.notices.watch(contents);
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
    const { id } = contents;
    hear(contents, {
      before: {
        "will-navigate": (event, url) => this._going(contents, event, event.url || url, {}),
        "will-redirect": (event, url, _, isMain) => {
          const isMainFrame = event.isMainFrame === undefined ? isMain : event.isMainFrame;
          this._going(contents, event, event.url || url, { hop: true, frame: isMainFrame === false ? "sub" : "main" });
        },
        "will-frame-navigate": (event) => {
          // That of the main frame comes as `will-navigate` too.
          if (event.isMainFrame === false) this._going(contents, event, event.url, { frame: "sub" });
        },
        "did-start-navigation": (event, url, isInPlace, isMain) => {
          const { isMainFrame = isMain } = event;
          if (isMainFrame) remember(this._loading, event.url || url, id, OPEN_LOADS);
        },
        "dom-ready": () => this._look(contents, viewer),
        "did-navigate": (_, url) => this._navigated(viewer, url),
        "did-attach-webview": (_, guest) => {
          if (this.name(guest)) this.register(this.name(guest), { parent: viewer });
        },
        destroyed: () => this._gone(id, viewer),
      },
      // The last word on what guards a web view.
      after: { "will-attach-webview": (_, preferences) => Object.assign(preferences, Views.preferences(preferences)) },
    });
  }

  _navigated(viewer, url) {
    if (!this._judge.notices.isShown(url)) this._say(this._client.setDocument(viewer, url));
  }

  _gone(id, viewer) {
    this._names.delete(id);
    this._gaps.delete(viewer);
    this._say(this._client.forgetViewer(viewer));
  }

  /** Electron makes no window anew: that its preferences leave something open can only be told. */
  _look(contents, viewer) {
    const said = typeof contents.getLastWebPreferences === "function" ? contents.getLastWebPreferences() : null;
    if (said === null || said === undefined || this._gaps.has(viewer)) return;
    const close = "webPreferences: guarded.webPreferences()";
    this._gaps.set(viewer, openings(said).map((what) => ({ what: `${what} ${viewer}`, close })));
    for (const { what } of this._gaps.get(viewer)) console.warn(`webviewguard: not guarded: ${what}; use ${close}`);
  }

  _going(contents, event, url, about) {
    if (this._judge.isOwn(url)) return;
    if (this._judge.notices.takes(contents, url)) {
      event.preventDefault();
      return;
    }
    orCalledOff(event, () => {
      const said = { url, from: contents.getURL() || null, frame: "main", ...about };
      if (!this._judge.may("navigate", contents, said)) event.preventDefault();
    });
  }

  _watchWindows(contents, viewer) {
    const mayOpen = (url, event) => {
      const said = { url: url || "about:blank", from: contents.getURL() || null, frame: "main", newWindow: true };
      if (!this._judge.isOwn(said.url) && !this._judge.may("navigate", contents, said)) return false;
      this._opening.push({ viewer, event, at: Date.now() });
      return true;
    };
    const isKept = keepSlot(contents, "setWindowOpenHandler", (theirs, details) => {
      try {
        return mayOpen(details.url, details) ? this._answerOf(theirs, details) : { action: "deny" };
      } catch (problem) {
        console.error("webviewguard:", problem);
        this._notOpened(details);
        return { action: "deny" };
      }
    });
    // Before Electron 12 an event asks.
    if (isKept) return;
    hear(contents, {
      before: { "new-window": (event, url) => orCalledOff(event, () => mayOpen(url, event) || event.preventDefault()) },
      after: {
        "new-window": (event, url, name, disposition, options) => {
          if (event.defaultPrevented && !event.newGuest) this._notOpened(event);
          else if (options) options.webPreferences = Views.preferences(options.webPreferences);
        },
      },
    });
  }

  /** The app itself did not want the window that we allowed: the next one that it makes is nobody's popup. */
  _notOpened(event) {
    this._opening = this._opening.filter((one) => one.event !== event);
  }

  /** The app's own word on a window that may open, with what guards it. */
  _answerOf(theirs, details) {
    const answer = theirs === null ? { action: "allow" } : theirs(details);
    if (!answer || answer.action !== "allow") {
      this._notOpened(details);
      return answer;
    }
    const options = answer.overrideBrowserWindowOptions || {};
    const webPreferences = Views.preferences(options.webPreferences);
    return { ...answer, overrideBrowserWindowOptions: { ...options, webPreferences } };
  }

  /** What leaves a page on paper and in pictures. */
  _watchOutput(contents) {
    const judge = this._judge;
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
    wrap(contents, "beginFrameSubscription", (original, ...values) => (
      judge.may("capture", contents, { capture: "ownImage" }) ? original(...values) : undefined));
    // No event of the page tells of it, and a picture has no notice beside it.
    wrap(contents, "copyImageAt", (original, ...values) => {
      const event = { selection: "clipboard", formats: ["image/png"], from: about().url };
      const { allowed, mimeWrap } = judge.decide("copy", contents, event);
      if (allowed && !mimeWrap) original(...values);
    });
    wrap(contents, "startDrag", (original, item) => {
      const files = [].concat(item.files || [], item.file || []);
      if (files.every((file) => judge.may("share", contents, { path: file }))) original(item);
    });
    wrap(contents, "savePage", (original, file, ...values) => (
      judge.may("save", contents, { url: about().url, path: file }) ? original(file, ...values) : refuse()));
  }

  _say(promise) {
    promise.catch((problem) => console.warn(`webviewguard: ${problem.message}`));
  }
}

/** What a window's preferences leave open, by the defaults of this version. */
function openings({ sandbox, contextIsolation, nodeIntegration, nodeIntegrationInSubFrames }) {
  const major = Number((process.versions.electron || "0").split(".")[0]);
  const found = [];
  if (!nodeIntegrationInSubFrames) found.push("the clipboard in frames of");
  if (!(sandbox === undefined ? major >= 20 && !nodeIntegration : sandbox)) {
    found.push("what Node and the modules of Electron do in the process of");
  }
  if (!(contextIsolation === undefined ? major >= 12 : contextIsolation)) {
    found.push("the clipboard from scripts that change what the preload calls, in");
  }
  return found;
}

module.exports = { Views };
