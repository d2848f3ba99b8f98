"use strict";

// Asks about what happens in an Electron app, starts other programs, and tells people.

const path = require("path");
const { spawn } = require("child_process");
const { fileURLToPath } = require("url");
const { refused: refusedBy } = require("../decision");
const { safely } = require("../errors");
const { shown } = require("../readable");

// As long as the daemon takes navigations for one click.
const CLICK_MS = 1000;
// The program's own tools: what they load is no page's.
const OWN_SCHEMES = ["devtools:", "chrome-devtools:"];

class Judge {
  constructor(modules, client, views, { refused, open, notices }) {
    this.views = views;
    this.notices = notices;
    this._modules = modules;
    this._client = client;
    this._tell = refused || ((refusal) => refusal.isNoticed || this._show(refusal));
    this._openOffer = open || start;
    this._isShown = false;
    // The navigation that was handed to another program last.
    this._handedOver = { url: null, at: 0 };
    // Kept before `Outside` wraps it.
    this._openExternal = modules.shell.openExternal.bind(modules.shell);
  }

  /** Whether an event may happen, waited for; `contents` is the page in which it does, or null. */
  may(kind, contents, event) {
    return this.decide(kind, contents, event).allowed;
  }

  /** The decision about an event, waited for. Whatever goes wrong here is `block`. */
  decide(kind, contents, event) {
    let decision;
    try {
      decision = this._client.decideSync(kind, this._event(contents, event));
    } catch (problem) {
      decision = failed(problem);
    }
    return this._settled(kind, contents, event, decision);
  }

  /** As `decide`, with a promise. */
  async later(kind, contents, event) {
    let decision;
    try {
      decision = await this._client.decide(kind, this._event(contents, event));
    } catch (problem) {
      decision = failed(problem);
    }
    return this._settled(kind, contents, event, decision);
  }

  /** Says something that waits for nothing, such as the change of a selection. */
  say(kind, event) {
    this._client.decide(kind, event).catch((problem) => failed(problem));
  }

  /** Whether a URL is of the program itself: its own files and tools are no pages of anybody. */
  isOwn(url) {
    if (OWN_SCHEMES.some((scheme) => url.startsWith(scheme))) return true;
    if (!url.startsWith("file:")) return false;
    try {
      const file = path.resolve(fileURLToPath(url));
      const folder = path.resolve(this._modules.app.getAppPath());
      return file.startsWith(`${folder}${path.sep}`);
    } catch (problem) {
      return false;
    }
  }

  _event(contents, event) {
    const viewer = this.views.name(contents);
    return viewer === null ? event : { viewer, ...event };
  }

  _settled(kind, contents, event, decision) {
    const offer = decision.opensNow;
    if (offer !== null && !event.probe && !this._isSameClick(kind, event.url)) safely(() => this._start(offer));
    const isSeen = event.frame === undefined || event.frame === "main";
    if (!decision.allowed && isSeen && !event.probe) this._refused(kind, contents || null, event, decision);
    return decision;
  }

  /** A page that may not load has a notice in its place; what else is refused, somebody is told. */
  _refused(kind, webContents, event, decision) {
    const url = event.url || null;
    const isPage = kind === "navigate" && !event.newWindow && webContents !== null;
    // Where another program opens the page, this one goes on showing its own, if it has one.
    const isOver = decision.opensNow !== null || decision.repeat;
    const isEmpty = isPage && !webContents.getURL();
    const isNoticed = isPage && (!isOver || isEmpty)
      && this.notices.refused(webContents, url, decision, event.method === undefined ? null : event.method, event.from);
    // Only a page's warning has a way on.
    if (decision.outcome === "warn" && !isNoticed) this._client.acknowledge(decision, "block").catch(failed);
    if (!isOver) safely(this._tell, { kind, url, decision, webContents, isNoticed });
  }

  /** An app that opens links by itself, as many do, hands over what was just handed over: one click, one program. */
  _isSameClick(kind, url) {
    const { url: latest, at } = this._handedOver;
    if (kind === "openURL") return latest === url && Date.now() - at < CLICK_MS;
    this._handedOver = { url, at: Date.now() };
    return false;
  }

  _start(offer) {
    if (this._openOffer === start && offer.argv === null && offer.desktopId === null) this._openExternal(offer.url);
    else this._openOffer(offer);
  }

  /** One message at a time: a page that is refused a hundred things fills no screen. */
  _show({ decision, webContents }) {
    const { BrowserWindow, dialog } = this._modules;
    if (this._isShown) return;
    this._isShown = true;
    const window = webContents === null ? null : BrowserWindow.fromWebContents(webContents);
    const message = shown(decision.message || `Your organization does not allow this (${decision.reason}).`);
    const box = { type: "warning", message };
    const over = () => { this._isShown = false; };
    (window ? dialog.showMessageBox(window, box) : dialog.showMessageBox(box)).then(over, over);
  }
}

function failed(problem) {
  console.error("webviewguard:", problem);
  return refusedBy("clientError");
}

/** Starts the program of an offer, in the session of its user and through no shell. */
function start({ argv, desktopId, url }) {
  const [program, ...words] = argv !== null ? argv : ["gtk-launch", desktopId, url];
  const child = spawn(program, words, { detached: true, stdio: "ignore" });
  child.on("error", (problem) => console.error(`webviewguard: \`${program}\` does not start: ${problem.message}`));
  child.unref();
}

module.exports = { Judge };
