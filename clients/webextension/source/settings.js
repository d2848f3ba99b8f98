// What the administrator set for the extension: account, class, app.

import { api } from "./api.js";

/** @typedef {{ account?: string, class?: string, app?: string, asyncClipboard?: string }} Settings */

const NAMES = ["account", "class", "app", "asyncClipboard"];

/**
 * The managed settings; what is not text is left out. Nothing is set where no policy speaks of the extension.
 *
 * Chromium answers only when it has read its policies, which takes seconds after its start: until then nobody knows
 * whose data is shown, so questions are answered by the contract.
 */
export async function readSettings() {
  let managed = {};
  try {
    managed = await api.storage.managed.get(NAMES);
  } catch {
    // Firefox refuses when there is no managed storage at all.
  }
  const stated = NAMES.filter((name) => typeof managed[name] === "string").map((name) => [name, managed[name]]);
  return /** @type {Settings} */ (Object.fromEntries(stated));
}
