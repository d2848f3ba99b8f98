// Asks about each download, and ends those that are refused. The first bytes may be there before the answer: they go.

import { api, waitsForAnswers } from "./api.js";
import { isAllowed } from "./decisions.js";
import { storedName } from "./readable.js";
import { viewerOf } from "./viewers.js";

const ANYTHING = { urls: ["http://*/*", "https://*/*"] };
const MOST_BROKEN = 100;

/** The guard of downloads. */
export class Downloads {
  /** Addresses whose last request broke off, the latest at the end. @type {Set<string>} */
  #broken = new Set();

  constructor(host, viewers, notice, accounts, files) {
    this.host = host;
    this.accounts = accounts;
    this.files = files;
    this.viewers = viewers;
    this.notice = notice;
  }

  listen() {
    api.downloads.onCreated.addListener((download) => this.#judge(download));
    api.downloads.onChanged.addListener(({ id, state }) => state && this.files.settle(id));
    // Firefox has no such event, and leaves none of these letters in a name.
    api.downloads.onDeterminingFilename?.addListener(({ filename }, suggest) => suggest(named(filename)));
    if (waitsForAnswers) this.#listenForBreaks(api.webRequest);
  }

  // Firefox says nothing of a download whose connection broke off before it had begun to show it: it opens a window that
  // tells the person, and keeps the part and an empty file until somebody closes that.
  #listenForBreaks(requests) {
    requests.onResponseStarted.addListener(({ url }) => this.#broken.delete(url), ANYTHING);
    requests.onErrorOccurred.addListener(async ({ url }) => {
      this.#broken.delete(url);
      this.#broken.add(url);
      if (this.#broken.size > MOST_BROKEN) this.#broken.delete(this.#broken.values().next().value);
      await this.#endBroken(url);
    }, ANYTHING);
  }

  async #endBroken(url) {
    if (this.#broken.has(url) && (await this.files.breakOff(url))) this.#broken.delete(url);
  }

  // The browser does not say which tab it comes from. All tabs show one account under one class, so that any will do;
  // the one whose page leads there is the likeliest.
  async #judge(download) {
    const url = download.finalUrl || download.url;
    const tab = this.viewers.showing(download.referrer);
    // Firefox ends a paused download for good, where the site cannot go on in its middle.
    if (!waitsForAnswers) await api.downloads.pause(download.id).catch(() => {});
    const decision = await this.host.ask("download", { url, ...(tab === undefined ? {} : { viewer: viewerOf(tab) }) });
    if (isAllowed(decision)) {
      // Before it goes on, so that a wipe finds it however soon it comes.
      await this.accounts.keepDownload(download, url, decision.setOwner ?? "");
      await api.downloads.resume(download.id).catch(() => {});
      // It may be over before it was known whose it is.
      await this.files.settle(download.id);
      return void (await this.#endBroken(url));
    }
    await api.downloads.cancel(download.id).catch(() => {});
    await api.downloads.removeFile(download.id).catch(() => {});
    await api.downloads.erase({ id: download.id }).catch(() => {});
    if (tab !== undefined) this.notice.show(tab, "download", decision);
  }
}

// What Chromium shall call a file that a site named: nothing where its own name will do.
function named(filename) {
  const safe = storedName(filename);
  return safe === filename ? undefined : { filename: safe, conflictAction: "uniquify" };
}
