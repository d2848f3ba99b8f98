// Tabs are the viewers: each is registered before anything is asked about it, with the tab that opened it.

import { api } from "./api.js";

export const viewerOf = (/** @type {number} */ tab) => `tab-${tab}`;
const windowOf = (/** @type {number} */ window) => `window-${window}`;

/** The tabs of this profile, and what each shows. */
export class Viewers {
  /** @type {Map<number, { opener?: number, window: number, document?: string, isPrivate?: boolean }>} */
  #tabs = new Map();
  /** Whether documents may be told: not before it is known whether any protection binds the account. */
  #tellsDocuments = false;

  constructor(host, settings, rules) {
    this.host = host;
    this.settings = settings;
    this.rules = rules;
  }

  /** @param {(tab: number) => void} closed hears of a tab that is gone, before the daemon forgets it */
  listen(closed) {
    api.tabs.onRemoved.addListener(closed);
    api.tabs.onCreated.addListener((tab) => this.#add(tab));
    api.tabs.onRemoved.addListener((tab) => this.#forget(tab));
    api.tabs.onReplaced.addListener((added, removed) => this.#replace(added, removed));
    const shows = (details) => details.frameId === 0 && this.#shows(details.tabId, details.url);
    api.webNavigation.onCommitted.addListener(shows);
    api.webNavigation.onHistoryStateUpdated.addListener(shows);
    api.webNavigation.onReferenceFragmentUpdated.addListener(shows);
  }

  /** Learns which tabs there are; the host is told by `tellAll`. */
  async find() {
    for (const tab of await api.tabs.query({})) this.#know(tab);
  }

  /** Tells a host that was started anew which tabs there are. */
  async tellAll() {
    this.#tellsDocuments = false;
    for (const tab of this.#tabs.keys()) await this.#tell(tab);
  }

  /**
   * Tells what each tab shows, once the rules are known. Nothing is told where no protection binds the account, and nothing
   * ever of private windows: their documents would only serve rules that compare with them, which are then strict.
   */
  async tellDocuments() {
    const were = this.#tellsDocuments;
    this.#tellsDocuments = !this.rules.isFree;
    if (were || !this.#tellsDocuments) return;
    for (const tab of this.#tabs.keys()) await this.#tellDocument(tab);
  }

  /** The page that a tab shows. */
  document(tab) {
    return this.#tabs.get(tab)?.document;
  }

  /** The tab that opened another. */
  opener(tab) {
    return this.#tabs.get(tab)?.opener;
  }

  /** A tab that shows the page, else any that is known. */
  showing(url) {
    const found = [...this.#tabs].find(([, entry]) => url && entry.document === url);
    return found?.[0] ?? this.#tabs.keys().next().value;
  }

  /** Whether the tab shows a page of the web. */
  showsPage(tab) {
    return /^https?:/.test(this.document(tab) ?? "");
  }

  /** Makes a tab known before a question about it: requests may come before the tab is announced. */
  async ensure(tab) {
    if (!this.#tabs.has(tab)) this.#know(await api.tabs.get(tab).catch(() => ({ id: tab, windowId: -1 })));
    await this.#tabs.get(tab)?.told;
  }

  #know(tab) {
    if (tab.id === undefined || tab.id < 0) return;
    const known = this.#tabs.get(tab.id);
    const isPrivate = tab.incognito ?? known?.isPrivate;
    const entry = { window: tab.windowId, opener: tab.openerTabId ?? known?.opener, isPrivate };
    this.#tabs.set(tab.id, { ...known, ...entry, document: known?.document ?? (tab.url || undefined) });
  }

  #add(tab) {
    this.#know(tab);
    const entry = this.#tabs.get(tab.id);
    if (entry) entry.told = this.host.ready().then(() => this.#tell(tab.id));
  }

  #tell(tab) {
    const { opener, window } = this.#tabs.get(tab) ?? {};
    const kind = opener === undefined ? undefined : "popup";
    const members = { viewer: viewerOf(tab), class: this.settings.class, kind };
    if (window !== undefined && window >= 0) members.window = windowOf(window);
    if (opener !== undefined && this.#tabs.has(opener)) members.opener = viewerOf(opener);
    return this.host.call("registerViewer", members);
  }

  async #tellDocument(tab) {
    const { document, isPrivate } = this.#tabs.get(tab) ?? {};
    if (!this.#tellsDocuments || isPrivate || !/^https?:/.test(document ?? "")) return;
    await this.host.call("setDocument", { viewer: viewerOf(tab), document });
  }

  #shows(tab, url) {
    const entry = this.#tabs.get(tab);
    if (!entry || entry.document === url) return;
    entry.document = url;
    this.#tellDocument(tab);
  }

  #forget(tab) {
    if (this.#tabs.delete(tab)) this.host.call("forgetViewer", { viewer: viewerOf(tab) });
  }

  #replace(added, removed) {
    const entry = this.#tabs.get(removed);
    this.#forget(removed);
    if (entry) this.#tabs.set(added, entry);
    this.#add({ id: added, windowId: entry?.window ?? -1 });
  }
}
