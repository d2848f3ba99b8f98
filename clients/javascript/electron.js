"use strict";

// Guards an Electron app, with few lines of its own. See README.md.

const { isInstalled } = require("./lib/place");
const { Guard } = require("./lib/guard");
const { refuseOthers } = require("./lib/calls");
const { Clips } = require("./lib/electron/clips");
const { Judge } = require("./lib/electron/judge");
const { Sessions } = require("./lib/electron/sessions");
const { hear, orCalledOff, wrap } = require("./lib/electron/slots");
const { Views } = require("./lib/electron/views");

// What this file does with answers: it wraps clips, strips their markup, and tells of the copies that it saw.
const FEATURES = ["wrap", "plainText", "clipEcho"];

const never = () => false;
const NO_NOTICES = { isShown: never, passes: () => null, pressed: never, refused: never, takes: never, watch: never };

/**
 * Guards all sessions, windows, views and popups of an Electron app. Call it before `ready`; later it throws.
 *
 *     const guarded = guard({ app: "com.contoso.portal", class: "documents" });
 *     if (guarded.isActive) guarded.client.setIdentity("process", { account: "work@contoso.com" });
 */
function guard(options = {}) {
  const {
    app, class: viewerClass = null, require: required = "managed", path = null, client = null, electron = null,
    sealing = null, notice = null, languages = [], version = null, trustedUids = null, onProblem, refused = null,
    open = null, ...rest
  } = options;
  refuseOthers("guard", rest);
  if (!["managed", "always"].includes(required)) throw new TypeError(
    `\`require\` is managed or always, not \`${required}\``);
  const modules = electron || require("electron");
  if (modules.app.isReady()) throw new Error("webviewguard: guard() comes before `ready`");
  const isActive = required === "always" || (process.platform === "linux" && isInstalled(path));
  if (!isActive) return new Guarded(null, () => [], (preferences) => ({ ...preferences }));
  // Who goes on after a warning says why, and only the notice asks for that.
  const features = notice === null ? FEATURES : [...FEATURES, "warn"];
  const said = { app, path, languages, version, trustedUids, features, sync: true };
  const asks = client || new Guard(onProblem ? { ...said, onProblem } : said);
  const notices = notice === null ? NO_NOTICES : new notice.Notices(notice.notice, asks, languages, hear);
  return guarded(modules, asks, { viewerClass, refused, open, sealing, notices });
}

function guarded(modules, client, { viewerClass, refused, open, sealing, notices }) {
  const views = new Views(modules, client, viewerClass);
  const judge = new Judge(modules, client, views, { refused, open, notices });
  const clips = new Clips(modules, judge, viewerClass);
  client.start();
  new Outside(modules, judge).install();
  const files = sealing === null ? null : new sealing.Files(client);
  if (files !== null) files.clearLeftovers();
  new Sessions(modules, judge, files).install();
  views.install(judge);
  clips.install();
  // See ThreadTransport.close.
  hear(modules.app, { after: { quit: () => client.close() } });
  const always = uncovered(sealing !== null);
  return new Guarded(client, () => [...always, ...views.gaps], Views.preferences);
}

/** What `guard` gives. */
class Guarded {
  constructor(client, gaps, preferences) {
    /** Whether anything is guarded: not off Linux, and not where no webviewguard is installed, unless `always`. */
    this.isActive = client !== null;
    /** The `Guard` that asks: identities, accounts and news are told and heard there. Null when nothing is guarded. */
    this.client = client;
    this._gaps = gaps;
    /** The `webPreferences` of a window with what guards the clipboard in its frames as well. */
    this.webPreferences = preferences;
  }

  /** What nobody covers in this version of Electron and in the windows that are open, in words, and what closes it. */
  get uncovered() {
    return this._gaps();
  }
}

/** What an app itself hands to other programs. */
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

const RULES = "the switch --host-resolver-rules, with what `webviewguard export --for chromium-host-rules` says";

/** What an app's version of Electron lets nobody cover: `{ what, close }`, for people. */
function uncovered(isSealing) {
  const major = Number((process.versions.electron || "0").split(".")[0]);
  const gaps = [
    { what: "requests of Node in the main process (http, https, net, child processes)",
      close: "questions that the app asks itself" },
    { what: "whatever passes no request hook in this version, such as preconnections", close: RULES },
    { what: "WebRTC", close: "the switch --force-webrtc-ip-handling-policy=disable_non_proxied_udp, and a firewall" },
    { what: "window.print of a page, which asks no hook; webContents.print does", close: "no printer for the user" },
    { what: "clipboards of frames in windows without `webPreferences: guarded.webPreferences()`", close: "that call" },
    { what: "the hops of a download that was interrupted and is resumed, which pass no request hook", close: RULES },
    { what: "files that a page is given before the preload runs", close: "uploads are asked about with their request" },
  ];
  if (major > 0 && major < 12) gaps.push({ what: "the redirect of a fetch whose hook comes late", close: RULES });
  if (!isSealing) {
    gaps.push({ what: "downloads that the policy wants encrypted, which lie in plain",
      close: "guard({ sealing: require(\"webviewguard-sealing\") })" });
  }
  return gaps;
}

module.exports = { guard };
