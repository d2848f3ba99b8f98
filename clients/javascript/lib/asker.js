"use strict";

const { Actions } = require("./actions");
const { contractAnswer } = require("./contract");
const { Call } = require("./conversation");
const { readDecision, refused, withoutAnswer } = require("./decision");
const { GuardError } = require("./errors");
const { lastWord, sendable } = require("./frames");
const { Unreadable } = require("./reading");
const { Ticket } = require("./ticket");
const { methodOf, onWire } = require("./words");

// Errors that say that the service could not yet listen, not that it refused.
const UNHEARD = new Set(["NoPolicy", "NotAttached"]);
const OPEN_REQUESTS = 16;

/**
 * Turns what an app wants into calls of a session, and replies into what the app understands. Each call gives a
 * ticket; the owner moves the session's bytes until it is done. `now` gives the time in milliseconds.
 */
class Asker {
  constructor(session, said, now, main = null, isScope = true) {
    this.session = session;
    this._said = said;
    this._now = now;
    // The one that knows the viewers, and answers switches; this one, unless it is a scope's.
    this._main = main || this;
    this._actions = main === null || isScope ? new Actions() : main._actions;
    // The identity that each switch which the service asked for would put in force.
    this._requests = new Map();
  }

  question(kind, event) {
    const ticket = new Ticket();
    const method = methodOf(kind);
    const said = this._event(kind, event);
    const finished = (reply) => {
      if (reply === null) ticket.resolve(this._unanswered(kind));
      else if (reply.error !== null) ticket.resolve(refused(reply.error));
      else ticket.resolve(this._noted(readDecision(reply.parameters.decision), event));
    };
    this._ask(method, (left) => ({ event: { ...said, deadline: left } }), finished, event.deadline);
    return ticket;
  }

  /** Several questions, `[kind, event]` each. */
  questions(asked) {
    const ticket = new Ticket();
    for (const [kind] of asked) methodOf(kind);
    const said = asked.map(([kind, event]) => [kind, this._event(kind, event)]);
    const parameters = (left) => ({
      questions: said.map(([kind, event]) => ({ kind, event: { ...event, deadline: left } })),
    });
    const finished = (reply) => {
      if (reply === null) ticket.resolve(asked.map(([kind]) => this._unanswered(kind)));
      else if (reply.error !== null) ticket.resolve(asked.map(() => refused(reply.error)));
      else ticket.resolve(this._several(reply.parameters.decisions, asked));
    };
    this._ask("DecideMany", parameters, finished);
    return ticket;
  }

  /** A call of calls.js. */
  state(call) {
    const ticket = new Ticket();
    this._tellActions(call);
    const finished = (reply) => {
      const word = reply === null ? "" : lastWord(reply.error);
      if (reply === null || UNHEARD.has(word)) {
        this._noteUnheard(call, ticket);
      } else if (reply.error !== null && !this._isGoneAnyway(call, word)) {
        ticket.fail(new GuardError(word, call.method, reply.parameters));
      } else {
        this._note(call, reply);
        ticket.resolve(call.read(reply.parameters));
      }
    };
    this._submit(call.method, call.parameters, finished);
    return ticket;
  }

  /** Remembers a call for the first connection. */
  note(call) {
    const ticket = new Ticket();
    this._tellActions(call);
    this._noteUnheard(call, ticket);
    return ticket;
  }

  /** The service asked for another account to be shown; `Answer` may put that in force. */
  noteRequest(request, account, window) {
    this._requests.set(request, { account, window });
    if (this._requests.size > OPEN_REQUESTS) this._requests.delete(this._requests.keys().next().value);
  }

  /** Any call, and what its reply is read as; that throws Unreadable for a reply that is none. */
  call(method, parameters, read = (reply) => reply) {
    const ticket = new Ticket();
    const name = lastWord(method);
    const finished = (reply) => {
      if (reply === null) ticket.fail(new GuardError(this.session.refusal || "noAnswer", name));
      else if (reply.error !== null) ticket.fail(new GuardError(lastWord(reply.error), name, reply.parameters));
      else settle(ticket, name, () => read(reply.parameters));
    };
    this._submit(method, parameters, finished);
    return ticket;
  }

