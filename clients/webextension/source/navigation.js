// Asks before pages and frames load, hops included, and carries out what is answered.

import { api, waitsForAnswers } from "./api.js";
import { isAllowed } from "./decisions.js";
import { viewerOf } from "./viewers.js";

// What `<object>` and `<embed>` load is a frame when it is a page, which only its reply tells.
const FRAMES = { urls: ["http://*/*", "https://*/*"], types: ["main_frame", "sub_frame", "object"] };
const EVERYTHING = { urls: ["<all_urls>"] };
// What a browser says when a rule of ours stopped a request: Chromium, then Firefox.
const STOPPED_BY_RULE = /ERR_BLOCKED_BY_CLIENT|NS_ERROR_ABORT|NS_BINDING_ABORTED|NS_ERROR_BLOCKED_BY_POLICY/;

/** The guard of pages and frames. `mode` says how well it can: `promise`, `rules` or `race`. */
export class Navigation {
  mode = "race";
  /** The URL that led to the next hop of each request. @type {Map<string, string>} */
  #hops = new Map();
  /** The request that each tab made last for a page: what is answered later about another is no news. */
  #latest = new Map();
  /** The URL that each request was asked about last, so that its end is no news. @type {Map<string, string>} */
  #asked = new Map();

  constructor(host, viewers, rules, refusal) {
    this.host = host;
    this.viewers = viewers;
    this.rules = rules;
    this.refusal = refusal;
  }

  listen() {
    const requests = api.webRequest;
    this.mode = waitsForAnswers ? "promise" : "race";
    if (waitsForAnswers) {
      requests.onBeforeRequest.addListener((request) => this.#answer(request), FRAMES, ["blocking"]);
    } else {
      requests.onBeforeRequest.addListener((request) => this.#race(request), FRAMES);
      this.#listenForRules(requests);
    }
    api.tabs.onRemoved.addListener((tab) => this.#latest.delete(tab));
    requests.onBeforeRedirect.addListener((request) => this.#hops.set(request.requestId, request.url), FRAMES);
    requests.onCompleted.addListener((request) => this.#ended(request), FRAMES);
    requests.onErrorOccurred.addListener((request) => this.#failed(request), FRAMES);
  }

  // Only an extension that a policy installed may block, and then only by what it knows at once.
  async #listenForRules(requests) {
    const { installType } = await api.management.getSelf();
    if (installType !== "admin") return;
    const isStopped = (request) => this.rules.table.blocks(request) && !this.rules.passes(request);
    const stop = (request) => (isStopped(request) ? { cancel: true } : {});
    requests.onBeforeRequest.addListener(stop, EVERYTHING, ["blocking"]);
    this.mode = "rules";
  }

  // Firefox waits: nothing is sent before the answer.
  async #answer(request) {
    const decision = await this.#ask(request);
    if (isAllowed(decision)) return {};
    // Not awaited: the tab is told while the request is being cancelled.
    this.refusal.refuse(request, decision, true);
    return { cancel: true };
  }

  // Chromium goes on meanwhile: the page may be requested, and even be shown, before the answer takes it away.
  async #race(request) {
    const decision = await this.#ask(request);
    if (!isAllowed(decision) && this.#isLatest(request)) await this.refusal.refuse(request, decision, false);
  }

  // The user may have gone elsewhere meanwhile.
  #isLatest({ type, tabId, requestId }) {
    return type !== "main_frame" || this.#latest.get(tabId) === requestId;
  }

  async #ask(request) {
    this.#asked.set(request.requestId, request.url);
    if (request.type === "main_frame") this.#latest.set(request.tabId, request.requestId);
    const from = this.#from(request);
    const isHop = this.#hops.delete(request.requestId);
    // What happens in no tab, such as a page that is loaded in advance, is judged as an unknown viewer's.
    if (request.tabId >= 0) await this.viewers.ensure(request.tabId);
    return this.host.ask("navigate", {
      ...(request.tabId >= 0 ? { viewer: viewerOf(request.tabId) } : {}),
      url: request.url,
      frame: frameOf(request),
      method: request.method,
      ...(from ? { from } : {}),
      ...(isHop ? { hop: true } : {}),
    });
  }

  /** The hop before, else the page that asked: by its URL where the browser says it, else by its origin. */
  #from(request) {
    const hop = this.#hops.get(request.requestId);
    if (hop) return hop;
    const origin = request.originUrl ?? request.initiator;
    if (!/^https?:/.test(origin ?? "")) return undefined;
    const shown = this.viewers.document(request.tabId) ?? this.viewers.document(this.viewers.opener(request.tabId));
    return shown && originOf(shown) === originOf(origin) ? shown : new URL(origin).href;
  }

  // A rule of ours stopped it before anybody was asked: the daemon says why, and whether it opens elsewhere.
  async #failed(request) {
    const wasAsked = this.#ended(request);
    if (wasAsked || !STOPPED_BY_RULE.test(request.error) || !this.rules.table.blocks(request)) return;
    const decision = await this.#ask(request);
    this.#ended(request);
    if (!this.#isLatest(request)) return;
    if (!isAllowed(decision)) await this.refusal.refuse(request, decision, false);
    else if (!decision.isLocal) await this.#letPass(request);
  }

  // The daemon's word goes before the rules, which know no exceptions that were made since. A body is gone, so a form is not
  // sent again.
  async #letPass({ type, method, tabId, url }) {
    if (type !== "main_frame" || method !== "GET" || this.rules.passes({ tabId, type, url })) return;
    await this.rules.letPass(tabId, url);
    await api.tabs.update(tabId, { url }).catch(() => {});
  }

  #ended(request) {
    if (this.rules.passes(request)) this.rules.end(request.tabId);
    this.#hops.delete(request.requestId);
    const wasAsked = this.#asked.get(request.requestId) === request.url;
    this.#asked.delete(request.requestId);
    return wasAsked;
  }
}

const frameOf = (request) => (request.type === "main_frame" ? "main" : "sub");

function originOf(url) {
  try {
    return new URL(url).origin;
  } catch {
    return "";
  }
}
