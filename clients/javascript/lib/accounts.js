"use strict";

// The life of accounts, `org.webviewguard.Accounts`: who is signed in, may work, and must leave.

const { readConfig } = require("./config");
const { present } = require("./said");
const { maybe, read, word } = require("./reading");
const { enrollmentNumber, isSuccess, mayWork, mustRemove } = require("./results");
const { DIRECTORY_STATES, LIVES } = require("./words");

const INTERFACE = "org.webviewguard.Accounts";

/** Promises that fail with GuardError, also when nobody answers: nothing of this is said later by itself. */
class Accounts {
  constructor(ask) {
    this._ask = (method, said, reader) => ask(`${INTERFACE}.${method}`, present(said), reader);
  }

  /** Somebody signed in. The account is enrolled at once, or tried again later; the app goes on. */
  register(account) {
    return this._ask("Register", { account }, status);
  }

  /** The app ends its access, before it forgets the account's tokens. `data` is `keep` or `remove`. */
  deregister(account, data) {
    return this._ask("Deregister", { account, data }, status);
  }

  list() {
    return this._ask("List", {}, (reply) => ({
      accounts: read("list", reply.accounts).map(listed), enrolled: maybe("text", reply, "enrolled"),
    }));
  }

  deviceAccount() {
    return this._ask("DeviceAccount", {}, (reply) => maybe("text", reply, "account"));
  }

  /** May somebody sign in to this app with the account? Ask before the sign-in begins. */
  maySignIn(account) {
    return this._ask("MaySignIn", { account }, (reply) => ({
      allowed: read("flag", reply.allowed), state: life(reply), reason: maybe("text", reply, "reason"),
      text: maybe("text", reply, "text"),
    }));
  }

  /** The accounts that this app takes (null for all), and those that it has and that must sign out. */
  allowed() {
    return this._ask("AllowedAccounts", {}, (reply) => ({
      accounts: maybe("texts", reply, "accounts"), mustSignOut: read("texts", reply.mustSignOut),
    }));
  }

  /** The values that the policy has for this app; without `accounts` those of all accounts that are enrolled. */
  config(accounts) {
    return this._ask("Config", { accounts }, readConfig);
  }

  /**
   * Has the daemon look whether an account meets its conditions; `silent` asks nobody. What comes of it is news of
   * `compliance`, with the request that this gives. Null where there is nothing to look at, and no news come.
   */
  remediate(account, { silent = false } = {}) {
    return this._ask("Remediate", { account, silent: silent || null }, (reply) => maybe("text", reply, "request"));
  }

  /** Says what came of a request of news, once: with `done` the account and its data are gone from the app. */
  complete(request, result) {
    return this._ask("Complete", { request, result }, status);
  }

  /** Wants the encrypted directory of an account: ask again while it is `opening`. */
  openDirectory(account) {
    return this._ask("OpenDirectory", { account }, (reply) => ({
      state: word(reply.state, DIRECTORY_STATES, "failed"), path: maybe("text", reply, "path"),
      problem: maybe("text", reply, "problem"),
    }));
  }
}

/** What came of an enrolment or of its end. A state that this client does not know is `blocked`; `raw` has the word. */
function status(reply) {
  const [account, state, result] = [read("text", reply.account), life(reply), read("text", reply.result)];
  return {
    account, state, result, number: enrollmentNumber(result), isSuccess: isSuccess(result),
    mustRemove: mustRemove(result), mayWork: mayWork(state), raw: reply,
  };
}

/** An account of this app and person. Times are milliseconds since 1970. */
function listed(said) {
  const account = {
    account: read("text", read("object", said).account), state: life(said), managed: read("flag", said.managed),
    sources: read("texts", said.sources), raw: said,
  };
  for (const name of ["protection", "result", "remediation", "compliance", "encryption"]) {
    account[name] = maybe("text", said, name);
  }
  for (const name of ["registered", "enrolled", "checkedIn", "retry"]) account[name] = maybe("number", said, name);
  account.number = enrollmentNumber(account.result);
  account.mayWork = mayWork(account.state);
  // A way that is not known is one; where the daemon does not say, a managed account has to be encrypted.
  account.mustEncrypt = account.encryption === null ? account.managed : account.encryption !== "none";
  return account;
}

function life(reply) {
  return word(reply.state, LIVES, "blocked");
}

const GUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
const HOME = new RegExp(`^(${GUID})\\.${GUID}$`);

/**
 * `accountKey("Work@Contoso.com")` is `work@contoso.com`. Of `ObjectId.TenantId`, as sign-in libraries have it, this is
 * the object id. Only ASCII has case, as in UPNs.
 */
function accountKey(account) {
  const home = HOME.exec(account);
  return (home ? home[1] : account).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Null names no account, not even the same. A UPN and an object id may be of one, which nobody sees. */
function sameAccount(one, other) {
  return one != null && other != null && accountKey(one) === accountKey(other);
}

module.exports = { Accounts, accountKey, sameAccount };
