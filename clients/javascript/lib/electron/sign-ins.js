"use strict";

// The header of credentials, on requests for sign-in pages and on no others.

const { isCredential, signInCredential } = require("../sign-in");
const { isNamed } = require("./patterns");

// Navigations whose headers have not left yet.
const OPEN_NAVIGATIONS = 64;

/**
 * Stands in the place of a session's `onBeforeSendHeaders`. Electron is asked for it only when a credential is due or
 * the app wants it: until then it costs nothing.
 */
class SignIns {
  constructor(webRequest, credential = signInCredential) {
    this._native = webRequest.onBeforeSendHeaders.bind(webRequest);
    this._credential = credential;
    this._isInstalled = false;
    this._due = new Map();
    this._theirs = { filter: null, listener: null };
    this.onBeforeSendHeaders = (...values) => {
      const listener = values[values.length - 1];
      this._theirs.filter = values.length > 1 ? values[0] : null;
      this._theirs.listener = typeof listener === "function" ? listener : null;
      this._install();
    };
  }

  /** What was decided about a page's request, before its headers are made. */
  decided({ id, url }, decision) {
    this._due.delete(id);
    if (!decision.signIn || !decision.allowed) return;
    this._install();
    this._due.set(id, { url, decision });
    if (this._due.size > OPEN_NAVIGATIONS) this._due.delete(this._due.keys().next().value);
  }

  _install() {
    if (this._isInstalled) return;
    this._isInstalled = true;
    this._native({ urls: ["<all_urls>"] }, (details, callback) => {
      this._asked(details, (answer) => {
        this._finished(details, answer).then(callback, () => callback({ cancel: true }));
      });
    });
  }

  /** The app's own listener comes first, so that it sees no credential and takes none away. */
  _asked(details, answer) {
    const { filter, listener } = this._theirs;
    const clean = { ...details, requestHeaders: without(details.requestHeaders) };
    if (listener !== null && isNamed(filter, details)) listener(clean, answer);
    else answer({});
  }

  async _finished(details, answer = {}) {
    const due = this._due.get(details.id);
    this._due.delete(details.id);
    // The hop of a redirect has the headers of the request before it.
    const headers = without(answer.requestHeaders || details.requestHeaders);
    if (answer.cancel || !due || due.url !== details.url) return { ...answer, requestHeaders: headers };
    const credential = await this._credential(due.decision, due.url);
    if (credential !== null) headers[credential.name] = credential.value;
    return { ...answer, requestHeaders: headers };
  }
}

function without(headers) {
  const kept = {};
  for (const [name, value] of Object.entries(headers || {})) if (!isCredential(name)) kept[name] = value;
  return kept;
}

module.exports = { SignIns };
