// Content scripts run in a world of their own: pages see none of these names, and cannot send these messages.

/** Asks whether something may happen. Without an answer it may not. */
async function mayHappen(question, about) {
  try {
    const answer = await (globalThis.browser ?? chrome).runtime.sendMessage({ question, ...about });
    return answer ?? { isAllowed: false };
  } catch {
    return { isAllowed: false };
  }
}
