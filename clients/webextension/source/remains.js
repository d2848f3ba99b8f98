// An account's remains in this profile: its pages, and what they keep.

import { api, succeeds, waitsForAnswers } from "./api.js";

// The data that pages keep in a profile, and that it remembers of them. Firefox refuses words that it does not know.
const CHROMIUM_ONLY = waitsForAnswers ? {} : { cacheStorage: true, fileSystems: true };
const DATA = {
  cache: true, cookies: true, formData: true, history: true, indexedDB: true, localStorage: true, serviceWorkers: true,
  ...CHROMIUM_ONLY,
};
// A page may ask its user whether it shall be left. Nobody waits for the answer.
const LEAVING_MS = 5000;

/** The account's data. An account is given by its key. */
export class Remains {
  /** Whether `removeSites` reaches all places of a profile. Firefox leaves what pages keep in `caches` and in their files. */
  reachesAll = !waitsForAnswers;

  /**
   * Closes all pages but our own, and stops what is under way: a page that is open could keep its data anew.
   * @param {number | undefined} except a tab of ours that may not show its page yet
   */
  async closePages(except) {
    const own = api.runtime.getURL("");
    const isOther = ({ id, url, pendingUrl }) => id !== except && !(pendingUrl || url)?.startsWith(own);
    const ids = (await api.tabs.query({})).filter(isOther).map((tab) => tab.id);
    const closing = ids.map((id) => closeTab(id));
    await Promise.race([Promise.all(closing), new Promise((resolve) => setTimeout(resolve, LEAVING_MS))]);
    const begun = await api.downloads.search({ state: "in_progress" }).catch(() => []);
    await Promise.all(begun.map(({ id }) => succeeds(api.downloads.cancel(id))));
  }

  /** Removes what pages keep; whether the browser did. */
  removeSites() {
    return succeeds(api.browsingData.remove({}, DATA));
  }
}

// A page that would ask whether it may be left is told not to. One that is put away first asks nobody either; that is no
// tab in front, and not in Firefox.
async function closeTab(id) {
  await succeeds(api.tabs.sendMessage(id, { going: true }));
  const away = waitsForAnswers ? undefined : await api.tabs.discard(id).catch(() => undefined);
  await succeeds(api.tabs.remove(away?.id ?? id));
}
