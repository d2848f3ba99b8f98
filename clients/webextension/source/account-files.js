// The files that came while an account was shown: remembered from their beginning, handed to the native host when they are
// whole, so that it labels and seals them, and removed with the account.

import { api, succeeds } from "./api.js";

const KEPT = "accountDownloads";
const MOST_KEPT = 1000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
// A long file is sealed as fast as the disk is; a host that dies says so at once.
const STORING_MS = 3_600_000;

/**
 * @typedef {{ id: number, url: string, account: string, owner: string, path: string, since: number, isStored?: boolean }} Kept
 *   `account` is the key of the account that was shown, `owner` the name of the one that the file belongs to; `path` is
 *   empty while the browser has not said where the file goes; `since` is when it began, in milliseconds
 */

/** Every change is on the disk before anything comes of it: whoever is killed in between goes on at the next start. */
export class AccountFiles {
  #edits = Promise.resolve();
  /** The downloads that are being settled. @type {Set<number>} */
  #settling = new Set();
  #pause = FIRST_PAUSE_MS;
  #retry = 0;

  constructor(host) {
    this.host = host;
  }

  /** Remembers a download that was allowed. */
  async keep({ id, filename, startTime }, url, { account, owner }) {
    const since = Date.parse(startTime) || Date.now();
    await this.#edit((kept) => [...kept, { id, url, account, owner, path: filename ?? "", since }].slice(-MOST_KEPT));
  }

  /** Goes on with a download that may be over: one that is whole is stored, one that broke off is removed. Others stay. */
  async settle(id) {
    if (this.#settling.has(id)) return;
    this.#settling.add(id);
    try {
      const [found] = await api.downloads.search({ id }).catch(() => []);
      const entry = entryOf(found, await this.#kept());
      if (!entry) return;
      if (found.state === "interrupted") await this.#drop(entry);
      if (found.state === "complete" && !entry.isStored) await this.#store(entry, found.filename);
    } finally {
      this.#settling.delete(id);
    }
  }

  /** A download of that address broke off, whatever the browser says of it: it goes. Whether there was one. */
  async breakOff(url) {
    const running = await api.downloads.search({ state: "in_progress" }).catch(() => []);
    const kept = await this.#kept();
    const broken = running.filter((found) => addressOf(found) === url);
    const own = broken.map((found) => entryOf(found, kept)).filter(Boolean);
    for (const entry of own) await this.#drop(entry);
    return own.length > 0;
  }

  /** Goes on with all downloads that are not stored yet. */
  async settleAll() {
    const kept = await this.#kept();
    for (const entry of kept.filter(({ isStored }) => !isStored)) {
      const [found] = await api.downloads.search({ id: entry.id }).catch(() => []);
      if (entryOf(found, kept) === entry) await this.settle(entry.id);
      // The browser has forgotten it, as Firefox does at each start: its file lies where it went.
      else if (entry.path && !(await isWritten(entry.path))) await this.#store(entry, entry.path);
    }
  }

  /** Removes the files that came while the account was shown; whether none is left. */
  async remove(account) {
    const all = await this.#kept();
    const own = all.filter((kept) => kept.account === account);
    const left = [];
    for (const entry of own) if (!(await removeFile(entry, all))) left.push(entry);
    await this.#edit((kept) => kept.filter((entry) => !own.some((other) => isSame(other, entry))).concat(left));
    return left.length === 0;
  }

  // A part of a file would lie in plain, and nobody would come for it.
  async #drop(entry) {
    const { id } = entry;
    const [found] = await api.downloads.search({ id }).catch(() => []);
    const current = entryOf(found, await this.#kept());
    // The number may be another download's by now.
    if (!current || !isSame(current, entry)) return this.#forget(entry);
    // Firefox removes the part of a download that is called off, Chromium that of one that is forgotten.
    await succeeds(api.downloads.cancel(id));
    await succeeds(api.downloads.removeFile(id));
    if (await succeeds(api.downloads.erase({ id }))) await this.#forget(entry);
  }

  async #store(entry, path) {
    await this.#change(entry, { path });
    const said = await this.host.call("store", { path, account: entry.owner, since: entry.since }, STORING_MS);
    const result = said?.reply?.result;
    if (result === "stored") {
      this.#pause = FIRST_PAUSE_MS;
      return this.#change(entry, { path: said.reply.path, isStored: true });
    }
    // Somebody moved it or took it away.
    if (result === "gone") return this.#forget(entry);
    // Neither a label nor a seal can keep its owner, or something else lies in its place.
    if (result === "refused") return this.#drop(entry);
    return this.#tryLater();
  }

  #tryLater() {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.settleAll(), this.#pause);
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
  }

  #forget(entry) {
    return this.#edit((kept) => kept.filter((other) => !isSame(other, entry)));
  }

  #change(entry, changes) {
    return this.#edit((kept) => kept.map((other) => (isSame(other, entry) ? { ...other, ...changes } : other)));
  }

  // One after the other: two at once would each write what the other had not.
  #edit(change) {
    this.#edits = this.#edits
      .then(async () => api.storage.local.set({ [KEPT]: change(await this.#kept()) }))
      .catch(() => {});
    return this.#edits;
  }

  /** @returns {Promise<Kept[]>} */
  async #kept() {
    const { [KEPT]: kept } = await api.storage.local.get(KEPT);
    return Array.isArray(kept) ? kept : [];
  }
}

const isSame = (one, other) => one.id === other.id && one.url === other.url && one.since === other.since;
const addressOf = ({ finalUrl, url }) => finalUrl || url;

/**
 * The entry of a download that the browser knows. Numbers come again in a browser that was started anew: the last one counts.
 * @param {Kept[]} kept
 */
function entryOf(found, kept) {
  return found && kept.findLast(({ id, url }) => id === found.id && url === addressOf(found));
}

// Whether the browser still writes a file, or another download's in its place.
async function isWritten(path) {
  const running = await api.downloads.search({ state: "in_progress" }).catch(() => []);
  return running.some(({ filename }) => filename === path);
}

// Whether a file is gone. A number may be another download's by now, or nobody's: then the browser does not say where the file
// lies, and it is not said to be gone.
async function removeFile(entry, kept) {
  const { id } = entry;
  const [found] = await api.downloads.search({ id }).catch(() => []);
  if (!found || entryOf(found, kept) !== entry) return false;
  if (!found.exists) return true;
  const isGone = await succeeds(api.downloads.removeFile(id));
  if (isGone) await api.downloads.erase({ id }).catch(() => {});
  return isGone;
}
