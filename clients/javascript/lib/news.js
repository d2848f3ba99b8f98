"use strict";

// News of the daemon: other policies, accounts whose standing changed, and switches that it asks for.

const { readContract } = require("./contract");
const { Call, Conversation, helloParameters } = require("./conversation");
const { GuardError } = require("./errors");
const { lastWord } = require("./frames");
const { mayWork } = require("./results");
const { LOOK_MS } = require("./session");
const { TOPICS } = require("./words");

const TEXTS = [
  "account", "state", "window", "request", "cause", "unlock", "life", "result", "status", "title", "text", "restart",
  "encryption", "keyId",
];

/** One piece of news. What is of a wrong type is as if left out; `raw` has all members as they came, or null. */
class NewsItem {
  constructor(said, raw = said) {
    const number = (name) => (Number.isInteger(said[name]) ? said[name] : 0);
    this.topic = typeof said.topic === "string" ? said.topic : "";
    this.generation = number("generation");
    this.digest = typeof said.digest === "string" ? said.digest : "";
    for (const name of TEXTS) this[name] = typeof said[name] === "string" ? said[name] : null;
    this.accounts = patterns(said.accounts);
    this.organization = organization(said.organization);
    // When the app counts as silent, in milliseconds since 1970.
    this.deadline = number("deadline") || null;
    // How much news before this was missed.
    this.missed = number("missed");
    this.raw = raw;
    Object.freeze(this);
  }

  /** Whether the account that this is about may work now; not if this says nothing of that. */
  get mayWork() {
    return mayWork(this.life || this.state);
  }

  /** Of the topic `dataProtection`: whether the app has to encrypt the account's files; only `none` says no. */
  get mustEncrypt() {
    return this.encryption !== "none";
  }
}

/** What the policy says of the organisation, `{ name: "Contoso" }`; null where it says nothing. */
function organization(value) {
  if (value == null || typeof value !== "object") return null;
  const told = ["name", "contact", "contactLink", "color", "darkColor"].filter((name) => typeof value[name] === "string");
  return Object.freeze(told.reduce((all, name) => Object.assign(all, { [name]: value[name] }), {}));
}

/** Null says that every account is welcome, so what cannot be read is an empty list. */
function patterns(value) {
  if (value == null) return null;
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : [];
}

/**
 * Joins the guard's instance, and reads what comes. News of the policy comes when it is another than before.
 *
 * With `tellsGaps`, an item of the topic `missed` stands for the time between two connections. With `mayNarrow`, a
 * daemon that does not know one of the topics is asked again without the newest of them.
 */
class Subscription extends Conversation {
  constructor(hello, token, topics, { tellsGaps = false, mayNarrow = false } = {}) {
    super(hello);
    this.items = [];
    this._token = token;
    this._topics = topics;
    this._tellsGaps = tellsGaps;
    this._mayNarrow = mayNarrow;
    // So many topics the daemon that was asked last does not know.
    this._dropped = 0;
    // Some news came on this connection; or on an earlier one, and none on this.
    this._isHeard = false;
    this._hasGap = false;
    this._policy = "";
  }

  mayConnect(now) {
    if (super.mayConnect(now) && this._token() === null) this._backOff.pause(now + LOOK_MS);
    return super.mayConnect(now);
  }

  _attachParameters() {
    return helloParameters(this._hello, this._token() || "");
  }

  _attached(reply, now) {
    if (reply.error !== null) {
      this._fail(new GuardError(lastWord(reply.error), "Attach", reply.parameters), now);
      return;
    }
    this.contract = readContract(reply.parameters.contract);
    this.hasAttached = true;
    const topics = this._topics.length > 0 ? { topics: withoutNewest(this._topics, this._dropped) } : {};
    // What was refused before may be so again, so it is too early to try more often.
    this._phase = "ready";
    this.submit(new Call("Subscribe", topics, (news) => this._heard(news, now), Infinity, true), now);
  }

  _heard(reply, now) {
    if (reply === null) {
      this._hasGap = this._hasGap || this._isHeard;
      // Another daemon may answer the next time, and know more.
      if (this._isHeard) this._dropped = 0;
      this._isHeard = false;
    } else if (reply.error !== null || !reply.continues) {
      this._refused(reply, now);
    } else {
      if (this._hasGap && this._tellsGaps) this.items.push(new NewsItem({ topic: "missed" }, null));
      this._succeed();
      this._isHeard = true;
      this._hasGap = false;
      this._take(new NewsItem(reply.parameters));
    }
  }

  _take(item) {
    if (item.topic === "policy") {
      const policy = `${item.generation} ${item.digest}`;
      if (policy === this._policy && item.missed === 0) return;
      this._policy = policy;
    }
    this.items.push(item);
  }

  /**
   * News ended, or never began. An old daemon refuses a topic that it does not know, and does not say which: the
   * newest is left out. When none is left, all are asked for again: another daemon may answer.
   */
  _refused(reply, now) {
    const problem = new GuardError(lastWord(reply.error) || "connectionLost", "Subscribe", reply.parameters);
    this._hasGap = this._hasGap || this._isHeard;
    this._isHeard = false;
    const isNarrowed = this._mayNarrow && problem.code === "InvalidParameter";
    this._dropped = isNarrowed ? (this._dropped + 1) % this._topics.length : 0;
    this._fail(problem, now);
  }
}

/**
 * The topics in their order, without so many that came last into the interface; those that this client does not know
 * are newer than all that it knows.
 */
function withoutNewest(topics, count) {
  const age = (topic) => (TOPICS.includes(topic) ? TOPICS.indexOf(topic) : TOPICS.length);
  const byAge = [...topics].sort((one, other) => age(one) - age(other));
  const kept = byAge.slice(0, byAge.length - count);
  return topics.filter((topic) => kept.includes(topic));
}

module.exports = { NewsItem, Subscription };
