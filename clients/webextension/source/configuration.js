// What an administrator may set for the extension's own pages: app configuration of the profile's account.

import { sameAccount } from "./account-names.js";

const LONGEST_TEXT = 300;
const LONGEST_URL = 2048;
// Characters that are not shown, or that turn the text around them: controls, formats, separators of lines.
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Follows the topic `config`. Values are text, may be secrets, and are in no log. */
export class Configuration {
  #account = null;
  /** A line for our own pages; empty for none. */
  banner = "";
  /** Where the button "Home" of our own pages leads; empty for none. */
  homePage = "";

  /** @param {import("./host.js").Host} host @param {import("./settings.js").Settings} settings */
  constructor(host, settings) {
    this.host = host;
    this.settings = settings;
  }

  /** Takes a piece of news, of any topic. Only an enrolled account has values: it may have some since now. */
  async hear(news) {
    const isOwn = sameAccount(news.account, this.settings.account);
    const isAboutIt = isOwn && (news.news === "config" || news.mayWork === true);
    if (isAboutIt || news.news === "missed") await this.read();
  }

  /** Asks for the values. What was read holds while the account has none; of another account nothing stays. */
  async read() {
    const account = this.settings.account ?? "";
    if (!sameAccount(account, this.#account)) this.#take(account, []);
    const reply = account && (await this.host.call("config", { account }))?.reply;
    const [own] = Array.isArray(reply?.accounts) ? reply.accounts : [];
    if (own?.state === "enrolled" && this.settings.account === account) this.#take(account, own.values);
  }

  #take(account, values) {
    this.#account = account;
    this.banner = line(string(values, "banner"));
    this.homePage = page(string(values, "homePage"));
  }
}

/** The string of a key: the first by its entry, of those that target the account, or the default's where none does. */
export function string(values, key) {
  const all = Array.isArray(values) ? values.filter((layer) => layer?.key === key) : [];
  const targeted = all.filter((layer) => layer.default !== true);
  const found = (targeted.length ? targeted : all).find((layer) => typeof layer.text === "string");
  return found?.text ?? "";
}

function line(text) {
  return [...text].length <= LONGEST_TEXT && !UNSHOWN.test(text) ? text : "";
}

// A script's or a file's address is no web page.
function page(url) {
  if (url.length > LONGEST_URL || UNSHOWN.test(url)) return "";
  return URL.canParse?.(url) !== false && /^https?:\/\/[^/]/i.test(url) ? url : "";
}
