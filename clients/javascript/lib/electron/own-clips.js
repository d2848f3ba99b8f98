"use strict";

// What the app itself puts on a selection and takes from it, with Electron's module `clipboard`; on Linux preloads of
// pages without `sandbox`, too, whose module asks the main process.

const { wrap } = require("./slots");

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

module.exports = { guardOwnClips };
