"use strict";

// Files that know their owner, as far as Node can: it has no extended attributes, so nothing but an envelope keeps the
// owner of a file, and what the organisation owns is sealed.

const fs = require("fs");
const path = require("path");
const { FileProtectionError, SealingError, asFileProblems } = require("./errors");
const { keysOf } = require("./keys");
const { PrivatePlace, clearLeftovers, memory } = require("./places");
const { NewFile } = require("./replacing");
const { FileWriter, Sealing, fileProtectionInfo } = require("./sealing");

const INTERFACE = "org.webviewguard.Accounts";
const STANDINGS = new Set(["unknown", "mine", "managed", "unmanaged"]);
// A program that reads this label knows that nobody can name the file's owner: the file goes nowhere.
const BROKEN = "";

/** Errors are FileProtectionError. */
class Files {
  /** `guard` is a `Guard` of the package `webviewguard`. */
  constructor(guard) {
    this._guard = guard;
    this._keys = keysOf(guard);
    this._sealing = new Sealing(this._keys);
  }

  /**
   * A new file, which takes the place of an old one with `finish`: sealed when the organisation owns it. Its owner is
   * `account`, or else the account that the program's files belong to; nobody with an empty name.
   *
   *     const file = await files.save("report.txt");
   *     await file.write(Buffer.from("Q3"));
   *     await file.finish();
   */
  save(file, { account = null } = {}) {
    return asFileProblems(async () => this._stored(file, await this._labelled(account)));
  }

  /** Seals what Electron downloads, for `webviewguard/electron`; `chosen` gives a place where it has none. */
  download(item, owner, chosen) {
    const { SealedDownload } = require("./electron");
    new SealedDownload(this, item, owner, chosen).begin();
  }

  /**
   * A file that something else writes, such as a download: into `path`, which lies in a directory of this program
   * alone when the file will be sealed. `keep` puts it in its place, and `discard` removes it. The key is there before
   * `path` is.
   */
  incoming(file, { account = null, size = null } = {}) {
    return asFileProblems(async () => {
      const owner = await this._labelled(account);
      if (!owner.isManaged) return new Incoming(null, file);
      const incoming = this.incomingSync(path.basename(file), { size });
      await incoming._begin(() => this._stored(file, owner));
      return incoming;
    });
  }

  /**
   * As `incoming`, at once, for a hook that has to name a path before it returns. The file is to lie in a directory of
   * this program alone; `belongsTo` says where it goes and whose it is, before `keep`.
   */
  incomingSync(name, { size = null } = {}) {
    const place = new PrivatePlace(memory(size));
    return new Incoming(place, path.join(place.directory, path.basename(name) || "file"), this);
  }

  /**
   * A file for something that reads files by their paths: `path` is the file itself, or for a sealed one a copy that is
   * unsealed, and goes with `close`. `facts` belong into the event, which is asked before: `facts` alone makes no copy.
   */
  readable(file) {
    return asFileProblems(async () => {
      const info = await infoOf(file);
      const facts = await this._facts(info);
      if (info === null || !info.isSealed) return new Readable(facts, null, file);
      return Readable.of(facts, await this._sealing.open(file), file);
    });
  }

  /** The members of an event about this file that an envelope tells: hand them over with `open`, `upload`, `share`. */
  facts(file) {
    return asFileProblems(async () => this._facts(await infoOf(file)));
  }

  /**
   * Whose an envelope is, as `{ standing, account, mustEncrypt, isManaged }`. Null for every other file: it may have a
   * label that Node cannot read.
   */
  getOwner(file) {
    return asFileProblems(async () => {
      const label = (await this._facts(await infoOf(file))).label;
      return label === undefined ? null : readOwner(await this._ask("ReadLabel", { label }));
    });
  }

  /** Removes what programs of this user that were killed left of `incoming` and `readable`. */
  clearLeftovers() {
    clearLeftovers();
  }

  async _facts(info) {
    if (info === null || !info.isSealed) return {};
    const account = await this._sealedFor(info);
    if (account === null) return { label: BROKEN };
    const { label } = await this._ask("SetOwner", { account, store: "attribute" });
    return { label: typeof label === "string" ? label : BROKEN };
  }

