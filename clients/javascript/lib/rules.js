"use strict";

// Static rules for an engine, as the daemon exports them: for programs that have no file of them.

const { GuardError } = require("./errors");

// The daemon makes a document when somebody asks for it first. Asked again after so long, each time a half longer.
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;

/**
 * Reads one document, part by part. The parts are of one policy; when another one comes into force between two of them, the
 * reading begins anew. `ask` sends `ExportRules`; the promise fails with `notReady` after `waitMs`.
 */
async function readRules(ask, format, viewerClass, waitMs) {
  const deadline = Date.now() + waitMs;
  const said = viewerClass == null ? { format } : { format, class: viewerClass };
  let [parts, generation, pause] = [[], null, FIRST_PAUSE_MS];
  for (;;) {
    const offset = parts.reduce((bytes, part) => bytes + part.length, 0);
    const reply = await ask(offset > 0 ? { ...said, offset } : said);
    if (parts.length > 0 && reply.generation !== generation) {
      [parts, generation] = [[], null];
      continue;
    }
    if (!reply.ready) {
      if (Date.now() + pause > deadline) throw new GuardError("notReady", "ExportRules");
      await new Promise((done) => setTimeout(done, pause));
      pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
      continue;
    }
    generation = reply.generation;
    parts.push(part(reply, offset));
    if (offset + parts[parts.length - 1].length === reply.bytes) return rules(reply, Buffer.concat(parts).toString());
  }
}

function part(reply, offset) {
  const isRead = typeof reply.part === "string" && Number.isInteger(reply.bytes) && Number.isInteger(reply.generation);
  const bytes = Buffer.from(isRead ? reply.part : "");
  const isPart = isRead && offset + bytes.length <= reply.bytes && (bytes.length > 0 || offset === reply.bytes);
  if (!isPart) throw new GuardError("invalidReply", "ExportRules");
  return bytes;
}

function rules(reply, document) {
  const { generation, digest, gaps } = reply;
  return { document, digest: typeof digest === "string" ? digest : "", generation, gaps: Number.isInteger(gaps) ? gaps : 0 };
}

module.exports = { readRules };
