// The connection with `webviewguard native-messaging`, under the failure contract.

import { api } from "./api.js";
import { CLOSED, readContract, unanswered } from "./decisions.js";

const NAME = "org.webviewguard.host";
// The host keeps the daemon's times; this much more, and the host itself is lost.
const SLACK_MS = 250;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/** What a promise comes to, or null when it takes longer. */
function inTime(promise, milliseconds) {
  let timer = 0;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds, null);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** One native host, started anew whenever it ends. */
export class Host {
  #port = null;
  #lastId = 0;
  /** @type {Map<number, { settle: (message: any) => void, timer: number, parts: any[] }>} */
  #waiting = new Map();
  #pause = FIRST_PAUSE_MS;
  #greeting = null;
  #retry = 0;

  /** @type {import("./decisions.js").Contract} */
  contract = CLOSED;
  /** What stands between the host and the daemon, for the status page. */
  standing = { isConnected: false };
  problem = "";

  /**
   * @param {{ refuses: () => Promise<import("./decisions.js").Decision | null>, greet: (host: Host) => Promise<void>,
   *   onNews: (news: any) => void }} owner `refuses` gives the decision on everything while nothing may happen
   */
  constructor(owner) {
    this.owner = owner;
  }

  /** How many questions and calls have no answer yet. */
  get underWay() {
    return this.#waiting.size;
  }

  /** Resolves when the host was greeted and told everything, or did not answer in time. Never rejects. */
  ready() {
    this.#greeting ??= this.#connect();
    return this.#greeting;
  }

  /** The decision on a question; the contract's own when nobody answers. Never rejects. */
  async ask(question, members) {
    const refusal = await this.owner.refuses();
    if (refusal) return refusal;
    const isReady = await inTime(this.ready().then(() => true), this.contract.startMs + SLACK_MS);
    if (!isReady || !this.#port) return unanswered(question, this.contract);
    const message = await this.#exchange(question, members, this.contract.answerMs + SLACK_MS);
    // Nobody said whose data is shown: that is a question without an answer, and not a free hand.
    if (message?.decision?.reason === "noIdentity") return unanswered(question, CLOSED, "noIdentity");
    if (message?.decision) return message.decision;
    return unanswered(question, message?.error ? CLOSED : this.contract, message?.error);
  }

  /** The host's reply to any other call; null when it did not come. */
  async call(name, members = {}, patience = this.contract.answerMs + SLACK_MS) {
    if (!this.#port) return null;
    return this.#exchange(name, members, patience);
  }

  /** Ends the host and starts another at once. */
  restart() {
    this.#pause = FIRST_PAUSE_MS;
    this.#lose();
  }

  #exchange(call, members, patience) {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const settle = (message) => {
        clearTimeout(this.#waiting.get(id)?.timer);
        this.#waiting.delete(id);
        resolve(message);
      };
      const timer = setTimeout(() => this.#isLate(id), patience);
      this.#waiting.set(id, { settle, timer, parts: [] });
      this.#port.postMessage({ ...members, id, call });
    });
  }

  // A host that does not answer is given up: its late replies are nobody's.
  #isLate(id) {
    this.#waiting.get(id)?.settle(null);
    this.problem = "the native host does not answer";
    this.#lose();
  }

  async #connect() {
    const port = this.#open();
    if (!port) return;
    const reply = await this.call("hello", await this.owner.hello(), this.contract.startMs + SLACK_MS);
    if (this.#port !== port || !reply?.reply) return;
    this.#heard(reply.reply);
    this.#pause = FIRST_PAUSE_MS;
    this.problem = "";
    await this.owner.greet(this);
  }

  #open() {
    try {
      const port = api.runtime.connectNative(NAME);
      this.#port = port;
      port.onMessage.addListener((message) => this.#take(message));
      port.onDisconnect.addListener(() => {
        this.problem = api.runtime.lastError?.message ?? port.error?.message ?? "the native host has ended";
        if (this.#port === port) this.#lose();
      });
      return port;
    } catch (error) {
      this.problem = String(error);
      this.#lose();
      return null;
    }
  }

  #take(message) {
    if (message.news !== undefined) return this.#hearNews(message);
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return undefined;
    if (message.parts === undefined) return waiting.settle(message);
    waiting.parts.push(...message.rules);
    return message.part + 1 === message.parts ? waiting.settle({ ...message, rules: waiting.parts }) : undefined;
  }

  #hearNews(message) {
    if (message.standing) this.#heard(message.standing);
    this.owner.onNews(message);
  }

  #heard(standing) {
    this.standing = standing;
    this.contract = readContract(standing.contract);
    api.storage.local.set({ contract: this.contract });
  }

  // Everything under way is answered by the contract, and the next attempt waits a little longer each time.
  #lose() {
    const port = this.#port;
    this.#port = null;
    this.#greeting = Promise.resolve();
    this.standing = { isConnected: false };
    port?.disconnect();
    for (const { settle } of [...this.#waiting.values()]) settle(null);
    clearTimeout(this.#retry);
    const pause = this.#pause * (1 + Math.random() / 4);
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
    this.#retry = setTimeout(() => {
      this.#greeting = null;
      this.ready();
    }, pause);
  }
}
