// Questions of the extension's own pages: why something was refused, and how it stands.

import { api } from "./api.js";

/** Answers our own pages, and nobody else: a content script's sender is the page that it runs in. */
export class Pages {
  constructor(parts) {
    this.parts = parts;
  }

  take(message, sender, reply) {
    const isOurs = sender.id === api.runtime.id && sender.url?.startsWith(api.runtime.getURL(""));
    if (!isOurs || typeof message?.page !== "string") return false;
    this.#answer(message).then(reply);
    return true;
  }

  async #answer({ page, token }) {
    const { host, rules, navigation, refusal, settings, accounts, configuration } = this.parts;
    if (page === "account") return this.#account();
    if (page === "signIn") return accounts.signIn();
    if (page === "explain") return refusal.explanation(token);
    if (page === "configuration") return { banner: configuration.banner, homePage: configuration.homePage, accountText: accounts.text };
    if (page === "open") return refusal.openOffered(token);
    const { standing, contract, problem } = host;
    const state = { count: rules.count, isFree: rules.isFree, problem: rules.problem };
    const shown = { mode: navigation.mode, settings, underWay: host.underWay, accountText: accounts.text };
    shown.banner = configuration.banner;
    return { standing, contract, problem, rules: state, ...shown };
  }

  #account() {
    const { settings, accounts, configuration, departure, page } = this.parts;
    const text = [accounts.text, page.text].filter(Boolean).join(" ");
    return { account: settings.account ?? "", isOut: departure.isOut, text, banner: configuration.banner };
  }
}
