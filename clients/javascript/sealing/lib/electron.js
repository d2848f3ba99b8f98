"use strict";

// Sealed downloads of an Electron app. `webviewguard/electron` uses this.

const path = require("path");

/** A download that Electron writes into a directory of this program alone, and that is sealed when it is whole. */
class SealedDownload {
  constructor(files, item, owner, chosen) {
    Object.assign(this, { _files: files, _item: item, _owner: owner, _chosen: chosen });
    this._final = item.getSavePath() || "";
  }

  begin() {
    const item = this._item;
    const size = item.getTotalBytes();
    this._incoming = this._files.incomingSync(path.basename(this._final || item.getFilename()), { size });
    item.setSavePath(this._incoming.path);
    // The app sees where the file will lie; the place in between is nobody's business, and does not change.
    item.getSavePath = () => this._final;
    item.setSavePath = () => {};
    Object.defineProperty(item, "savePath", { get: item.getSavePath, set: item.setSavePath, configurable: true });
    this._placed = this._findsPlace();
    this._placed.catch((problem) => {
      console.error("webviewguard: a download is not kept:", problem.message);
      try {
        item.cancel();
      } catch (gone) {
        // It is over anyway.
      }
    });
    // The app hears that it is done when it lies sealed in its place.
    const emit = item.emit.bind(item);
    item.emit = (name, event, state, ...more) => {
      if (name !== "done") return emit(name, event, state, ...more);
      this._ended(state).then((said) => emit(name, event, said, ...more));
      return true;
    };
  }

  /** The key is asked for while the file comes in. */
  async _findsPlace() {
    const file = this._final || await this._chosen();
    if (file === null) throw new Error("it has no place");
    this._final = file;
    await this._incoming.belongsTo(file, this._owner);
  }

  /** What came of it, for the app. */
  async _ended(state) {
    try {
      if (state === "completed") {
        await this._placed;
        await this._incoming.keep();
        return state;
      }
      await this._incoming.discard();
      return state;
    } catch (problem) {
      console.error("webviewguard: a download is not kept:", problem.message);
      await this._incoming.discard();
      return "interrupted";
    }
  }
}

module.exports = { SealedDownload };
