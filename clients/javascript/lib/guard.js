"use strict";

const { Accounts } = require("./accounts");
const calls = require("./calls");
const { Engine } = require("./engine");
const { GuardError, logProblem } = require("./errors");
const { Listening, News } = require("./listening");
const { readRules } = require("./rules");
const { EVENT_KINDS } = require("./words");

const OPTIONS = new Set([
  "app", "path", "features", "languages", "trustedUids", "onProblem", "version", "rules", "instance", "sync", "chance",
  "shortestPause",
]);

/**
 * What a guard and its scopes have in common: the questions, one method for each kind, and what tells of their
 * answers.
 */
class Questions {
  constructor(engine) {
    this._engine = engine;
  }

  /** Asks about one event of any kind. A question is always answered: the promise never fails for want of a daemon. */
  decide(kind, event = {}) {
    const { beside } = this._engine;
    return beside === null ? this._later((asker) => asker.question(kind, event)) : beside.ask(kind, event);
  }

  /** Asks several questions `[kind, event]` at once; they are decided in order, under one policy. */
  decideMany(questions) {
    return questions.length > 0 ? this._later((asker) => asker.questions(questions)) : Promise.resolve([]);
  }

  /** Says what came of a decision. One that was made here, without the daemon, has nobody to be told to. */
  acknowledge(decision, outcome, { justification } = {}) {
    return this._engine.acknowledge(decision, outcome, justification).promise();
  }

  /** The accounts of this app: who signs in, may work, and must leave. */
  get accounts() {
    return new Accounts((method, said, read) => this._later((asker) => asker.call(method, said, read)));
  }

  /**
   * The static rules of a class of this app, as `webviewguard export` makes them, for an engine that guards itself:
   * `await guard.rules("chromium-policy", "documents")`. Ask again on news of the topic `policy`.
   */
  rules(format, viewerClass = null, { waitMs = 60000 } = {}) {
    return readRules((said) => this.call("ExportRules", said), format, viewerClass, waitMs);
  }

  /** Any call of the interface, by the names of the wire. What it says is not said again after a reconnect. */
  call(method, parameters = {}) {
    return this._later((asker) => asker.call(method, parameters));
  }

  /**
   * Does work as an account: `await guard.asAccount("work@contoso.com", (scope) => scope.navigate({ ... }))`.
   * GUIDE.md says what holds. Scopes nest. When the daemon refuses the account the promise fails, and nothing is done.
   */
  async asAccount(account, work) {
    const { _main: main } = this;
    if (!main._engine.isStarted) await main.start();
    const scope = new Scope(main, new Engine(main._engine.options, main._engine));
    try {
      const shown = await scope.setIdentity({ account });
      const before = this._engine.said.identity("scope", null);
      return await work(scope, { ...shown, previous: (before && before.account) || null });
    } finally {
      await scope._end();
    }
  }

  _later(call) {
    try {
      return this._engine.begin(call).promise();
    } catch (problem) {
      return Promise.reject(problem);
    }
  }
}

for (const kind of EVENT_KINDS) {
  Questions.prototype[kind] = function ask(event = {}) {
    return this.decide(kind, event);
  };
}

/** What `asAccount` gives to the work. */
class Scope extends Questions {
  constructor(main, engine) {
    super(engine);
    this._main = main;
    this._open = new Set();
  }

  /** Shows another account in this scope. */
  setIdentity(said) {
    return this._engine.state(calls.setIdentity("scope", said)).promise();
  }

  _later(call) {
    const promise = super._later(call);
    const over = () => this._open.delete(promise);
    this._open.add(promise);
    promise.then(over, over);
    return promise;
  }

  /** What was asked without waiting is still of this account. */
  async _end() {
    while (this._open.size > 0) await Promise.race([...this._open].map((promise) => promise.catch(() => undefined)));
    this._engine.close();
  }
}

