internal import PolicyFiles

/// The fields of each type of a policy that the comparison speaks of, each under its key and with its direction, or that
/// decide nothing, as places do.
///
/// A test holds them against the types. A field that is missing here is compared all the same, under its own name and
/// `sideways`, so that no difference is silent for want of a line.
package enum ComparedFields {
  package static let protection: Set<String> = [
    "name", "accountPatterns", "groups", "webTransfer", "externalInPlace", "clipboard", "send", "receive", "save",
    "open", "managedApps", "printing", "screenCapture", "notifications", "indexing", "contacts", "widgets", "backup",
    "assistants",
    "automation", "writingTools", "inputMethods", "requiresInspection", "encrypt", "unlock", "telecommunication",
    "messaging", "exemptSchemes", "managedSchemes", "monitoredUntil", "warn", "location",
  ]
  package static let clipboard: Set<String> = ["level", "exceptionLength", "exceptionPerMinute", "replacement"]
  package static let app: Set<String> = [
    "name", "peers", "identityMode", "managedAccounts", "account", "untilIdentity", "unlocks",
    "treatAllWebViewsAsUnmanaged", "authViewersUnprotected", "handledSchemes", "popups", "classes", "record",
    "monitoredUntil", "location",
    // Made of the classes.
    "strictestRuleSets", "unknownViewersAreAlwaysJudged",
  ]
  package static let viewerClass: Set<String> = ["name", "policy", "ruleSet", "rulesApply", "subFrames", "location"]
  package static let peer: Set<String> = ["uid", "group", "unit", "label", "socket", "sameUser"]
  package static let account: Set<String> = ["upn", "objectID", "protection", "state", "location"]
  package static let browsers: Set<String> = ["managed", "unmanaged"]
  package static let managedBrowser: Set<String> = ["program", "app", "apps", "alternatives"]
  package static let unmanagedBrowser: Set<String> = ["program", "scheme"]
  package static let program: Set<String> = ["desktopID", "command", "template"]
  package static let texts: Set<String> = ["standard", "localized"]
  package static let language: Set<String> = ["replacement", "notification", "reasons"]
  package static let rule: Set<String> = [
    "id", "verdict", "condition", "purposes", "then", "message", "expires", "takesCredentials", "monitoredUntil",
    "place", "location",
  ]
  /// Lists are compared by the rules that name them; tests, places and the digest decide nothing.
  package static let policy: Set<String> = [
    "policyRequired", "apps", "accounts", "protections", "ruleSets", "lists", "browsers", "links", "texts", "tests",
    "places", "digest",
  ]
}
