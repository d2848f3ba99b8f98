"use strict";

// Hears the daemon's news on a connection of its own.

const { safely } = require("./errors");
const { Line } = require("./line");
const { NewsItem, Subscription } = require("./news");
const { LoopTransport } = require("./transports");
const { TOPICS } = require("./words");

// Those that are no topics: for news that may be lost, and for news that no other handler takes.
const [MISSED, OTHER] = ["missed", "other"];
// It is always wanted: it comes first on each connection, and so says that the daemon listens.
const FIRST = "policy";

/** Reads news until it is closed, and gives each to `take`. */
class Reader {
  constructor(guard, topics, options, take) {
    this.isClosed = false;
    this._guard = guard;
    this._take = take;
    this._told = "";
    this._subscription = new Subscription(guard.hello, () => guard.instance, topics, options);
    const { path, trustedUids, now } = guard;
    const onTurn = () => this._turn();
    this._line = new Line(this._subscription, { path, trustedUids, now, onTurn, transport: new LoopTransport(true) });
    this._line.step();
    this._turn();
  }

  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    this._subscription.end();
    this._line.close();
  }

  _turn() {
    while (!this.isClosed && this._subscription.items.length > 0) {
      const item = this._subscription.items.shift();
      if (item.topic === "identity" && item.request !== null && item.account !== null) {
        this._guard.noteRequest(item.request, item.account, item.window);
      }
      this._take(item);
    }
    this._tell();
    if (!this.isClosed) this._line.arm(this._subscription.wakeAt(), true);
  }

  /** Connections are the guard's trouble as well, and it tells of them; topics are this one's alone. */
  _tell() {
    const { problems } = this._subscription;
    this._subscription.problems = [];
    for (const problem of problems) {
      if (problem.method !== "Subscribe" || problem.code === "connectionLost"
        || problem.message === this._told) continue;
      this._told = problem.message;
      safely(this._guard.onProblem, problem);
    }
  }
}

/** Handlers that hear news, one after the other; `close` ends that, also from one of them. */
class Listening {
  constructor(guard, handlers, forget) {
    this._handlers = new Map(Object.entries(handlers));
    this._forget = forget;
    const options = { tellsGaps: true, mayNarrow: true };
    this._reader = new Reader(guard, wantedTopics(this._handlers), options, (item) => {
      // Not in the middle of the work: a handler may ask, say, listen and close.
      setImmediate(() => this._led(item));
    });
  }

  /** Nothing is called any more, not even for what came already. */
  close() {
    this._forget(this);
    this._reader.close();
  }

  _led(item) {
    if (item.missed > 0) this._call(MISSED, new NewsItem({ topic: MISSED, missed: item.missed }, null));
    // No topic of the daemon may pass for a word of this client.
    const isOfDaemon = item.raw !== null;
    const name = isOfDaemon && (item.topic === MISSED || item.topic === OTHER) ? OTHER : item.topic;
    this._call(isOfDaemon && !this._handlers.has(name) ? OTHER : name, item);
  }

  _call(name, item) {
    const handler = this._handlers.get(name);
    if (handler !== undefined && !this._reader.isClosed) safely(handler, item);
  }
}

/** The topics to subscribe to, in the order of the alphabet: those with a handler; with `other` all known ones. */
function wantedTopics(handlers) {
  const named = [...handlers.keys()].filter((name) => name !== MISSED && name !== OTHER);
  return [...new Set([FIRST, ...named, ...(handlers.has(OTHER) ? TOPICS : [])])].sort();
}

/** News as an async iterator, until it is closed: `for await (const item of guard.news(["policy"]))`. */
class News {
  constructor(guard, topics, forget) {
    this._items = [];
    this._waiting = [];
    this._forget = forget;
    this._reader = new Reader(guard, topics, {}, (item) => {
      if (this._waiting.length > 0) this._waiting.shift()({ value: item, done: false });
      else this._items.push(item);
    });
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next() {
    if (this._reader.isClosed) return Promise.resolve({ value: undefined, done: true });
    if (this._items.length > 0) return Promise.resolve({ value: this._items.shift(), done: false });
    return new Promise((resolve) => this._waiting.push(resolve));
  }

  return() {
    this.close();
    return Promise.resolve({ value: undefined, done: true });
  }

  close() {
    this._forget(this);
    this._reader.close();
    for (const resolve of this._waiting.splice(0)) resolve({ value: undefined, done: true });
  }
}

module.exports = { Listening, News };
