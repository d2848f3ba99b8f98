"use strict";

// The one notice, in the place of a page that may not load. Its buttons are links with a token, which no other page
// knows and which is good for one press.

const crypto = require("crypto");
const { safely } = require("../errors");
const { hear } = require("./slots");

const SCHEME = "webviewguard-notice:";
// What Electron tells of a request that the hook cancelled.
const BLOCKED_BY_CLIENT = -20;

class Notices {
  /** `pages` is the package webviewguard-notice; null: nobody sees a notice. */
  constructor(pages, client, languages) {
    this._pages = pages;
    this._languages = languages;
    this._organization = null;
    // What is shown, and what is going to be, by the number of the web contents.
    this._shown = new Map();
    this._refused = new Map();
    if (pages !== null) client.listen({ policy: ({ organization }) => { this._organization = organization; } });
  }

  /** Whether a URL is one of our notices, by its token: of some requests Electron does not tell whose they are. */
  isShown(url) {
    return url.startsWith("data:") && [...this._shown.values()].some(({ page }) => page === url);
  }

  watch(contents) {
    if (this._pages === null) return;
    const { id } = contents;
    hear(contents, {
      after: {
        "did-fail-load": (_, code, text, url, isMain) => {
          const refused = this._refused.get(id);
          if (refused === undefined || code !== BLOCKED_BY_CLIENT || isMain === false) return;
          this._refused.delete(id);
          // The page that failed has a place of its own in the history.
          setImmediate(() => this._show(contents, refused, -2));
        },
        destroyed: () => {
          this._shown.delete(id);
          this._refused.delete(id);
        },
      },
    });
  }

  /** A page may not load. True when somebody will see why. `isStopped`: nothing fails, since nothing began. */
  refused(contents, url, decision, isStopped) {
    if (this._pages === null || contents === null) return false;
    if (isStopped) setImmediate(() => this._show(contents, { url, decision }, -1));
    else this._refused.set(contents.id, { url, decision });
    return true;
  }

  /** Whether a link is a button of ours, or pretends to be: it goes nowhere. */
  takes(contents, url) {
    if (!url.startsWith(SCHEME)) return false;
    const shown = this._shown.get(contents.id);
    const [token, action] = url.slice(SCHEME.length).split("/");
    if (shown === undefined || shown.token !== token || contents.getURL() !== shown.page) return true;
    this._shown.delete(contents.id);
    // Not within the event of the link.
    setImmediate(() => safely(() => {
      if (action === "retry") this._load(contents, shown.url);
      else if (action === "back") historyOf(contents).goToOffset(shown.back);
    }));
    return true;
  }

  _show(contents, { url, decision }, back) {
    if (contents.isDestroyed()) return;
    const token = crypto.randomBytes(16).toString("hex");
    const actions = { retry: `${SCHEME}${token}/retry` };
    // The notice comes one further than where the history is now.
    const isBehind = back === -1 ? contents.getURL() !== "" : historyOf(contents).canGoToOffset(back + 1);
    if (isBehind) actions.back = `${SCHEME}${token}/back`;
    const html = this._pages.notice(decision, {
      url, actions, languages: this._languages, organization: this._organization });
    const page = `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString("base64")}`;
    this._shown.set(contents.id, { url, token, back, page });
    this._load(contents, page);
  }

  _load(contents, url) {
    contents.loadURL(url).catch(({ code }) => console.warn(`webviewguard: a page does not load: ${code}`));
  }
}

function historyOf(contents) {
  return contents.navigationHistory || contents;
}

module.exports = { Notices };
