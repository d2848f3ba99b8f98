// The account that this browser profile shows: it is registered, told why it may not work, signed out and wiped.

import { accountKey, sameAccount } from "./account-names.js";
import { complianceText, switchText, textOf } from "./account-texts.js";
import { api } from "./api.js";

// The account that was registered last, by its key.
const STATED = "statedAccount";
const WORKING = new Set(["enrolled", "unmanaged"]);

/**
 * Obeys the news of the account that the administrator set for this profile.
 *
 * @typedef {{ host: import("./host.js").Host, settings: import("./settings.js").Settings,
 *   departure: import("./departure.js").Departure, remains: import("./remains.js").Remains,
 *   files: import("./account-files.js").AccountFiles,*   page: import("./account-page.js").AccountPage, close: () => Promise<void> }} Parts
 *   `close` has the browser's own rules follow whether anything may load
 */
export class Accounts {
  #standing = "";
  /** The account that this was heard of, and what the daemon calls it: it may be set by its object id. */
  #account = "";
  #name = "";
  /** One after the other: a wipe in the middle of a sign-out would leave half of both. */
  #turn = Promise.resolve();

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /** What people are told of the account; empty while it may work. */
  get text() {
    const { departure } = this.parts;
    return departure.isOut ? departure.text : this.#standing;
  }

  /** Takes a piece of news, of any topic. */
  hear(news) {
    return this.#inTurn(() => this.#take(news));
  }

  /** Asks how the account stands, at the beginning and when news may be lost; registers and states it. */
  lookAgain() {
    return this.#inTurn(() => this.#look());
  }

