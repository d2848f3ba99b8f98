// The account that this browser profile shows: why it may not work, and what a wipe of it takes.

import { api } from "./api.js";

// What people read when the daemon brings no text of its own.
const TEXTS = {
  blocked: "Your organization blocked this account. Ask your administrator.",
  nonCompliant: "This computer does not meet your organization's conditions. Ask your administrator.",
  policyRequired: "Sign in with this account again.",
  notAllowed: "This program does not accept this account. Sign in with another one.",
  notChecked: "This computer was not checked for some time. Connect it to your organization. Nothing was deleted.",
  locked: "Unlock this account first.",
  suspended: "This account is signed out.",
  wipePending: "Your organization will remove its data of this account here. A mistake? Ask your administrator.",
  wiped: "Your organization removed its data of this account here.",
};
const OTHER_TEXT = "This account may not be used at the moment. Try again, or ask your administrator.";

// What pages keep in a profile, and what it remembers of them.
const DATA = { cache: true, cookies: true, formData: true, history: true, indexedDB: true, localStorage: true };
const KEPT = "accountDownloads";
const MOST_KEPT = 1000;

const GUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const HOME = new RegExp(`^(${GUID})\\.${GUID}$`, "i");

/** What a name is compared by: without the case of ASCII; of `ObjectId.TenantId` the object id. */
export function accountKey(name) {
  const own = HOME.exec(name)?.[1] ?? name;
  return own.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether two names are of one account; what is no text names none. */
export function sameAccount(one, other) {
  return typeof one === "string" && typeof other === "string" && accountKey(one) === accountKey(other);
}

/** Obeys the news of the account that the administrator set for this profile. */
export class Accounts {
  /** What people are told of the account; empty while it may work. */
  text = "";

  /** @param {import("./host.js").Host} host @param {import("./settings.js").Settings} settings */
  constructor(host, settings) {
    this.host = host;
    this.settings = settings;
  }

  /** Takes a piece of news, of any topic. */
  async hear(news) {
    if (news.news === "missed") return this.lookAgain();
    if (news.news === "wipe") return this.#wipe(news);
    if (!sameAccount(news.account, this.settings.account)) return undefined;
    if (news.news === "account" || news.news === "enrollment") {
      this.#stand(news.life ?? news.state, news.mayWork === true);
    } else if (news.news === "compliance") {
      const words = [news.title, news.text].filter((word) => typeof word === "string" && word !== "");
      this.text = news.status === "compliant" ? "" : words.join(" ") || OTHER_TEXT;
    }
    return undefined;
  }

  /** Asks how the account stands, at the beginning and when news may be lost. */
  async lookAgain() {
    const reply = (await this.host.call("accounts"))?.reply;
    const own = reply?.accounts?.find((account) => sameAccount(account.account, this.settings.account));
    if (own) this.#stand(own.state, own.state === "enrolled" || own.state === "unmanaged");
  }

  /** Remembers that a download was allowed while this account was shown. */
  async keepDownload(id, url) {
    const account = this.settings.account;
    if (!account) return;
    const kept = await this.#kept();
    kept.push({ id, url, account: accountKey(account) });
    await api.storage.local.set({ [KEPT]: kept.slice(-MOST_KEPT) });
  }

  #stand(state, mayWork) {
    this.text = mayWork ? "" : (TEXTS[state] ?? OTHER_TEXT);
  }

  // A wipe of another account is none of this profile's: another profile has it, or nobody.
  async #wipe({ account, request }) {
    if (typeof request !== "string") return;
    const isOwn = account !== "" && sameAccount(account, this.settings.account);
    const result = !isOwn ? "refused" : (await this.#remove(accountKey(account))) ? "done" : "failed";
    await this.host.call("complete", { request, result });
  }

  // Whether nothing is left: what pages kept, and the files that came while this account was shown.
  async #remove(key) {
    const whole = await api.browsingData.remove({}, DATA).then(
      () => true,
      () => false,
    );
    const kept = await this.#kept();
    const left = kept.filter((download) => download.account !== key);
    for (const download of kept.filter((other) => other.account === key)) {
      if (!(await removeFile(download))) left.push(download);
    }
    await api.storage.local.set({ [KEPT]: left });
    return whole && !left.some((download) => download.account === key);
  }

  async #kept() {
    const { [KEPT]: kept } = await api.storage.local.get(KEPT);
    return Array.isArray(kept) ? kept : [];
  }
}

// Whether a file is gone. A number may be another download's by now, whose address is another, or nobody's: then the
// browser does not say where the file lies, and it is not said to be gone.
async function removeFile({ id, url }) {
  const [found] = await api.downloads.search({ id }).catch(() => []);
  if (!found || (found.finalUrl || found.url) !== url) return false;
  if (!found.exists) return true;
  const isGone = await api.downloads.removeFile(id).then(
    () => true,
    () => false,
  );
  if (isGone) await api.downloads.erase({ id }).catch(() => {});
  return isGone;
}
