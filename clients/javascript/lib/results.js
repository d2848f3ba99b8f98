"use strict";

// What the words of accounts' life mean, with the numbers that the SDK has for them.

const ENROLLMENT = new Map(Object.entries({
  newPolicies: 100, unchanged: 101, wipeReceived: 102, noPolicy: 103, unenrolled: 104, internalError: 201,
  unreadablePolicy: 206, noAccount: 207, alreadyEnrolled: 208, notOrganizationAccount: 209, otherUser: 210,
  notSignedIn: 211, notEnrolled: 213, notEnrolledAccount: 214, clearFailed: 215, notChecked: 216, unsupported: 223,
  notTargeted: 225, blocked: 226, singleAccount: 227,
}));
const COMPLIANCE = new Map(Object.entries({
  compliant: 0, notCompliant: 1, serviceFailure: 2, networkFailure: 3, interactionRequired: 4, userCancelled: 5,
}));
const GOING = new Set(["notOrganizationAccount", "otherUser", "notSignedIn"]);
const WORKING = new Set(["active", "enrolled", "unmanaged"]);

/** The SDK's number of an EnrollmentResult: of `newPolicies` 100; null for a word that is not known. */
function enrollmentNumber(result) {
  return ENROLLMENT.has(result) ? ENROLLMENT.get(result) : null;
}

/** The SDK's number of a ComplianceStatus: of `compliant` 0; null for a word that is not known. */
function complianceNumber(status) {
  return COMPLIANCE.has(status) ? COMPLIANCE.get(status) : null;
}

/** Whether an EnrollmentResult is no failure; a word that is not known is one. */
function isSuccess(result) {
  return ENROLLMENT.has(result) && ENROLLMENT.get(result) < 200;
}

/** Whether the app should remove the account, since it can never be enrolled here. */
function mustRemove(result) {
  return GOING.has(result);
}

/** Whether an account may work, by its state in news or its point of life; a word that is not known is `blocked`. */
function mayWork(state) {
  return WORKING.has(state);
}

module.exports = { complianceNumber, enrollmentNumber, isSuccess, mayWork, mustRemove };
