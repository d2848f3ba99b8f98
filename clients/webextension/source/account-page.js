// The page about the profile's account: why it is signed out, or which other account the organisation wants shown.

import { api } from "./api.js";

const PAGE = "account.html";

/** One tab at most. */
export class AccountPage {
  /** The text beside the account's own; empty for none. */
  text = "";

  /** Shows the page, or shows it anew; its tab, if there is one. */
  async show(text = "") {
    this.text = text;
    const url = api.runtime.getURL(PAGE);
    const shown = (await api.tabs.query({})).find((tab) => (tab.pendingUrl || tab.url)?.startsWith(url));
    // A browser without a window shows it nowhere; what is refused says the same.
    const showing = shown ? anew(shown) : api.tabs.create({ url, active: true });
    return showing.then((tab) => tab.id).catch(() => undefined);
  }
}

async function anew(tab) {
  await api.tabs.update(tab.id, { active: true });
  await api.tabs.reload(tab.id);
  return tab;
}