  /** The account that an envelope names: its key for this object opens the header of it. Null when nobody may know. */
  async _sealedFor({ accountId, keyId, objectId }) {
    const { accounts } = await this._guard.accounts.list();
    for (const { account, managed } of accounts) {
      if (!managed) continue;
      try {
        const key = await this._keys({ use: "read", account, objectId, keyId });
        if (key !== null && key.accountId === accountId) return account;
      } catch (problem) {
        if (!(problem instanceof SealingError)) throw problem;
      }
    }
    return null;
  }

  /** The daemon hears that nothing but a seal keeps the owner. */
  async _labelled(account) {
    const store = "none";
    if (account === null) return readOwner(await this._ask("FileCreated", { store }));
    try {
      return readOwner(await this._ask("SetOwner", { account, store }));
    } catch (problem) {
      if (problem.name !== "GuardError" || problem.code !== "NotManaged") throw problem;
      return readOwner({ standing: "unmanaged", mustEncrypt: false });
    }
  }

  async _stored(file, owner) {
    if (!owner.isManaged) return new FileWriter(await NewFile.of(file), null);
    if (owner.account === null) {
      throw new FileProtectionError(102, "nobody can say whose the file is, and it may not be stored in plain");
    }
    return this._sealing.create(file, owner.account);
  }

  _ask(method, said) {
    return this._guard.call(`${INTERFACE}.${method}`, said);
  }
}

/** What `incoming` gives. */
class Incoming {
  constructor(place, file, files = null) {
    this._place = place;
    this._files = files;
    this._target = null;
    this._isOver = false;
    /** Where the file is to be written. */
    this.path = file;
  }

  get isSealed() {
    return this._target !== null && this._target.isSealed;
  }

  /** Asks for its key, so that `keep` asks nobody. On an error nothing of it stays. */
  belongsTo(file, account) {
    const files = this._files;
    return this._begin(async () => files._stored(file, await files._labelled(account)));
  }

  /** Puts the whole file in its place; on an error nothing is there. */
  async keep() {
    if (this._place === null) return;
    try {
      if (this._target === null || this._isOver) throw new FileProtectionError(101, "it has no place, or has ended");
      await asFileProblems(() => copied(this.path, this._target));
    } finally {
      await this.discard();
    }
  }

  /** Nothing of it stays. Harmless after `keep`. */
  async discard() {
    this._isOver = true;
    if (this._place !== null) this._place.close();
    if (this._target !== null) await this._target.abandon();
  }

  async _begin(stored) {
    try {
      this._target = await asFileProblems(stored);
    } catch (problem) {
      await this.discard();
      throw problem;
    }
    // It was discarded while the key was asked for.
    if (this._isOver) await this._target.abandon();
  }
}

/** What `readable` gives. */
class Readable {
  static async of(facts, reader, file) {
    let place = null;
    try {
      place = new PrivatePlace(memory(reader.size));
      const copy = path.join(place.directory, path.basename(file));
      const handle = await fs.promises.open(copy, "wx", 0o600);
      try {
        for await (const piece of reader) await written(handle, piece);
      } finally {
        await handle.close();
      }
      return new Readable(facts, place, copy);
    } catch (problem) {
      if (place !== null) place.close();
      throw problem;
    } finally {
      await reader.close();
    }
  }

  constructor(facts, place, file) {
    this.facts = facts;
    this._place = place;
    this.path = file;
  }

  get isSealed() {
    return this._place !== null;
  }

  async close() {
    if (this._place !== null) this._place.close();
  }
}

/** The owner of an answer; error 107 for an answer that is none. A standing that is not known is `unknown`. */
function readOwner({ standing, owner = null, mustEncrypt }) {
  const isWhole = typeof standing === "string" && typeof mustEncrypt === "boolean"
    && (owner === null || typeof owner === "string");
  if (!isWhole) throw new FileProtectionError(107, "the daemon's answer is none");
  const known = STANDINGS.has(standing) ? standing : "unknown";
  return { standing: known, account: owner, mustEncrypt, isManaged: known !== "unmanaged" };
}

/** What an envelope says of itself; null for every other file. */
async function infoOf(file) {
  try {
    return await fileProtectionInfo(file);
  } catch (problem) {
    if (problem instanceof SealingError && problem.code === 105) return null;
    throw problem;
  }
}

/** Seals a file into its place, in constant memory. */
async function copied(file, target) {
  const handle = await fs.promises.open(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(262144);
    for (;;) {
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, null);
      if (bytesRead === 0) break;
      await target.write(bytes.slice(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
  await target.finish();
}

async function written(handle, bytes) {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done)).bytesWritten;
  }
}

module.exports = { Files, readOwner };
