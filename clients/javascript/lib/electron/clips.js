"use strict";

// Copy, cut, paste and drags: the preload asks here, before they happen, and waits for the answer.

const { wrap } = require("./slots");

const CHANNEL = "webviewguard";
const OWN = "app";
const SELECTIONS = { clipboard: "clipboard", primary: "selection" };

/**
 * What the app put on a selection last. Electron can write no type of its own beside a text, so what others may not
 * read stays in this process: on the selection there is the notice, and a paste in the app gets the content from
 * here.
 */
class Clips {
  constructor(modules, judge, viewerClass) {
    const { clipboard } = modules;
    this._modules = modules;
    this._judge = judge;
    this._class = viewerClass;
    this._clips = new Map();
    this._isOwnKnown = false;
    // Kept before the app's own use of them is judged.
    this._readText = clipboard.readText.bind(clipboard);
    this._writeText = clipboard.writeText.bind(clipboard);
  }

  install() {
    const { ipcMain } = this._modules;
    guardOwnClips(this._modules, this);
    ipcMain.on(CHANNEL, (event, asked) => {
      let answer = { outcome: "block" };
      try {
        answer = this._answer(event.sender, asked);
      } catch (problem) {
        console.error("webviewguard:", problem);
      }
      event.returnValue = answer;
    });
    ipcMain.on(`${CHANNEL}-marked`, (event, asked) => this._marked(event.sender, asked));
  }

  _answer(contents, asked) {
    const { type } = asked;
    if (type === "copy" || type === "drag") return this._copy(contents, asked, type === "drag" ? "drag" : "clipboard");
    if (type === "filled") return this._filled(asked);
    if (type === "paste") return this._paste(contents, asked);
    if (type === "drop") return this._drop(contents, asked);
    if (type === "dragend") return this._dragEnd();
    if (type === "pressed") this._judge.notices.pressed(contents);
    if (type === "files") return this._files(contents, asked);
    return { outcome: "block" };
  }

  /** Asked before the page hears of it; the text is known when the page has had its turn (`filled`). */
  _copy(contents, { length, formats, cut, from }, selection) {
    const event = { selection, length, formats, from };
    if (cut) event.cut = true;
    const decision = this._judge.decide("copy", contents, event);
    if (!decision.allowed) return { outcome: "block" };
    const { clip, proposal, mimeWrap, onlyPlainText } = decision;
    const notice = mimeWrap ? decision.replacement || "" : null;
    this._clips.set(selection, { clip, proposal, notice, text: null, html: "", shown: null });
    return { outcome: "allow", notice, onlyPlainText };
  }

  /** What the copy put there, or would have put there in place of the notice. */
  _filled({ selection, text, html }) {
    const clip = this._clips.get(selection);
    if (clip === undefined) return { outcome: "block" };
    Object.assign(clip, { text, html, shown: clip.notice === null ? text : clip.notice });
    if (selection !== "drag") this._echo(selection, clip);
    return { outcome: "allow" };
  }

  _echo(selection, { clip, proposal, text }) {
    const event = { selection, selfOwned: true, length: scalars(text) };
    if (clip !== null) event.clip = clip;
    else if (proposal !== null) event.proposal = proposal;
    this._judge.say("clipboardChanged", event);
  }

  _found(selection) {
    return this._readText(SELECTIONS[selection]);
  }

  _paste(contents, { selection, from }) {
    const { decision, found, clip } = this._pasted(contents, { selection, from });
    if (!decision.allowed) return { outcome: "block" };
    if (clip !== null && clip.notice !== null) return inserted(clip.text, decision.onlyPlainText ? "" : clip.html);
    return decision.onlyPlainText ? inserted(found, "") : { outcome: "allow" };
  }

  /** The decision, the text that lies there, and the clip that this app put there; null when it is another's. */
  _pasted(contents, { selection, ...more }) {
    const found = this._found(selection);
    const clip = this._clips.get(selection);
    const isOurs = clip !== undefined && clip.shown !== null && found === clip.shown;
    if (!isOurs) {
      this._clips.delete(selection);
      this._judge.say("clipboardChanged", { selection, selfOwned: false,
        length: found === "" ? null : scalars(found) });
    }
    const length = scalars(isOurs ? clip.text : found) || null;
    const event = { selection, length, ...more };
    if (isOurs && clip.clip !== null) event.clip = clip.clip;
    return { decision: this._judge.decide("paste", contents, event), found, clip: isOurs ? clip : null };
  }

  /** The app writes to a selection: what others may not read stays here, in the place of a notice. */
  write(selection, { text, html, formats }, put) {
    const length = text === null ? null : scalars(text) || null;
    const decision = this._judge.decide("copy", null, { viewer: this._own(), selection, length, formats });
    const { clip, proposal, mimeWrap, onlyPlainText } = decision;
    // A picture has no text in whose place a notice could stand.
    if (!decision.allowed || ((mimeWrap || onlyPlainText) && text === null)) return;
    const notice = mimeWrap ? decision.replacement || "" : null;
    if (mimeWrap || onlyPlainText) this._writeText(mimeWrap ? notice : text, SELECTIONS[selection]);
    else put();
    const kept = { clip, proposal, notice, text: text || "", html: onlyPlainText ? "" : html };
    this._clips.set(selection, { ...kept, shown: this._found(selection) });
    this._echo(selection, kept);
  }

