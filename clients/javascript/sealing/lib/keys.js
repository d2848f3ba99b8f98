"use strict";

// Keys of sealed objects: where they come from, and what is derived of them.

const crypto = require("crypto");
const { STRANGE, SealingError, damaged } = require("./errors");
const { TAG, sha256 } = require("./format");

const CIPHER = "aes-256-gcm";
const DIGITS = /^[0-9a-f]*$/;

/**
 * The daemon as a source of keys, by a `Guard` of the package `webviewguard`. What it refuses is error 100, 102 or 103.
 *
 * A source is a function. It gets `{ use, account, objectId, keyId }`, ids in hexadecimal digits, and promises
 * `{ key, keyId, accountId }`. Null to write: the account is not managed, and its data stays as it is. Null to read:
 * there is no key any more.
 */
function keysOf(guard) {
  return async ({ use, account, objectId, keyId }) => {
    const said = { account, use, object: objectId };
    if (keyId !== null) said.keyId = keyId;
    try {
      return readKey(await guard.call("org.webviewguard.Accounts.DataKey", said));
    } catch (problem) {
      if (problem.name !== "GuardError") throw problem;
      if (problem.code === "NotManaged" && use === "write") return null;
      if (STRANGE.has(problem.code)) throw new SealingError(100, "", problem.message);
      throw noKey(use, problem.message);
    }
  };
}

/** The key of an answer; an answer that is none is as if there were no key. */
function readKey({ key, keyId, accountId }) {
  const isWhole = [[key, 32], [keyId, 16], [accountId, 16]].every(([digits, size]) => (
    typeof digits === "string" && digits.length === 2 * size && DIGITS.test(digits)));
  if (!isWhole) throw new SealingError(103, "noKey", "the daemon's answer is none");
  return { key: Buffer.from(key, "hex"), keyId, accountId };
}

function noKey(use, text = "") {
  return new SealingError(use === "write" ? 102 : 103, "noKey", text);
}

/** Seals and opens the chunks of one object. */
class Chunks {
  constructor(key, header) {
    this._key = key;
    this._additional = sha256(header);
  }

  /** A chunk with its tag, in pieces. */
  seal(number, isLast, data) {
    const cipher = crypto.createCipheriv(CIPHER, this._key, nonce(number, isLast), { authTagLength: TAG });
    cipher.setAAD(this._additional);
    const sealed = cipher.update(data);
    cipher.final();
    return [sealed, cipher.getAuthTag()];
  }

  /** The data of a chunk; error 103 when it is not exactly this one. Nothing leaves before the tag was checked. */
  open(number, isLast, sealed) {
    const end = sealed.length - TAG;
    const decipher = crypto.createDecipheriv(CIPHER, this._key, nonce(number, isLast), { authTagLength: TAG });
    decipher.setAAD(this._additional);
    decipher.setAuthTag(sealed.slice(end));
    const data = decipher.update(sealed.slice(0, end));
    try {
      decipher.final();
    } catch (problem) {
      data.fill(0);
      throw damaged(`chunk ${number}`);
    }
    return data;
  }

  /** Overwrites the key. */
  end() {
    this._key.fill(0);
  }
}

/** The whole header of a new object, and what seals its chunks. */
function newChunks(key, ids) {
  const { encryption, commitment } = derived(key.key, ids);
  const header = Buffer.concat([ids, commitment]);
  return { header, chunks: new Chunks(encryption, header) };
}

/** What opens the chunks of an object: asks for its key, and checks the header with it before anything else. */
async function knownChunks(header, keys) {
  const { accountId, keyId, objectId } = header.info;
  const key = await keys({ use: "read", account: accountId, objectId, keyId });
  if (key === null) throw noKey("read");
  const { encryption, commitment } = derived(key.key, header.ids);
  if (!crypto.timingSafeEqual(commitment, header.commitment)) throw damaged("the header, or another key");
  if (key.accountId !== accountId || key.keyId !== keyId) {
    throw damaged("the header names another account than its key is of");
  }
  return new Chunks(encryption, header.raw);
}

/** HKDF-SHA-256 by hand: Node 14 has none. */
function derived(key, ids) {
  const extracted = hmac(ids.slice(48), key);
  const [encryption, committing] = ["encryption", "commitment"].map((purpose) => (
    hmac(extracted, Buffer.from(`webviewguard WVG1 ${purpose}\u0001`))));
  const commitment = hmac(committing, ids);
  for (const secret of [key, extracted, committing]) secret.fill(0);
  return { encryption, commitment };
}

function hmac(key, bytes) {
  return crypto.createHmac("sha256", key).update(bytes).digest();
}

/** The number of a chunk is below 2^32. */
function nonce(number, isLast) {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(number, 5, 6);
  bytes[11] = isLast ? 1 : 0;
  return bytes;
}

module.exports = { Chunks, keysOf, knownChunks, newChunks, noKey };