  // Inside

  /** Nobody answered, or somebody who wants no question of this app: that is an error, and errors block. */
  _unanswered(kind) {
    const { refusal, contract } = this.session;
    return refusal !== null ? refused(refusal) : withoutAnswer(contractAnswer(contract, kind));
  }

  _several(values, asked) {
    const isWhole = Array.isArray(values) && values.length === asked.length;
    return asked.map(([, event], place) => this._noted(readDecision(isWhole ? values[place] : null), event));
  }

  _event(kind, event) {
    const said = onWire(event);
    if (kind === "navigate" && said.action === undefined && said.viewer !== undefined && said.url !== undefined) {
      said.action = this._actions.id(said.viewer, said.url, said.newWindow === true, this._now());
    }
    return said;
  }

  /** Submits a question, and once more when it was answered without a policy before, and now there is one. */
  _ask(method, parameters, finished, patience) {
    const heard = (reply) => {
      if (reply !== null && lastWord(reply.error) === "NotAttached") {
        const again = new Call(method, parameters, finished, call.deadline);
        if (this.session.againWhenAttached(again, this._now())) return;
      }
      finished(reply);
    };
    const call = this._call(method, parameters, heard, patience);
    this.session.submit(call, this._now());
  }

  _submit(method, parameters, finished) {
    this.session.submit(this._call(method, parameters, finished), this._now());
  }

  _call(method, parameters, finished, patience) {
    const { answerMs } = this.session.contract;
    const milliseconds = patience == null ? answerMs : Math.max(1, Math.min(answerMs, patience));
    // What cannot be sent is a mistake of the program, and is said before anything is on its way.
    sendable(typeof parameters === "function" ? parameters(milliseconds) : parameters);
    return new Call(method, parameters, finished, this._now() + milliseconds);
  }

  _noted(decision, event) {
    if (decision.request !== null && decision.switchTo !== null) {
      const window = this._main._said.window(event.viewer);
      this._main.noteRequest(decision.request, decision.switchTo, window);
    }
    return decision;
  }

  _note({ method, parameters }, reply) {
    if (method === "Answer") {
      const wanted = this._requests.get(parameters.request);
      this._requests.delete(parameters.request);
      if (wanted && parameters.result === "success") {
        const level = wanted.window == null ? "process" : "window";
        this._said.apply("SetIdentity", { level, window: wanted.window, account: wanted.account }, true);
      }
    } else if (parameters.gates === undefined || reply.parameters.result === "success") {
      this._said.apply(method, parameters, true);
    }
  }

  /** A viewer is forgotten that was refused when it was said again: for the app all is well. */
  _isGoneAnyway({ method, parameters }, word) {
    return method === "ForgetViewer" && word === "UnknownViewer" && this._said.knows(parameters.viewer);
  }

  /** Keeps what nobody heard for the next connection. What the daemon would refuse is refused here as well. */
  _noteUnheard({ method, parameters, unheard }, ticket) {
    const { viewer } = parameters;
    if (viewer !== undefined && method !== "RegisterViewer" && !this._said.knows(viewer)) {
      ticket.fail(new GuardError("UnknownViewer", method, { viewer }));
      return;
    }
    const delivered = this.session.token === null;
    if (parameters.gates === undefined) this._said.apply(method, parameters, delivered);
    else if (!delivered) this._said.takeBack(parameters);
    ticket.resolve(unheard);
  }

  _tellActions({ method, parameters }) {
    if (method === "RegisterViewer") this._actions.registered(parameters.viewer, parameters.opener);
    else if (method === "ForgetViewer") this._actions.forgotten(parameters.viewer);
  }
}

function settle(ticket, name, read) {
  let value;
  try {
    value = read();
  } catch (problem) {
    if (!(problem instanceof Unreadable)) throw problem;
    ticket.fail(new GuardError("invalidReply", name));
    return;
  }
  ticket.resolve(value);
}

module.exports = { Asker };