  /** The viewer of what no page does. */
  _own() {
    if (!this._isOwnKnown) this._judge.views.register(OWN, { class: this._class });
    this._isOwnKnown = true;
    return OWN;
  }

  /**
   * The app reads a selection, for its own fields as far as anybody knows: null for what it may not read, and
   * `{ text: null }` for what lies there as it is.
   */
  read(selection) {
    const { decision, clip } = this._pasted(null, { viewer: this._own(), selection, surface: "chrome" });
    if (!decision.allowed) return null;
    return clip !== null && clip.notice !== null ? clip : { text: null };
  }

  _drop(contents, { text, length, formats, files, from }) {
    const clip = this._clips.get("drag");
    const isOurs = clip !== undefined && clip.shown !== null && clip.shown === text;
    const said = { selection: "drag", formats, from, length: isOurs ? scalars(clip.text) : length };
    if (isOurs && clip.clip !== null) said.clip = clip.clip;
    const decision = this._judge.decide("paste", contents, said);
    if (!decision.allowed) return { outcome: "block" };
    if (files.length > 0 && this._files(contents, { files, from }).outcome !== "allow") return { outcome: "block" };
    if (isOurs && clip.notice !== null) return inserted(clip.text, decision.onlyPlainText ? "" : clip.html);
    return decision.onlyPlainText ? inserted(text, "") : { outcome: "allow" };
  }

  _dragEnd() {
    this._clips.delete("drag");
    this._judge.say("dragEnd", { selection: "drag" });
    return { outcome: "allow" };
  }

  /** Files that somebody chose for a page, by their paths where the version tells them. */
  _files(contents, { files, from }) {
    const isAllowed = files.every((file) => this._judge.may("upload", contents, { url: from, path: file || null }));
    return { outcome: isAllowed ? "allow" : "block" };
  }

  /** Marking text fills PRIMARY at once: what others may not read is replaced, a moment late. */
  async _marked(contents, { text, formats, from }) {
    const event = { selection: "primary", length: scalars(text), formats, from };
    const decision = await this._judge.later("copy", contents, { ...event });
    const { clip, proposal, mimeWrap } = decision;
    const notice = decision.allowed && !mimeWrap ? null : decision.replacement || "";
    const kept = { clip, proposal, notice, html: "", text, shown: notice === null ? text : notice };
    if (decision.allowed) this._clips.set("primary", kept);
    else this._clips.delete("primary");
    if (notice !== null) this._writeText(notice, "selection");
    if (decision.allowed) this._echo("primary", kept);
  }
}

function inserted(text, html) {
  return { outcome: "insert", text, html };
}

function scalars(text) {
  return Array.from(text).length;
}

// ---- Electron's module `clipboard`: the app's own, and that of preloads without `sandbox`, which asks the main process.

const TEXT = ["text/plain"];
// What each method writes, besides the selection behind it: `{ text, html, formats }`.
const WRITES = {
  writeText: (text) => ({ text: String(text), formats: TEXT }),
  writeHTML: (html) => ({ text: "", html, formats: ["text/html"] }),
  writeRTF: (text) => ({ text: String(text), formats: ["text/rtf"] }),
  writeBookmark: (title, url) => ({ text: String(url), formats: ["text/uri-list"] }),
  writeImage: () => ({ text: null, formats: ["image/png"] }),
  writeBuffer: (format) => ({ text: null, formats: [format] }),
  write: ({ text = "", html = "", image = null }) => ({ text: image ? null : text, html, formats: TEXT }),
};
// What each method gives when nothing may be read.
const READS = {
  readText: () => "", readHTML: () => "", readRTF: () => "", readBookmark: () => ({ title: "", url: "" }),
  readImage: ({ nativeImage }) => nativeImage.createEmpty(), readBuffer: () => Buffer.alloc(0), read: () => "",
};

function guardOwnClips(modules, clips) {
  const { clipboard } = modules;
  for (const name of Object.keys(WRITES)) {
    const count = WRITES[name].length || 1;
    wrap(clipboard, name, (original, ...values) => {
      const { text, html = "", formats } = WRITES[name](...values);
      const type = values[name === "writeBuffer" ? 2 : count];
      clips.write(selectionOf(type), { text, html, formats }, () => original(...values));
    });
  }
  for (const name of Object.keys(READS)) {
    wrap(clipboard, name, (original, ...values) => {
      const isOf = name === "readBuffer" || name === "read";
      const found = clips.read(isOf ? "clipboard" : selectionOf(values[0]));
      if (found === null) return READS[name](modules);
      if (found.text !== null && name === "readText") return found.text;
      return found.text !== null && name === "readHTML" ? found.html : original(...values);
    });
  }
}

function selectionOf(type) {
  return type === "selection" ? "primary" : "clipboard";
}

module.exports = { CHANNEL, Clips };
