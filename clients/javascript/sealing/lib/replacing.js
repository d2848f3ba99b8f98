"use strict";

// Files that are replaced whole: there is the old one or the new one, and never a part.

const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

// Letters of the name that the new file has while it is written: four bytes each at most.
const NAME_LETTERS = 50;
const MOST_LINKS = 40;

/**
 * A file that takes the place of `path` with `finish`. It has the permissions of the one before, or those of any new
 * file; where `path` is a link, the file that it leads to is replaced. Another name of the same file (a hard link)
 * keeps the old content. A crash may leave a file `.NAME.*.new`.
 */
class NewFile {
  static async of(file) {
    const final = await followed(file);
    const [folder, name] = [path.dirname(final), path.basename(final)];
    const letters = Array.from(name).slice(0, NAME_LETTERS).join("");
    const temporary = path.join(folder, `.${letters}.${crypto.randomBytes(8).toString("hex")}.new`);
    const handle = await fs.promises.open(temporary, "wx", 0o666);
    const made = new NewFile(handle, temporary, final);
    try {
      await made._keepMode();
    } catch (problem) {
      await made.abandon();
      throw problem;
    }
    return made;
  }

  constructor(handle, temporary, final) {
    Object.assign(this, { _handle: handle, _temporary: temporary, path: final });
    this._written = Promise.resolve();
  }

  /** Writes all of it. Writes that are not waited for keep their order. */
  write(bytes) {
    const written = this._written.then(() => this._write(bytes));
    this._written = written;
    // A caller that waits for it hears of its error, and so does `finish`.
    written.catch(() => undefined);
    return written;
  }

  /** Puts it in its place; on an error nothing is there. */
  async finish() {
    try {
      await this._written;
      await this._handle.sync();
      await fs.promises.rename(this._temporary, this.path);
    } catch (problem) {
      await this.abandon();
      throw problem;
    }
    await this._handle.close();
    const folder = await fs.promises.open(path.dirname(this.path), "r");
    await folder.sync().then(() => folder.close(), async (problem) => {
      await folder.close();
      throw problem;
    });
  }

  /** Nothing of it stays. */
  async abandon() {
    await this._handle.close().catch(() => undefined);
    await fs.promises.unlink(this._temporary).catch(() => undefined);
  }

  async _write(bytes) {
    for (let written = 0; written < bytes.length;) {
      written += (await this._handle.write(bytes, written, bytes.length - written)).bytesWritten;
    }
  }

  /** A file system without permissions refuses to set them, and has the same for each file. */
  async _keepMode() {
    const old = await fs.promises.stat(this.path).catch((problem) => {
      if (problem.code === "ENOENT") return null;
      throw problem;
    });
    const mode = old === null ? null : old.mode & 0o777;
    if (mode !== null && ((await this._handle.stat()).mode & 0o777) !== mode) await this._handle.chmod(mode);
  }
}

/** Where a path leads, also when nothing is there yet. */
async function followed(file, links = 0) {
  const full = path.resolve(file);
  try {
    return await fs.promises.realpath(full);
  } catch (problem) {
    if (problem.code !== "ENOENT" || links > MOST_LINKS) throw problem;
  }
  const folder = await fs.promises.realpath(path.dirname(full));
  const target = await fs.promises.readlink(full).catch(() => null);
  return target === null ? path.join(folder, path.basename(full)) : followed(path.resolve(folder, target), links + 1);
}

module.exports = { NewFile };
