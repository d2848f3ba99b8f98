"use strict";

// The version of this library; package.json states the same.
exports.VERSION = "0.1.0";
