// Questions of content scripts about the clipboard and drags. They say lengths and types, and never text.

import { api } from "./api.js";
import { isAllowed } from "./decisions.js";
import { viewerOf } from "./viewers.js";

const QUESTIONS = new Set(["copy", "paste", "dragEnd"]);

/** Answers content scripts. */
export class Clips {
  constructor(host, viewers, notice) {
    this.host = host;
    this.viewers = viewers;
    this.notice = notice;
  }

  /** Whether the message is one of a content script's questions; its answer goes to `reply`. */
  take(message, sender, reply) {
    if (!QUESTIONS.has(message?.question) || sender.id !== api.runtime.id || !sender.tab) return false;
    this.#ask(message, sender.tab.id).then(reply);
    return true;
  }

  async #ask({ question, selection, length, formats, cut, clip }, tab) {
    await this.viewers.ensure(tab);
    const decision = await this.host.ask(question, { viewer: viewerOf(tab), selection, length, formats, cut, clip });
    if (!isAllowed(decision)) this.notice.show(tab, question, decision);
    const { onlyPlainText, mimeWrap, replacement, clip: id } = decision;
    return { isAllowed: isAllowed(decision), onlyPlainText, mimeWrap, replacement, clip: id };
  }
}
