"use strict";

// What names the same account.

const GUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
const HOME = new RegExp(`^(${GUID})\\.${GUID}$`);

/**
 * What an account's name is compared by: `accountKey("Work@Contoso.com")` is `work@contoso.com`.
 *
 * Of `ObjectId.TenantId`, as sign-in libraries have it, this is the object id. Only ASCII has case, as in UPNs.
 */
function accountKey(account) {
  const home = HOME.exec(account);
  return (home ? home[1] : account).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * Whether two names are of one account. Null names none, not even the same; and nobody sees from their text whether a
 * UPN and an object id are of one.
 */
function sameAccount(one, other) {
  return one != null && other != null && accountKey(one) === accountKey(other);
}

module.exports = { accountKey, sameAccount };
