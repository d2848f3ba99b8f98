// Questions of content scripts about the clipboard and drags. They say lengths and types, and never text.

import { api } from "./api.js";
import { isAllowed } from "./decisions.js";
import { viewerOf } from "./viewers.js";

/** The page that is copied from or pasted into: that of the frame, unless it has none of its own. */
const pageOf = (sender) => (/^https?:/.test(sender.url ?? "") ? sender.url : sender.tab.url);

const QUESTIONS = new Set(["copy", "paste", "clipboardChanged", "dragEnd"]);

/** Answers content scripts. */
export class Clips {
  /** Tabs in which a drag began that has not ended. @type {Set<number>} */
  #dragging = new Set();

  constructor(host, viewers, notice) {
    this.host = host;
    this.viewers = viewers;
    this.notice = notice;
  }

  /** Whether the message is one of a content script's questions; its answer goes to `reply`. */
  take(message, sender, reply) {
    if (!QUESTIONS.has(message?.question) || sender.id !== api.runtime.id || !sender.tab) return false;
    this.#ask(message, sender).then(reply);
    return true;
  }

  /** A tab is gone, and with it a drag that began there. Before its viewer is forgotten. */
  closed(tab) {
    if (this.#dragging.delete(tab)) this.host.ask("dragEnd", { viewer: viewerOf(tab), selection: "drag" });
  }

  async #ask({ question, selection, length, formats, cut, clip, selfOwned, proposal }, sender) {
    const tab = sender.tab.id;
    await this.viewers.ensure(tab);
    const isQuestion = question === "copy" || question === "paste";
    if (question === "dragEnd") this.#dragging.delete(tab);
    else if (question === "copy" && selection === "drag") this.#dragging.add(tab);
    const about = { viewer: viewerOf(tab), selection, length, formats, cut, clip, selfOwned, proposal };
    if (isQuestion) about.from = pageOf(sender);
    const decision = await this.host.ask(question, about);
    if (isQuestion && !isAllowed(decision)) this.notice.show(tab, question, decision);
    const { onlyPlainText, mimeWrap, replacement, clip: id, proposal: made } = decision;
    return { isAllowed: isAllowed(decision), onlyPlainText, mimeWrap, replacement, clip: id, proposal: made };
  }
}
