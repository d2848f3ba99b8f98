// What the user sees of a refusal: the managed browser opens, or a page names rule and reason.

import { api } from "./api.js";
import { opensNow } from "./decisions.js";

const MOST_EXPLANATIONS = 100;
// So long after it was asked for, a frame that may not load is still recognised.
const FRAME_MS = 30_000;

/** Shows refusals, and keeps what their pages may say. */
export class Refusal {
  /** @type {Map<string, any>} */
  #explanations = new Map();

  /** Frames that may not show what they were asked to: tab and URL. @type {Set<string>} */
  #frames = new Set();

  constructor(host, viewers) {
    this.host = host;
    this.viewers = viewers;
  }

  listen() {
    api.webNavigation.onCommitted.addListener((details) => this.#frameShows(details));
  }

  /**
   * Carries out a refusal of a page or frame.
   * @param {boolean} stays whether the request was cancelled, so that the tab still shows what it showed
   */
  async refuse(request, decision, stays) {
    const opens = opensNow(decision);
    if (opens) this.host.call("open", { decision: decision.id });
    if (request.tabId < 0) return;
    if (request.type !== "main_frame") return void (stays || this.#emptyFrames(request));
    const isElsewhere = decision.outcome === "redirect" || decision.outcome === "handOff";
    if (stays && isElsewhere && this.viewers.showsPage(request.tabId)) return;
    await this.#showPage(request, decision);
  }

  /** What a page of ours may show; only our own pages can ask. */
  explanation(token) {
    return this.#explanations.get(token) ?? null;
  }

  /** Opens what a block offered; the user asked for it on our page. */
  async openOffered(token) {
    const explanation = this.#explanations.get(token);
    if (!explanation?.decision.open) return false;
    const reply = await this.host.call("open", { decision: explanation.decision.id });
    return Boolean(reply?.reply);
  }

  async #showPage(request, decision) {
    const token = crypto.randomUUID();
    if (this.#explanations.size >= MOST_EXPLANATIONS) this.#explanations.delete(this.#explanations.keys().next().value);
    this.#explanations.set(token, { url: request.url, decision });
    try {
      // Not behind a `#`: where such a page is shown already, only a new query makes the browser load it anew.
      await api.tabs.update(request.tabId, { url: `${api.runtime.getURL("blocked.html")}?${token}` });
    } catch {
      // The tab was closed meanwhile.
    }
  }

  // No extension can stop a frame in time where the browser does not wait: what it shows is taken away, now or when it
  // is shown. The request of an `<object>` says the frame around it, so its frame is known by its URL only.
  #emptyFrames({ tabId, url }) {
    const key = `${tabId} ${url}`;
    this.#frames.add(key);
    setTimeout(() => this.#frames.delete(key), FRAME_MS);
    api.webNavigation.getAllFrames({ tabId }).then((frames) => {
      for (const frame of frames ?? []) this.#frameShows({ ...frame, tabId });
    });
  }

  #frameShows({ tabId, frameId, url }) {
    if (frameId !== 0 && this.#frames.has(`${tabId} ${url}`)) this.#empty(tabId, frameId);
  }

  async #empty(tabId, frameId) {
    const leave = () => location.replace("about:blank");
    try {
      const target = { tabId, frameIds: [frameId] };
      await api.scripting.executeScript({ target, func: leave, injectImmediately: true });
    } catch {
      // The frame is gone, or shows an error page.
    }
  }
}
