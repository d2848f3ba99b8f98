#!/usr/bin/env node
"use strict";

// Runs the tests of the JavaScript client:
//
//   node run.js [NAME...]     NAME is part of a test's name, or of its module's
//
// A test is a function under its name: `module.exports = { "what holds": async (test) => { ... } }`.

const { runAll } = require("./runner");

runAll([
  ["runner", require("./test_runner")],
  ["package", require("./test_package")],
  ["types", require("./test_types")],
  ["words", require("./test_words")],
  ["vectors", require("./test_vectors")],
  ["notices", require("./test_notices")],
  ["shown", require("./test_shown")],
  ["sealing", require("./test_sealing")],
  ["sealed files", require("./test_sealed_files")],
  ["rules", require("./test_rules")],
  ["said", require("./test_said")],
  ["failures", require("./test_failures")],
  ["sync", require("./test_sync")],
  ["beside", require("./test_beside")],
  ["trust", require("./test_trust")],
  ["listening", require("./test_listening")],
  ["scopes", require("./test_scopes")],
  ["sign-in", require("./test_sign_in")],
  ["electron", require("./test_electron")],
  ["electron views", require("./test_electron_views")],
  ["electron warnings", require("./test_electron_warnings")],
  ["electron ways", require("./test_electron_ways")],
  ["electron apps", require("./test_electron_apps")],
  ["electron downloads", require("./test_electron_downloads")],
  ["real", require("./test_real")],
], process.argv.slice(2));
