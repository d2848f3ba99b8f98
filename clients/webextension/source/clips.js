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

  async #ask({ question, selection, length, formats, cut }, tab) {
    await this.viewers.ensure(tab);
    const members = { viewer: viewerOf(tab), selection, length, formats, cut };
    const decision = await this.host.ask(question, members);
    // A clip that programs must not read cannot be put on the clipboard by an extension at all.
    const isKept = isAllowed(decision) && !(question === "copy" && decision.mimeWrap === true);
    if (!isKept) this.notice.show(tab, question, decision);
    return { isAllowed: isKept, onlyPlainText: decision.onlyPlainText === true };
  }
}
