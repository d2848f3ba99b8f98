"use strict";

// Asks the webviewguard daemon before a web view does something. See README.md.

const { accountKey, sameAccount } = require("./lib/accounts");
const { AccountConfig, ConfigValues } = require("./lib/config");
const { VERSION } = require("./lib/conversation");
const { Decision } = require("./lib/decision");
const { GuardError } = require("./lib/errors");
const { Guard } = require("./lib/guard");
const { NewsItem } = require("./lib/news");
const { complianceNumber, enrollmentNumber, mayWork } = require("./lib/results");
const { signInCredential } = require("./lib/sign-in");

module.exports = {
  AccountConfig, ConfigValues, Decision, Guard, GuardError, NewsItem, accountKey, complianceNumber, enrollmentNumber,
  mayWork, sameAccount, signInCredential, version: VERSION,
};
