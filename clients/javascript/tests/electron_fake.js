"use strict";

// Electron as its documentation of three majors has it, and no more kindly: one place for each handler, answers at
// once or never, and members that no version has throw.

const assert = require("assert");
const { EventEmitter } = require("events");

const MAJORS = [9, 22, 37];
// Since which major a member is there, and before which.
const SINCE = { setWindowOpenHandler: 12, setDisplayMediaRequestHandler: 17, registerPreloadScript: 35, openPath: 9 };
const UNTIL = { setPreloads: 37, getPreloads: 37, openItem: 9, getLastWebPreferences: 30 };

/** Has unknown members throw; those of other majors are undefined. The program may replace what is there. */
function strict(name, target, major) {
  const isHere = (member) => !(SINCE[member] > major) && !(UNTIL[member] <= major);
  return new Proxy(target, {
    get: (object, member) => {
      if (typeof member === "symbol" || member in EventEmitter.prototype || member.startsWith(
        "_")) return object[member];
      if (member in SINCE || member in UNTIL) return isHere(member) ? object[member] : undefined;
      assert.ok(member in object, `${name} has no member \`${member}\``);
      return object[member];
    },
  });
}

/** An event that may be called off only while it is told. */
function eventOf(members = {}) {
  let isOver = false;
  const event = {
    ...members, defaultPrevented: false,
    preventDefault() {
      assert.ok(!isOver, "preventDefault came too late");
      event.defaultPrevented = true;
    },
  };
  event.end = () => { isOver = true; };
  return event;
}

/** Tells of something as Electron does; true when nobody called it off. */
function tells(emitter, name, members, ...values) {
  const event = eventOf(members);
  emitter.emit(name, event, ...values);
  event.end();
  return !event.defaultPrevented;
}

/** One place for a handler, which a later one takes. */
function slot(object, method) {
  object[method] = (handler) => { object[`_${method}`] = handler; };
}

class FakeElectron {
  constructor(major) {
    this.major = major;
    this._all = [];
    this.isReady = false;
    this.shown = [];
    this.outside = [];
    this.text = { clipboard: "", selection: "" };
    /** What somebody says who is asked for a place. */
    this.chooses = () => ({ canceled: true, filePath: undefined });
    this.ipc = new EventEmitter();
    this.app = Object.assign(new EventEmitter(), {
      isReady: () => this.isReady, getAppPath: () => "/opt/app", getPath: () => "/home/user/.config/app",
    });
    this.modules = strict("electron", {
      app: strict("app", this.app, major),
      ipcMain: strict("ipcMain", this.ipc, major),
      shell: strict("shell", this._shell(), major),
      clipboard: strict("clipboard", this._clipboard(), major),
      nativeImage: strict("nativeImage", { createEmpty: () => "no picture" }, major),
      dialog: strict("dialog", { showMessageBox: (...values) => {
        this.shown.push(values[values.length - 1].message);
        return new Promise(() => {});
      }, showSaveDialog: async (...values) => this.chooses(values[values.length - 1]) }, major),
      BrowserWindow: { fromWebContents: () => null },
      webContents: strict("webContents", {
        fromId: (id) => this._all.find((contents) => contents.id === id), getAllWebContents: () => this._all,
      }, major),
      desktopCapturer: major >= 17 ? strict("desktopCapturer", { getSources: async () => ["screen"] },
        major) : undefined,
    }, major);
  }

  /** A session, told of as it comes into being. */
  session() {
    const session = Object.assign(new EventEmitter(), { preloads: [], loaded: [], _major: this.major });
    const webRequest = {};
    webRequest.onBeforeRequest = (...values) => {
      webRequest._listener = values.pop();
      [webRequest._filter] = values;
    };
    webRequest.onBeforeSendHeaders = (...values) => { webRequest._sending = values.pop(); };
    webRequest.onHeadersReceived = (...values) => { webRequest._headers = values.pop(); };
    session.native = webRequest;
    session.webRequest = strict("webRequest", webRequest, this.major);
    for (const method of ["setPermissionRequestHandler", "setPermissionCheckHandler",
      "setDisplayMediaRequestHandler"]) {
      slot(session, method);
    }
    session.setPreloads = (files) => { session.preloads = files; };
    session.getPreloads = () => session.preloads;
    session.downloadURL = (url) => { session.loaded.push(url); };
    session.createInterruptedDownload = ({ urlChain }) => { session.loaded.push(...urlChain); };
    session.registerPreloadScript = ({ filePath }) => { session.preloads.push(filePath); };
    session.seen = strict("session", session, this.major);
    this.app.emit("session-created", session.seen);
    return session;
  }

  /** Web contents, told of as they come into being. */
  contents(id, { type = "window", url = "https://portal.contoso.com/", preferences = {} } = {}) {
    let shown = url;
    const contents = Object.assign(new EventEmitter(), {
      id, getType: () => type, getURL: () => shown, navigationHistory: undefined, printed: 0,
      copied: 0, dragged: [], loaded: [], session: null, isLoadingMainFrame: () => contents.isBusy === true, isBusy: false,
      copyImageAt: () => { contents.copied += 1; },
      beginFrameSubscription: (watch) => watch("image"), startDrag: ({ file }) => { contents.dragged.push(file); },
      downloadURL: (address) => { contents.loaded.push(address); }, isDestroyed: () => false,
      loadURL: async (address) => { contents.loaded.push(address); shown = address; },
      canGoToOffset: () => true, goToOffset: (offset) => { contents.loaded.push(offset); },
      print: (options, callback) => { contents.printed += 1; if (callback) callback(true); },
      printToPDF: async () => "pdf", capturePage: async () => "image", savePage: async () => "saved",
    });
    contents.getLastWebPreferences = () => preferences;
    slot(contents, "setWindowOpenHandler");
    const seen = strict("webContents", contents, this.major);
    this._all.push(seen);
    this.app.emit("web-contents-created", {}, seen);
    return contents;
  }

  /** A download, as `will-download` has it: the place counts only until the event is over. */
  download({ url = "https://portal.contoso.com/file", chain = [url], place = "", name = "file", size = 0 } = {}) {
    const item = Object.assign(new EventEmitter(), {
      place, isCancelled: false, getURL: () => url, getURLChain: () => chain, getFilename: () => name,
      getTotalBytes: () => size, getSavePath: () => item.place,
      options: {}, getSaveDialogOptions: () => item.options,
      setSaveDialogOptions: (options) => { item.options = options; },
      setSavePath: (file) => { item.place = file; }, cancel: () => { item.isCancelled = true; },
    });
    return strict("downloadItem", item, this.major);
  }

  /** One text on each selection, in whatever way it was written. */
  _clipboard() {
    const put = (text, place = "clipboard") => { this.text[place] = text; };
    const get = (place = "clipboard") => this.text[place];
    return {
      writeText: put, writeHTML: put, writeRTF: put, writeImage: put, writeBookmark: (_, url, place) => put(url, place),
      writeBuffer: (_, buffer, place) => put(String(buffer), place), write: ({ text }, place) => put(text, place),
      readText: get, readHTML: get, readRTF: get, readImage: get, read: () => get(),
      readBuffer: () => Buffer.from(get()), readBookmark: () => ({ title: "", url: get() }),
    };
  }

  _shell() {
    return {
      openExternal: async (url) => { this.outside.push(url); },
      openPath: async (file) => { this.outside.push(file); return ""; },
      openItem: () => true,
    };
  }
}

module.exports = { FakeElectron, MAJORS, tells };
