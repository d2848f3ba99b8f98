"use strict";

// Downloads: judged before they begin, and sealed where their owner's policy wants it so.

const fs = require("fs");
const path = require("path");
const { storedName } = require("../readable");
const { hear, orCalledOff, wrap } = require("./slots");

class Downloads {
  /** `files` are those of the package webviewguard-sealing; null: nothing is sealed. */
  constructor(modules, judge, files) {
    this._modules = modules;
    this._judge = judge;
    this._files = files;
  }

  guard(session) {
    // Behind the app's own listeners, which may choose the place.
    hear(session, {
      after: { "will-download": (event, ...values) => orCalledOff(event, () => this._begin(event, ...values)) },
    });
    // The requests of these pass no hook, so they are asked about here.
    wrap(session, "downloadURL", (original, url, ...values) => this._ofView(session, url, values));
    wrap(session, "createInterruptedDownload", (original, options) => {
      const urls = (options && options.urlChain) || [];
      if (urls.every((url) => this._judge.may("download", null, { url: String(url) }))) original(options);
    });
  }

  /** A view of the session loads it, so that each of its hops passes the session's hook. */
  _ofView(session, url, values) {
    const { webContents } = this._modules;
    const view = webContents.getAllWebContents().find((contents) => contents.session === session);
    if (view !== undefined) view.downloadURL(url, ...values);
    else console.error("webviewguard: a session without a page downloads nothing, since nobody could judge its hops");
  }

  _begin(event, item, contents) {
    if (event.defaultPrevented) return;
    name(item);
    const chain = item.getURLChain ? item.getURLChain() : [];
    const from = contents ? contents.getURL() || null : null;
    const said = { from, ...this._place(item.getSavePath()) };
    let owner = null;
    for (const url of chain.length > 0 ? chain : [item.getURL()]) {
      const decision = this._judge.decide("download", contents, { url, ...said });
      if (!decision.allowed) {
        event.preventDefault();
        return;
      }
      if (decision.mustEncrypt) owner = decision.setOwner || owner;
    }
    if (this._files !== null && owner !== null) {
      this._files.download(item, owner, () => this._chosen(item, contents));
    } else if (said.path === null) {
      // Without a place Electron asks somebody for one.
      item.once("updated", () => this._placed(item, contents));
    }
  }

  async _placed(item, contents) {
    if (!(await this._mayLie(item, contents, item.getSavePath())).allowed) item.cancel();
  }

  /** Asks somebody for a place, as Electron does, but nothing lies there before the answer. Null for none. */
  async _chosen(item, contents) {
    const { BrowserWindow, dialog } = this._modules;
    const options = { defaultPath: item.getFilename(), ...(item.getSaveDialogOptions() || {}) };
    const window = contents ? BrowserWindow.fromWebContents(contents) : null;
    const { canceled, filePath } = await (window ? dialog.showSaveDialog(window, options)
      : dialog.showSaveDialog(options));
    if (canceled || !filePath) return null;
    return (await this._mayLie(item, contents, filePath)).allowed ? filePath : null;
  }

  _mayLie(item, contents, file) {
    return this._judge.later("download", contents, { url: item.getURL(), ...this._place(file) });
  }

  /** Where a download is stored: what lies in the app's own folder stays in the app. */
  _place(file) {
    const folder = path.resolve(this._modules.app.getPath("userData"));
    const isOwn = Boolean(file) && path.resolve(file).startsWith(`${folder}${path.sep}`);
    return { path: file || null, location: isOwn ? "localStorage" : "other" };
  }
}

/** A site names the file: no letter of the name turns others or ends its line. What lies there is not written over. */
function name(item) {
  const place = item.getSavePath();
  const options = item.getSaveDialogOptions() || {};
  const suggested = place || options.defaultPath || item.getFilename();
  const safe = suggested.replace(/[^/]*$/, (last) => storedName(last));
  if (safe === suggested) return;
  let free = safe;
  for (let number = 1; place && fs.existsSync(free); number += 1) free = safe.replace(/(\.[^./]*)?$/, ` (${number})$1`);
  if (place) item.setSavePath(free);
  else item.setSaveDialogOptions({ ...options, defaultPath: safe });
}

module.exports = { Downloads };
