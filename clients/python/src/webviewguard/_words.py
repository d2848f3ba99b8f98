"""The words of the wire, one literal type for each enum of the interfaces, by its name there."""

from __future__ import annotations

from typing import Literal

Frame = Literal["unknown", "main", "sub", "resource"]
Gesture = Literal["unknown", "no", "yes"]
Selection = Literal["unknown", "clipboard", "primary", "drag"]
Location = Literal[
    "other", "oneDriveForBusiness", "sharePoint", "box", "dropbox", "googleDrive", "iManage", "egnyte",
    "accountDocument", "localStorage", "photoLibrary", "camera",
]  # fmt: skip
Channel = Literal[
    "unknown", "nativeMessaging", "assistant", "automation", "writingTools", "inputMethod", "contacts", "widgets",
    "backup",
]  # fmt: skip
CaptureKind = Literal["unknown", "screenshot", "recording", "ownImage"]
Inspection = Literal["none", "passed", "blocked", "tooLarge", "offline", "cancelled"]
Surface = Literal["content", "chrome"]
Note = Literal[
    "unknownOwner", "unknownLocationAccount", "unknownPeerAccount", "unknownPeer", "unreadablePath",
    "unknownLocation", "otherLocation", "accountIgnored", "localWithoutAccount", "unknownChannel", "unknownCapture",
    "cannotRedact", "cannotSwitch", "afterAdvised", "unprotectedViewer", "cannotWarn",
    "cannotWrap", "cannotStrip", "externalReceiver", "namedByRule",
]  # fmt: skip
MonitorCause = Literal["app", "protection", "rule"]
Outcome = Literal["block", "allow", "warn", "redirect", "handOff", "redact", "switchIdentity"]
Reason = Literal[
    "noPolicy", "unknownApp", "unknownEvent", "noIdentity", "noManagedIdentity", "unmanaged", "accountBlocked",
    "accountNotCompliant", "accountWiped", "policyRequired", "accountNotAllowed",
    "notChecked", "locked", "invalidURL", "sameDocument", "handledInViewer", "subFrame", "resource",
    "popupBlocked", "noRules", "internal", "exception", "external", "externalInPlace", "externalBlocked",
    "blockedByRule", "exemptLink", "managedLink", "managedBrowserUnavailable", "isManagedBrowser", "sendAny",
    "schemeClassAllowed", "schemeClassBlocked", "exemptScheme", "managedScheme", "handOffBlocked", "clipRecorded",
    "sameAccount", "clipboardAllowed", "withinLimit", "orgData", "orgDataOverLimit", "incomingRestricted",
    "personalDataOverLimit", "uploadBlockedViewer", "ownerUnknown", "changeRecorded", "inPlace", "transferAllowed",
    "locationAllowed", "outgoingRestricted", "outgoingDisallowed", "incomingDisallowed", "wrongAccount",
    "unknownAccount", "saveLocationNotListed", "openLocationNotListed", "downloadBlocked", "shareBlocked",
    "webTransferAny", "storeLinkBlocked", "printAllowed", "printBlocked", "captureAllowed", "captureBlocked",
    "captureOwnImage", "notificationAllowed", "notificationRedacted", "notificationBlocked", "indexAllowed",
    "indexBlocked", "channelAllowed", "channelBlocked", "scanRequired", "scanBlocked", "scanTooLarge", "scanOffline",
    "scanCancelled", "monitored", "mixedViewLockdown", "identitySwitchNeeded", "identitySwitchFailed",
]  # fmt: skip
WebViewPolicy = Literal["unset", "unmanaged", "currentIdentity", "currentIdentityBlockUpload"]
PolicySource = Literal["unknownViewer", "class", "kind", "ownTag", "ancestor", "opener", "flag", "default"]
IdentityLevel = Literal["none", "viewer", "scope", "window", "process", "strictest"]
Verdict = Literal["external", "internal"]
OpenTarget = Literal["managedBrowser", "unmanagedBrowser", "exemptLink", "managedLink", "schemeHandler"]
Mode = Literal["enforced", "monitored"]
ViewerKind = Literal["embedded", "container", "window", "popup", "auth", "ephemeral"]
IdentityTarget = Literal["process", "window", "scope"]
FailureAnswer = Literal["closed", "open"]
PlaceQuestion = Literal["save", "open"]
SwitchResult = Literal["success", "canceled", "notAllowed", "failed"]
SwitchCause = Literal["openURL", "cancelConditionalLaunch", "documentImport"]
UnlockResult = Literal[
    "unlocked", "dismissed", "refused", "noAgent", "noChallenge", "timedOut", "serviceFailure",
]  # fmt: skip
AccountState = Literal[
    "active", "blocked", "nonCompliant", "wiped", "policyRequired", "notAllowed", "notChecked", "locked",
]  # fmt: skip
EventKind = Literal[
    "navigate", "copy", "paste", "clipboardChanged", "dragEnd", "download", "upload", "save", "open", "receive",
    "share", "print", "capture", "notify", "openURL", "exchange", "index",
]  # fmt: skip
RestartCause = Literal["staticRules", "fixedAccount", "accountMustGo"]
Topic = Literal[
    "policy", "account", "identity", "enrollment", "allowedAccounts", "config", "wipe", "compliance", "restart",
    "dataProtection",
]  # fmt: skip
Limit = Literal[
    "connections", "instances", "viewers", "windows", "pipelinedCalls", "messageBytes", "messageMs", "nameBytes",
    "accounts", "nesting", "questions", "pathBytes", "justificationBytes", "memoryBytes", "logBytes",
    "files",
]  # fmt: skip

# Those of `org.webviewguard.Accounts`.
LifeState = Literal[
    "unknown", "unmanaged", "registered", "enrolled", "suspended", "blocked", "nonCompliant", "policyRequired",
    "notAllowed", "notChecked", "locked", "wipePending", "wiped",
]  # fmt: skip
EnrollmentResult = Literal[
    "newPolicies", "unchanged", "wipeReceived", "noPolicy", "unenrolled", "internalError", "unreadablePolicy",
    "noAccount", "alreadyEnrolled", "notOrganizationAccount", "otherUser", "notSignedIn", "notEnrolled",
    "notEnrolledAccount", "clearFailed", "notChecked", "unsupported", "notTargeted", "blocked", "singleAccount",
]  # fmt: skip
ComplianceStatus = Literal[
    "compliant", "notCompliant", "serviceFailure", "networkFailure", "interactionRequired", "userCancelled"
]
DirectoryState = Literal["none", "opening", "open", "failed"]
FileEncryption = Literal["none", "envelope", "fscrypt", "gocryptfs", "volume"]
DataFate = Literal["keep", "remove"]
FileStanding = Literal["unknown", "unmanaged", "mine", "managed"]
LabelStore = Literal["attribute", "table", "none"]
DataKeyUse = Literal["write", "read"]
AccountSource = Literal["user", "broker", "app"]
RequestResult = Literal["done", "refused", "failed"]

# What an app may say it can, with Attach.
Feature = Literal["actions", "clips", "redact", "warn", "switchIdentity", "clipEcho", "wrap", "plainText"]