/** Asks the daemon, and answers by the failure contract when it does not answer in time. README.md has an example. */
class Guard extends Questions {
  constructor(options = {}) {
    calls.refuseOthers("Guard", Object.keys(options).reduce(
      (others, name) => (OPTIONS.has(name) ? others : { ...others, [name]: true }), {}));
    super(new Engine({ onProblem: logProblem, ...options }));
    this._main = this;
    this._listeners = new Set();
  }

  /**
   * Connects, and says what was said before, within `contract.startMs`. False: the contract answers until the daemon
   * is there.
   */
  start() {
    return this._engine.start().promise();
  }

  /** As `start`, without a turn of the event loop; for a guard with `sync`. */
  startSync() {
    return this._engine.finish(this._engine.start());
  }

  /** Ends the connection. What is asked later is answered by the contract. */
  close() {
    for (const listener of [...this._listeners]) listener.close();
    this._engine.close();
  }

  /** The failure contract that holds now. */
  get contract() {
    return this._engine.session.contract;
  }

  /** Whether the daemon answers, as far as is known. */
  get isConnected() {
    return this._engine.session.isReady;
  }

  /** The token that other processes of the app join with, `new Guard({ instance })`; null before the first. */
  get instance() {
    return this._engine.session.token;
  }

  /** As `decide`, and waits for the answer, no longer than the deadline; for a guard with `sync`. */
  decideSync(kind, event = {}) {
    return this._engine.finish(this._engine.begin((asker) => asker.question(kind, event)));
  }

  /**
   * Says whose data `process` or a window shows: `account`, "" for explicitly nobody's, none to leave it to the next
   * level.
   */
  setIdentity(level, said = {}) {
    return this._state(() => calls.setIdentity(level, said));
  }

  /** Makes a viewer known, before it loads anything; or changes one, where what is left out stays. */
  registerViewer(viewer, said = {}) {
    return this._state(() => calls.registerViewer(viewer, said));
  }

  /** Says what document a viewer shows; none for unknown. True when the daemon heard it, here and below. */
  setDocument(viewer, document) {
    return this._state(() => calls.setDocument(viewer, document));
  }

  forgetViewer(viewer) {
    return this._state(() => calls.forgetViewer(viewer));
  }

  /** Tags a viewer, or a container and all that ever lies in it. */
  setWebViewPolicy(viewer, policy) {
    return this._state(() => calls.setWebViewPolicy(viewer, policy));
  }

  /** Chooses the rule set for a viewer; none for none. */
  setExternalURLRules(viewer, ruleSet) {
    return this._state(() => calls.setExternalURLRules(viewer, ruleSet));
  }

  /** Says what came of a switch to another account that the daemon asked for. */
  answer(request, result) {
    return this._state(() => calls.answer(request, result));
  }

  /** Has each topic of news heard by its handler until the result is closed. News have a connection of their own. */
  listen(handlers) {
    return this._listening((guard, forget) => new Listening(guard, handlers, forget));
  }

  /** News as an async iterator, on a connection of their own; without `topics` of all of them. */
  news(topics = []) {
    return this._listening((guard, forget) => new News(guard, topics, forget));
  }

  _listening(make) {
    const engine = this._engine;
    if (engine.isClosed) throw new GuardError("closed", "Subscribe");
    const { path, trustedUids } = engine.options;
    const noteRequest = (request, account, window) => engine.asker.noteRequest(request, account, window);
    const main = this;
    const guard = {
      path, trustedUids, noteRequest, hello: engine.hello, now: engine.now, onProblem: engine.onProblem,
      get instance() { return main.instance; },
    };
    const listener = make(guard, (closed) => this._listeners.delete(closed));
    this._listeners.add(listener);
    return listener;
  }

  _state(call) {
    try {
      return this._engine.state(call()).promise();
    } catch (problem) {
      return Promise.reject(problem);
    }
  }
}

module.exports = { Guard, Scope };
