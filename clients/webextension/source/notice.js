// A mark on the toolbar's button: something was refused in this tab, and why.

import { api } from "./api.js";
import { noticeText } from "./notice-text.js";

/** The page never hears of it: it could tell what the policy is. */
export class Notice {
  show(tab, question, decision) {
    const title = noticeText(`webviewguard: ${question} refused (${decision.message ?? decision.reason})`);
    api.action.setBadgeText({ tabId: tab, text: "!" }).catch(() => {});
    api.action.setTitle({ tabId: tab, title }).catch(() => {});
  }
}
