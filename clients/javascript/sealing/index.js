"use strict";

const { FileProtectionError, SealingError } = require("./lib/errors");
const { Files } = require("./lib/files");
const { keysOf } = require("./lib/keys");
const { SealedReader } = require("./lib/reader");
const { FileWriter, Sealing, fileProtectionInfo, protectionInfo, protectionInfoOfText } = require("./lib/sealing");
const { SealedWriter } = require("./lib/streams");

module.exports = {
  FileProtectionError, FileWriter, Files, SealedReader, SealedWriter, Sealing, SealingError, fileProtectionInfo, keysOf,
  protectionInfo, protectionInfoOfText,
};
