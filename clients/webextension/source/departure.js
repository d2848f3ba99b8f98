// An account that had to go from this profile: nothing loads until another is stated, or somebody signs in again.

import { accountKey } from "./account-names.js";
import { textOf } from "./account-texts.js";
import { api } from "./api.js";

const KEPT = "departed";
const REASONS = { notAllowed: "accountNotAllowed", wiped: "accountWiped" };

/**
 * @typedef {{ account: string, why: string, text: string, owesWord: boolean, owesData: boolean }} Departed
 *   what the browser keeps of it: a worker that is killed in the middle goes on. The daemon has still to hear of it
 *   (`owesWord`), what pages keep has still to go (`owesData`).
 */

/** Whether the account of the profile is out, and what is still to do then. */
export class Departure {
  /** @type {Departed | null} */
  #departed = null;

  constructor(settings) {
    this.settings = settings;
  }

  /** Takes up what the browser kept. A note that cannot be read is an account that is out. */
  async restore() {
    const { [KEPT]: kept } = await api.storage.local.get(KEPT);
    this.#departed = kept ? { account: "", why: "", text: "", owesWord: false, owesData: true, ...kept } : null;
  }

  /** Whether nothing may load: also under another account, while the browser has not removed what pages keep. */
  get isOut() {
    return this.#departed !== null && (this.#departed.owesData || !this.#isAnotherStated);
  }

  /** Whether another account is stated, and nothing is left to do for this one. */
  get isPast() {
    const { word, data } = this.owes;
    return this.#departed !== null && this.#isAnotherStated && !word && !data;
  }

  // An account that nobody has stated yet, as just after the browser's start, is no other one.
  get #isAnotherStated() {
    const stated = this.settings.account;
    return stated !== undefined && accountKey(stated) !== this.#departed?.account;
  }

  /** The reason of a refusal, as decisions have it. */
  get reason() {
    return REASONS[this.#departed?.why] ?? "accountBlocked";
  }

  /** The account that is out, by its key. */
  get account() {
    return this.#departed?.account ?? "";
  }

  /** The text for people. */
  get text() {
    return this.#departed?.text || textOf(this.#departed?.why);
  }

  /** The steps that are still to do. */
  get owes() {
    const { owesWord = false, owesData = false } = this.#departed ?? {};
    return { word: owesWord, data: owesData };
  }

  /** The account goes, for a reason: `notAllowed` or `wiped`. */
  begin(why, text, { word, data }) {
    return this.#keep({ account: accountKey(this.settings.account), why, text, owesWord: word, owesData: data });
  }

  /** Something that was to do is done. */
  async settle(done) {
    if (this.#departed) await this.#keep({ ...this.#departed, ...done });
  }

  /** Somebody signed in with it again, or another account is stated. */
  async end() {
    this.#departed = null;
    await api.storage.local.remove(KEPT);
  }

  async #keep(departed) {
    this.#departed = departed;
    await api.storage.local.set({ [KEPT]: departed });
  }
}
