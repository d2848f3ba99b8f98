"use strict";

const { readContract } = require("./contract");
const { Call, Conversation, helloParameters } = require("./conversation");
const { GuardError } = require("./errors");
const { lastWord } = require("./frames");

/** How often it is looked whether there is an instance to join, in milliseconds. */
const LOOK_MS = 250;
/** What becomes of questions that are asked in a scope after its end: never those of the scope around it. */
const ENDED = "scopeEnded";

/**
 * The conversation of an app: what it said before is said again on each new connection, before the first question. It
 * joins the instance that it had, or begins a new one when the daemon does not know that any more.
 */
class Session extends Conversation {
  constructor(hello, said, chance, shortest) {
    super(hello, chance, shortest);
    this.token = null;
    this._said = said;
    // Ready, but attached to nothing: no policy ever loaded, and until one is, questions are answered so.
    this._isUnattached = false;
  }

  /** A policy was loaded meanwhile: attaches, and calls once more. False when that is not what happened. */
  againWhenAttached(call, now) {
    if (this.isReady && this._isUnattached) this._attach(now);
    if (this._phase !== "attaching") return false;
    this._waiting.push(call);
    return true;
  }

  _attachParameters() {
    this._isUnattached = false;
    return helloParameters(this._hello, this.token);
  }

  _attached(reply, now) {
    const word = lastWord(reply.error);
    if (reply.error === null) {
      this._begin(reply.parameters, now);
    } else if (word === "UnknownInstance" && this.token !== null) {
      this.token = null;
      this._said.beginAnew();
      this._attach(now);
    } else if (word === "NoPolicy") {
      this._isUnattached = true;
      this._succeed();
    } else {
      // Somebody is there, and an answer: every question is blocked, whatever the contract says of nobody.
      this._fail(new GuardError(word, "Attach", reply.parameters), now, "bad", word);
    }
  }

  _begin(parameters, now) {
    if (typeof parameters.instance !== "string") {
      this._fail(new GuardError("invalidReply", "Attach"), now);
      return;
    }
    this.token = parameters.instance;
    this.contract = readContract(parameters.contract);
    this.hasAttached = true;
    this._succeed();
    const deadline = now + this.contract.startMs;
    this._waiting.unshift(...this._said.frames().map(([method, said]) => this._again(method, said, deadline)));
  }

  _again(method, said, deadline) {
    const finished = (reply) => {
      if (reply === null) return;
      this._said.replayed(method, said);
      if (reply.error !== null && method !== "ForgetViewer") {
        this.problems.push(new GuardError(lastWord(reply.error), method, reply.parameters));
      }
    };
    return new Call(method, said, finished, deadline);
  }
}

/** Joins an instance that another connection began, and never begins one: a new one knows no viewers. */
class JoinedSession extends Session {
  constructor(hello, said, instance, chance, shortest) {
    super(hello, said, chance, shortest);
    this._instance = instance;
  }

  mayConnect(now) {
    if (super.mayConnect(now) && this._instance() === null) this._backOff.pause(now + LOOK_MS);
    return super.mayConnect(now);
  }

  submit(call, now) {
    if (this.isDown && this._instance() === null) call.finished(null);
    else super.submit(call, now);
  }

  /** What is asked from now on is blocked, and the reason says that this is over. */
  endScope() {
    this.end();
    this.refusal = ENDED;
  }

  _attachParameters() {
    this._isUnattached = false;
    // It may have ended meanwhile: without a token this would begin one of its own.
    return helloParameters(this._hello, this._instance() || "");
  }

  _attached(reply, now) {
    if (lastWord(reply.error) === "UnknownInstance") {
      // Whoever began it finds that out as well, and has another instance soon.
      this._fail(new GuardError("UnknownInstance", "Attach"), now, "bad", "UnknownInstance");
    } else {
      super._attached(reply, now);
    }
  }
}

/** As `JoinedSession`, and over for good when its connection is lost. */
class BriefSession extends JoinedSession {
  get isOver() { return this.isDown && this._backOff.latestAttempt > -Infinity; }

  mayConnect(now) { return !this.isOver && super.mayConnect(now); }

  wakeAt() { return this.isOver ? Infinity : super.wakeAt(); }
}

module.exports = { BriefSession, JoinedSession, LOOK_MS, Session };
