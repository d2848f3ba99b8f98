// Asks about each download, and ends those that are refused. The first bytes may be there before the answer: they go.

import { api, waitsForAnswers } from "./api.js";
import { isAllowed } from "./decisions.js";
import { viewerOf } from "./viewers.js";

/** The guard of downloads. */
export class Downloads {
  constructor(host, viewers, notice, accounts) {
    this.host = host;
    this.accounts = accounts;
    this.viewers = viewers;
    this.notice = notice;
  }

  listen() {
    api.downloads.onCreated.addListener((download) => this.#judge(download));
    api.downloads.onChanged.addListener(({ id, state }) => {
      if (state?.current === "interrupted") this.accounts.dropBroken(id);
    });
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
      await this.accounts.keepDownload(download.id, url);
      await api.downloads.resume(download.id).catch(() => {});
      // It may have broken off before it was known whose it is.
      return void (await this.accounts.dropBroken(download.id));
    }
    await api.downloads.cancel(download.id).catch(() => {});
    await api.downloads.removeFile(download.id).catch(() => {});
    await api.downloads.erase({ id: download.id }).catch(() => {});
    if (tab !== undefined) this.notice.show(tab, "download", decision);
  }
}
