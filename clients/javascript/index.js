"use strict";

// Asks the webviewguard daemon before a web view does something. See README.md.

const { AccountConfig, ConfigValues } = require("./lib/config");
const { Decision } = require("./lib/decision");
const { GuardError } = require("./lib/errors");
const { Guard } = require("./lib/guard");
const { accountKey, sameAccount } = require("./lib/ids");
const { NewsItem } = require("./lib/news");
const { complianceNumber, enrollmentNumber, mayWork } = require("./lib/results");
const { signInCredential } = require("./lib/sign-in");
const { VERSION } = require("./lib/version");

module.exports = {
  AccountConfig, ConfigValues, Decision, Guard, GuardError, NewsItem, accountKey, complianceNumber, enrollmentNumber,
    mayWork,
  sameAccount, signInCredential, version: VERSION,
};
