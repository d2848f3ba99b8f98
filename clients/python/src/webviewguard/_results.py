"""What the words of accounts' life mean, with the numbers that the SDK has for them."""

from __future__ import annotations

from collections.abc import Mapping

_ENROLLMENT: Mapping[str, int] = {
    "newPolicies": 100, "unchanged": 101, "wipeReceived": 102, "noPolicy": 103, "unenrolled": 104,
    "internalError": 201, "unreadablePolicy": 206, "noAccount": 207, "alreadyEnrolled": 208,
    "notOrganizationAccount": 209, "otherUser": 210, "notSignedIn": 211, "notEnrolled": 213,
    "notEnrolledAccount": 214, "clearFailed": 215, "notChecked": 216, "unsupported": 223, "notTargeted": 225,
    "blocked": 226, "singleAccount": 227,
}  # fmt: skip
_COMPLIANCE: Mapping[str, int] = {
    "compliant": 0, "notCompliant": 1, "serviceFailure": 2, "networkFailure": 3, "interactionRequired": 4,
    "userCancelled": 5,
}  # fmt: skip
_GOING = frozenset({"notOrganizationAccount", "otherUser", "notSignedIn"})
_WORKING = frozenset({"active", "enrolled", "unmanaged"})


def enrollment_number(result: str | None) -> int | None:
    """The SDK's number of an EnrollmentResult: `enrollment_number("newPolicies")` is 100; None for a word that is not
    known."""
    return _ENROLLMENT.get(result or "")


def compliance_number(status: str | None) -> int | None:
    """The SDK's number of a ComplianceStatus: `compliance_number("compliant")` is 0; None for a word that is not
    known."""
    return _COMPLIANCE.get(status or "")


def is_success(result: str | None) -> bool:
    """Whether an EnrollmentResult is no failure; a word that is not known is one."""
    return _ENROLLMENT.get(result or "", 200) < 200


def must_remove(result: str | None) -> bool:
    """Whether the app should remove the account, since it can never be enrolled here."""
    return result in _GOING


def may_work(state: str | None) -> bool:
    """Whether an account may work, by its state in news or its point of life; a word that is not known is `blocked`."""
    return state in _WORKING