  /** Somebody wants to sign in with the account again; whether it may work now. */
  signIn() {
    return this.#inTurn(async () => {
      const { departure, settings } = this.parts;
      if (!departure.isOut || !settings.account) return this.text === "";
      await this.#goOn();
      if (departure.owes.word || departure.owes.data) return false;
      const state = await this.#register();
      if (!WORKING.has(state)) return false;
      await this.#end();
      await this.#state();
      return true;
    });
  }

  /** Remembers that a download was allowed while this account was shown. `owner` is the account that its file belongs to. */
  async keepDownload(download, url, owner) {
    const { settings, files } = this.parts;
    if (settings.account) await files.keep(download, url, { account: accountKey(settings.account), owner });
  }

  #inTurn(step) {
    const result = this.#turn.then(step);
    this.#turn = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  #isOwn(name) {
    return sameAccount(name, this.parts.settings.account) || (this.#name !== "" && sameAccount(name, this.#name));
  }

  async #take(news) {
    if (news.news === "missed" || (news.news === "connection" && news.standing?.isConnected)) return this.#look();
    if (news.news === "wipe") return this.#wipe(news);
    if (news.news === "identity") return this.#switch(news);
    if (news.news === "allowedAccounts") return this.#obeyAllowed();
    // The news of an account that is out change nothing: what is owed to the daemon is done already.
    if (!this.#isOwn(news.account) || this.parts.departure.isOut) return undefined;
    if (news.news === "compliance") this.#standing = complianceText(news);
    if (news.news !== "account" && news.news !== "enrollment") return undefined;
    this.#stand(news.life ?? news.state, news.mayWork === true);
    // The host does not repeat a statement that was refused.
    return news.mayWork === true ? this.#state() : undefined;
  }

  async #look() {
    const { host, settings, departure } = this.parts;
    if (settings.account !== this.#account) [this.#account, this.#name, this.#standing] = [settings.account, "", ""];
    await this.#goOn();
    if (departure.isPast) await this.#end();
    if (settings.account === undefined || departure.isOut) return;
    const listed = (await host.call("accounts"))?.reply?.accounts;
    if (settings.account !== "" && Array.isArray(listed)) {
      const own = listed.find((account) => this.#isOwn(account.account));
      if (own) this.#stand(own.state, WORKING.has(own.state));
      if (!own || own.state === "policyRequired" || (await this.#isNew())) await this.#register();
    }
    await this.#state();
    await this.#obeyAllowed();
  }

  // Whether the administrator states the account since now: that is a sign-in, also after an earlier sign-out.
  async #isNew() {
    const { [STATED]: stated } = await api.storage.local.get(STATED);
    return stated !== accountKey(this.parts.settings.account);
  }

  async #register() {
    const { host, settings } = this.parts;
    const reply = (await host.call("register", { account: settings.account }))?.reply;
    if (typeof reply?.state !== "string") return "";
    if (typeof reply.account === "string") this.#name = reply.account;
    this.#stand(reply.state, WORKING.has(reply.state));
    await api.storage.local.set({ [STATED]: accountKey(settings.account) });
    return reply.state;
  }

  // An account that is out is stated to nobody.
  async #state() {
    const { host, settings, departure } = this.parts;
    if (!departure.isOut && settings.account !== undefined) await host.call("identity", { account: settings.account });
  }

  #stand(state, mayWork) {
    this.#standing = mayWork ? "" : textOf(state);
  }

  // Other accounts than this one are other profiles' matter.
  async #obeyAllowed() {
    const { host, settings, departure } = this.parts;
    if (!settings.account || departure.isOut) return;
    const strangers = (await host.call("allowedAccounts"))?.reply?.mustSignOut;
    if (!Array.isArray(strangers) || !strangers.some((name) => this.#isOwn(name))) return;
    // The organisation's words, in the user's language.
    const text = (await host.call("maySignIn", { account: settings.account }))?.reply?.text;
    await departure.begin("notAllowed", typeof text === "string" ? text : "", { word: true, data: true });
    await this.#goOn();
  }

  // From now on nothing loads, and a page says why.
  async #leave() {
    const { page, close, remains } = this.parts;
    await close();
    await remains.closePages(await page.show());
  }

  // A worker that was killed may have left it to do, or a daemon that was away.
  async #goOn() {
    const { host, departure, remains, files } = this.parts;
    const { word, data } = departure.owes;
    if (data) await this.#leave();
    if (word) {
      const answer = await host.call("deregister", { account: departure.account });
      // A daemon that does not know the account any more has nothing to end.
      if (answer && answer.error !== "noAnswer") await departure.settle({ owesWord: false });
    }
    // Files go first: Firefox forgets finished downloads together with the history, and then cannot remove their files.
    if (data && departure.reason === "accountWiped") await files.remove(departure.account);
    if (data && (await remains.removeSites())) await departure.settle({ owesData: false });
  }

  // Until the account is stated, the daemon refuses what the browser's rules let pass by then.
  async #end() {
    await this.parts.departure.end();
    await this.parts.close();
  }

  // No extension can show another profile. Asked for its own account, it has shown it all along.
  async #switch({ account, request }) {
    if (typeof request !== "string" || typeof account !== "string") return;
    const { host, settings, page } = this.parts;
    const isOwn = account !== "" && this.#isOwn(account);
    await host.call("answer", { request, result: isOwn && this.text === "" ? "success" : "failed" });
    // The account that is shown may not work: its own text says why.
    const isStopped = account === "" && this.text !== "";
    if (!isOwn && !isStopped) await page.show(switchText(account, settings.account ?? ""));
  }

  // A wipe of another account is none of this profile's: another profile has it, or nobody.
  async #wipe({ account, request }) {
    if (typeof request !== "string") return;
    const isOwn = account !== "" && this.#isOwn(account);
    const result = !isOwn ? "refused" : (await this.#remove()) ? "done" : "failed";
    await this.parts.host.call("complete", { request, result });
  }

  // Whether nothing is left: what pages kept, and the files that came while this account was shown.
  async #remove() {
    const { departure, remains, files } = this.parts;
    await departure.begin("wiped", "", { word: false, data: true });
    await this.#goOn();
    const areGone = await files.remove(departure.account);
    return areGone && remains.reachesAll && !departure.owes.data;
  }
}
