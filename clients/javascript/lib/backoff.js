"use strict";

// When a lost connection may be tried again. Times are milliseconds of one clock.

const SHORTEST = 100;
const LONGEST = 5000;

/**
 * After a failure nothing is tried by itself for 100 ms, after the next for 200 ms, and so on up to 5 s and a little
 * more. A question does not wait for that where nobody listens, which is told at once. Two attempts are never closer
 * than 100 ms if somebody listened: a daemon that accepts and hangs up keeps nobody busy.
 */
class BackOff {
  constructor(chance, shortest = SHORTEST) {
    this._chance = chance;
    this._shortest = shortest;
    this._delay = shortest;
    this.latestAttempt = -Infinity;
    this.until = -Infinity;
    // For questions.
    this.askedUntil = -Infinity;
  }

  attempted(now) {
    this.latestAttempt = now;
  }

  succeeded() {
    this._delay = this._shortest;
  }

  /**
   * `failure`: nobody listens (`away`), somebody did and went (`gone`), or holds others up or wants none of them
   * (`bad`).
   */
  failed(now, failure) {
    // An attempt for a question does not put off the next one that is made by itself.
    if (now >= this.until) {
      // Up to a quarter more by chance, so that many clients do not come back in one moment.
      this.until = now + this._delay * (1 + this._chance() / 4);
      this._delay = Math.min(this._delay * 2, Math.max(LONGEST, this._shortest));
    }
    const soonest = { away: now, gone: this.latestAttempt + this._shortest, bad: this.until }[failure];
    this.askedUntil = Math.min(soonest, this.until);
  }

  /** A connection that had worked was closed while nobody waited: that may be tried at once. */
  ended(now) {
    this.until = this.askedUntil = Math.max(now, this.latestAttempt + this._shortest);
  }

  /** Nothing is tried before that time. */
  pause(until) {
    this.until = this.askedUntil = until;
  }
}

module.exports = { BackOff };
