"use strict";

// The notice in an Electron app, in the place of a page that may not load. `webviewguard/electron` uses this.
//
// Its buttons are links with a token, which no other page knows and which is good for one press. Only who goes on in
// spite of a warning has a pass: for that URL, in that view, without a body, once, and any other page before it ends it.

const crypto = require("crypto");

const SCHEME = "webviewguard-notice:";
// What Electron tells of a request that the hook cancelled.
const BLOCKED_BY_CLIENT = -20;
// What the daemon takes of a reason, in bytes; and as long a press counts until its link is followed.
const LONGEST_REASON = 1024;
const PRESS_MS = 1000;

class Notices {
  /** `write` is `notice` of this package; `hear` hears the events of a view. */
  constructor(write, client, languages, hear) {
    Object.assign(this, { _write: write, _client: client, _languages: languages, _hear: hear });
    this._organization = null;
    // By the number of the web contents: what is shown, what is going to be, when a user pressed something, and where
    // somebody goes on to.
    this._shown = new Map();
    this._refused = new Map();
    this._pressed = new Map();
    this._passes = new Map();
    client.listen({ policy: ({ organization }) => { this._organization = organization; } });
  }

  /** Whether a URL is one of our notices, by its token: of some requests Electron does not tell whose they are. */
  isShown(url) {
    return url.startsWith("data:") && [...this._shown.values()].some(({ page }) => page === url);
  }

  watch(contents) {
    const { id } = contents;
    this._hear(contents, {
      before: {
        "did-start-navigation": (event, url, isInPlace, isMain) => {
          const { isMainFrame = isMain, isSameDocument = isInPlace } = event;
          if (isMainFrame !== false && !isSameDocument) this._begins(contents, event.url || url);
        },
      },
      after: {
        "did-fail-load": (_, code, text, url, isMain) => {
          const refused = this._refused.get(id);
          if (refused === undefined || code !== BLOCKED_BY_CLIENT || isMain === false) return;
          this._refused.delete(id);
          // The page that failed has a place of its own in the history.
          setImmediate(() => this._show(contents, refused, -2));
        },
        destroyed: () => {
          for (const kept of [this._shown, this._refused, this._pressed, this._passes]) kept.delete(id);
        },
      },
    });
  }

  /** A page may not load. `method` is null where Electron tells none: nothing fails then, since nothing began. */
  refused(contents, url, decision, method, from = null) {
    const refused = { url, decision, from, goesOn: decision.outcome === "warn" && [null, "GET"].includes(method) };
    if (method === null) setImmediate(() => this._show(contents, refused, -1));
    else this._refused.set(contents.id, refused);
    return true;
  }

  /** A user, and no script, pressed something in a view. */
  pressed({ id }) {
    this._pressed.set(id, Date.now());
  }

  /** Whether a link is a button of ours, or pretends to be: it goes nowhere. */
  takes(contents, url) {
    if (!url.startsWith(SCHEME)) return false;
    const shown = this._shown.get(contents.id);
    const [path, query = ""] = url.slice(SCHEME.length).split("?");
    const [token, action] = path.split("/");
    if (shown === undefined || shown.token !== token || contents.getURL() !== shown.page) return true;
    const reason = action === "continue" ? this._reason(contents, shown, query) : null;
    if (reason === "") return true;
    shown.token = null;
    // Not within the event of the link.
    setImmediate(() => this._act(contents, shown, action, reason).catch((problem) => {
      console.error("webviewguard: a button does nothing:", problem.message);
    }));
    return true;
  }

  /**
   * If this is what somebody goes on to, `{ from }`, the page that led there; else null. Any other page in its view ends
   * that.
   */
  passes({ id }, url, method, isHop) {
    const pass = this._passes.get(id);
    this._passes.delete(id);
    const isIt = pass !== undefined && pass.isHeard && pass.url === withoutFragment(url) && method === "GET" && !isHop;
    return isIt ? { from: pass.from } : null;
  }

  _begins(contents, url) {
    const pass = this._passes.get(contents.id);
    if (pass !== undefined && pass.url !== withoutFragment(url)) this._passes.delete(contents.id);
    const shown = this._shown.get(contents.id);
    // Somebody came back to one whose buttons were used: what it stands for is asked about anew.
    const isUsed = shown !== undefined && shown.token === null && shown.page === url;
    if (isUsed) setImmediate(() => contents.isDestroyed() || this._load(contents, shown.url));
  }

  /** What the user wrote; empty when nothing was, or no user pressed the button. */
  _reason({ id }, { goesOn }, query) {
    const isUser = Date.now() - (this._pressed.get(id) || 0) < PRESS_MS;
    this._pressed.delete(id);
    const words = (new URLSearchParams(query).get("justification") || "").trim();
    const cut = Buffer.from(words).slice(0, LONGEST_REASON).toString().replace(/\ufffd+$/, "");
    return goesOn && isUser ? cut : "";
  }

  async _act(contents, shown, action, reason) {
    const { url, decision, from, back } = shown;
    if (reason !== null) {
      const pass = { url: withoutFragment(url), from, isHeard: false };
      this._passes.set(contents.id, pass);
      // A daemon that did not hear why is asked anew.
      pass.isHeard = await this._client.acknowledge(decision, "allow", { justification: reason }).catch(() => false);
      // Unless something else began meanwhile.
      if (this._passes.get(contents.id) === pass && !contents.isDestroyed()) this._load(contents, url);
    } else if (action === "retry") {
      this._load(contents, url);
    } else if (action === "back") {
      if (decision.outcome === "warn") await this._client.acknowledge(decision, "block").catch(() => false);
      historyOf(contents).goToOffset(back);
    }
  }

  _show(contents, { url, decision, from, goesOn }, back) {
    if (contents.isDestroyed()) return;
    const token = crypto.randomBytes(16).toString("hex");
    const actions = goesOn ? { continue: `${SCHEME}${token}/continue` } : { retry: `${SCHEME}${token}/retry` };
    // The notice comes one further than where the history is now.
    const isBehind = back === -1 ? contents.getURL() !== "" : historyOf(contents).canGoToOffset(back + 1);
    if (isBehind) actions.back = `${SCHEME}${token}/back`;
    const html = this._write(decision, { url, actions, languages: this._languages, organization: this._organization });
    const page = `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString("base64")}`;
    this._shown.set(contents.id, { url, decision, from, goesOn, token, back, page });
    this._load(contents, page);
  }

  _load(contents, url) {
    contents.loadURL(url).catch(({ code }) => console.warn(`webviewguard: a page does not load: ${code}`));
  }
}

function historyOf(contents) {
  return contents.navigationHistory || contents;
}

/** A fragment is never sent. */
function withoutFragment(url) {
  return url.split("#")[0];
}

module.exports = { Notices };
