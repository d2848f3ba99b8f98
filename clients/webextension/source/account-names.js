// Names of accounts: by UPN or object id, in any case of letters.

const GUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const HOME = new RegExp(`^(${GUID})\\.${GUID}$`, "i");

/** What a name is compared by: without the case of ASCII; of `ObjectId.TenantId` the object id. */
export function accountKey(name) {
  const own = HOME.exec(name)?.[1] ?? name;
  return own.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether two names are of one account; what is no text names none. */
export function sameAccount(one, other) {
  return typeof one === "string" && typeof other === "string" && accountKey(one) === accountKey(other);
}
