// `navigator.clipboard` cannot be asked about: no event comes before it reads or writes. So pages are left without it.

import { api } from "./api.js";

const ID = "without-async-clipboard";

/** Takes it away from every page that loads from now on, unless the administrator allows it. */
export async function guardAsyncClipboard(isFree) {
  const known = await api.scripting.getRegisteredContentScripts({ ids: [ID] });
  if (isFree) {
    if (known.length > 0) await api.scripting.unregisterContentScripts({ ids: [ID] });
    return;
  }
  if (known.length > 0) return;
  await api.scripting.registerContentScripts([
    {
      id: ID,
      js: ["content/without-async-clipboard.js"],
      matches: ["<all_urls>"],
      allFrames: true,
      matchOriginAsFallback: true,
      runAt: "document_start",
      world: "MAIN",
    },
  ]);
}
