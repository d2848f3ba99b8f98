// An account's remains in this profile: its pages, what they keep, and the files that came while it was shown.

import { api, waitsForAnswers } from "./api.js";

// The data that pages keep in a profile, and that it remembers of them. Firefox refuses words that it does not know.
const CHROMIUM_ONLY = waitsForAnswers ? {} : { cacheStorage: true, fileSystems: true };
const DATA = {
  cache: true, cookies: true, formData: true, history: true, indexedDB: true, localStorage: true, serviceWorkers: true,
  ...CHROMIUM_ONLY,
};
const KEPT = "accountDownloads";
const MOST_KEPT = 1000;
// A page may ask its user whether it shall be left. Nobody waits for the answer.
const LEAVING_MS = 5000;

/** Whether a promise came to an end that is no error. */
const succeeds = (promise) =>
  promise.then(
    () => true,
    () => false,
  );

/** The account's data. An account is given by its key. */
export class Remains {
  /** Remembers that a download was allowed while the account was shown. */
  async keepDownload(id, url, account) {
    const kept = await this.#kept();
    kept.push({ id, url, account });
    await api.storage.local.set({ [KEPT]: kept.slice(-MOST_KEPT) });
  }

  /** Whether `removeSites` reaches all places of a profile. Firefox leaves what pages keep in `caches` and in their files. */
  reachesAll = !waitsForAnswers;

  /** Removes what came of a download that was allowed while an account was shown, and broke off. Others stay. */
  async dropBroken(id) {
    const [found] = await api.downloads.search({ id }).catch(() => []);
    const isOwn = ({ id: other, url }) => other === id && url === (found.finalUrl || found.url);
    if (found?.state !== "interrupted" || !(await this.#kept()).some(isOwn)) return;
    // Firefox removes the part of a download that is called off, Chromium that of one that is forgotten.
    await succeeds(api.downloads.cancel(id));
    await succeeds(api.downloads.removeFile(id));
    if (!(await succeeds(api.downloads.erase({ id })))) return;
    const left = (await this.#kept()).filter((kept) => !isOwn(kept));
    await api.storage.local.set({ [KEPT]: left });
  }

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

  /** Removes the files that came while the account was shown; whether none is left. */
  async removeFiles(account) {
    const kept = await this.#kept();
    const left = kept.filter((download) => download.account !== account);
    for (const download of kept.filter((other) => other.account === account)) {
      if (!(await removeFile(download))) left.push(download);
    }
    await api.storage.local.set({ [KEPT]: left });
    return !left.some((download) => download.account === account);
  }

  async #kept() {
    const { [KEPT]: kept } = await api.storage.local.get(KEPT);
    return Array.isArray(kept) ? kept : [];
  }
}

// A page that would ask whether it may be left is told not to. One that is put away first asks nobody either; that is no
// tab in front, and not in Firefox.
async function closeTab(id) {
  await succeeds(api.tabs.sendMessage(id, { going: true }));
  const away = waitsForAnswers ? undefined : await api.tabs.discard(id).catch(() => undefined);
  await succeeds(api.tabs.remove(away?.id ?? id));
}

// Whether a file is gone. A number may be another download's by now, whose address is another, or nobody's: then the
// browser does not say where the file lies, and it is not said to be gone.
async function removeFile({ id, url }) {
  const [found] = await api.downloads.search({ id }).catch(() => []);
  if (!found || (found.finalUrl || found.url) !== url) return false;
  if (!found.exists) return true;
  const isGone = await succeeds(api.downloads.removeFile(id));
  if (isGone) await api.downloads.erase({ id }).catch(() => {});
  return isGone;
}
