"use strict";

// What the sessions of an app load, store and permit.

const fs = require("fs");
const path = require("path");
const { Downloads } = require("./downloads");
const { isNamed } = require("./patterns");
const { SignIns } = require("./sign-ins");
const { hear, keepSlot, remember, wrap } = require("./slots");

const FRAMES = { mainFrame: "main", subFrame: "sub" };
const PRELOAD = path.join(__dirname, "..", "..", "preload.js");
// Requests whose hops are remembered.
const OPEN_REQUESTS = 4096;

class Sessions {
  constructor(modules, judge, files) {
    this._modules = modules;
    this._judge = judge;
    // The members that an envelope tells of a file; without the package nobody looks.
    this._facts = files === null ? async () => ({}) : (file) => files.facts(file);
    this._downloads = new Downloads(modules, judge, files);
  }

  install() {
    keepPreload();
    hear(this._modules.app, { before: { "session-created": (session) => this._guard(session) } });
  }

  _guard(session) {
    this._guardRequests(session);
    this._guardPermissions(session);
    this._downloads.guard(session);
    this._load(session);
  }

  // Requests

  _guardRequests(session) {
    const { webRequest } = session;
    const native = webRequest.onBeforeRequest.bind(webRequest);
    const signIns = new SignIns(webRequest);
    const theirs = { filter: null, listener: null };
    const onBeforeRequest = (...values) => {
      const listener = values[values.length - 1];
      theirs.filter = values.length > 1 ? values[0] : null;
      theirs.listener = typeof listener === "function" ? listener : null;
    };
    // Electron may make the object anew for each reader; the session is one.
    const guarded = new Proxy(webRequest, {
      get: (target, name) => {
        if (name === "onBeforeRequest") return onBeforeRequest;
        if (name === "onBeforeSendHeaders") return signIns.onBeforeSendHeaders;
        const value = target[name];
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    Object.defineProperty(session, "webRequest", { value: guarded, configurable: true });
    const seen = new Map();
    native({ urls: ["<all_urls>"] }, (details, callback) => {
      this._requested(details, seen, signIns).then((isAllowed) => {
        if (!isAllowed) callback({ cancel: true });
        else if (theirs.listener !== null && isNamed(theirs.filter, details)) theirs.listener(details, callback);
        else callback({});
      }).catch((problem) => {
        console.error("webviewguard:", problem);
        callback({ cancel: true });
      });
    });
  }

  /** Whether a request may be made: where it goes, and then the files that it carries. */
  async _requested(details, seen, signIns) {
    const { id, url, method, resourceType, uploadData = [] } = details;
    const judge = this._judge;
    if (judge.isOwn(url) || judge.notices.isShown(url)) return true;
    const isHop = seen.has(id);
    const contents = judge.views.contents(details);
    // The page that asks for it.
    const from = isHop ? seen.get(id) : details.referrer || (contents === null ? null : contents.getURL() || null);
    remember(seen, id, url, OPEN_REQUESTS);
    const event = { url, from, method, frame: FRAMES[resourceType] || "resource", hop: isHop };
    const isPage = event.frame === "main" && contents !== null;
    const pass = isPage ? judge.notices.passes(contents, url, method, isHop) : null;
    const passes = pass && judge.views.isSurelyOf(contents, details);
    if (passes && await this._stillWarns(contents, { ...event, from: pass.from })) return true;
    const decision = await judge.later("navigate", contents, event);
    signIns.decided(details, decision);
    if (!decision.allowed) return false;
    for (const { file } of uploadData || []) {
      if (!file) continue;
      const about = { url, from, path: file, ...(await this._facts(file)) };
      if (!(await judge.later("upload", contents, about)).allowed) return false;
    }
    return true;
  }

  /** The notice of a warning may stand there for days, and what it is about may be blocked by now. */
  async _stillWarns(contents, event) {
    return (await this._judge.later("navigate", contents, { ...event, probe: true })).outcome === "warn";
  }

  // Permissions

  _guardPermissions(session) {
    keepSlot(session, "setPermissionRequestHandler", (theirs, contents, permission, callback, details = {}) => {
      this._permitted(contents, permission, details).then((isAllowed) => {
        if (!isAllowed) callback(false);
        else if (theirs !== null) theirs(contents, permission, callback, details);
        else callback(true);
      }, () => callback(false));
    });
    keepSlot(session, "setPermissionCheckHandler", (theirs, contents, permission, origin, details = {}) => {
      const [kind, event] = question(permission, details);
      // A check is no deed: nothing is recorded.
      if (kind !== null && !this._isFree(this._judge.decide(kind, contents, { ...event, probe: true }),
        kind)) return false;
      return theirs === null ? true : theirs(contents, permission, origin, details);
    });
    keepSlot(session, "setDisplayMediaRequestHandler", (theirs, request, callback) => {
      this._judge.later("capture", null, { capture: "recording" }).then(({ allowed }) => {
        if (allowed && theirs !== null) theirs(request, callback);
        else callback({});
      });
    });
  }

  async _permitted(contents, permission, details) {
    const [kind, event] = question(permission, details);
    return kind === null || this._isFree(await this._judge.later(kind, contents, event), kind);
  }

  /** What a page writes by itself passes no hook that could wrap it. */
  _isFree(decision, kind) {
    return decision.allowed && !(kind === "copy" && decision.mimeWrap) && !(kind !== "notify"
      && decision.onlyPlainText);
  }

  // The preload, for what has no hook

  _load(session) {
    if (typeof session.registerPreloadScript === "function") {
      session.registerPreloadScript({ type: "frame", id: "webviewguard", filePath: PRELOAD });
      return;
    }
    session.setPreloads([PRELOAD, ...session.getPreloads()]);
    wrap(session, "setPreloads", (original, files) => original([PRELOAD, ...files.filter((file) => file !== PRELOAD)]));
    wrap(session, "getPreloads", (original) => original().filter((file) => file !== PRELOAD));
  }
}

let isPreloadKept = false;

/** Electron reads the preload for each page anew, in steps each of which waits for a thread: it gets our copy. */
function keepPreload() {
  if (isPreloadKept) return;
  isPreloadKept = true;
  const source = fs.readFileSync(PRELOAD);
  wrap(fs.promises, "readFile", (original, ...values) => (
    values.length === 1 && values[0] === PRELOAD ? Promise.resolve(Buffer.from(source)) : original(...values)));
}

/** The question that a permission is; `[null]` for one that lets no data in or out. */
function question(permission, details) {
  if (permission === "clipboard-read") return ["paste", { selection: "clipboard" }];
  if (permission.startsWith("clipboard-")) return ["copy", { selection: "clipboard" }];
  // Of screens no kind of device is told.
  const isScreen = permission === "media" && details.mediaTypes && details.mediaTypes.length === 0;
  if (isScreen || permission === "display-capture") return ["capture", { capture: "recording" }];
  if (permission === "notifications") return ["notify", {}];
  if (permission === "openExternal") return ["navigate", { url: details.externalURL || null, frame: "main" }];
  if (permission === "fileSystem") {
    const kind = details.fileAccessType === "writable" ? "save" : "open";
    return [kind, { path: details.filePath || null }];
  }
  return [null, {}];
}

module.exports = { Sessions };
