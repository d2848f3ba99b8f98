internal import GuardModel
internal import PolicyEngine

/// Looks up the apps and accounts that entries of `appConfig` name.
struct AppConfigAssembler {
  /// The apps of the whole policy.
  let apps: [String]
  let accounts: AccountDirectory
  let protections: [Protection]
  /// False when some file could not be read: names that it may define are then not reported as unknown.
  let isComplete: Bool

  func assemble(
    _ drafts: [AppConfigDraft], scrubKeys: [Located<String>], into diagnostics: inout Diagnostics
  ) -> AppConfigDirectory {
    checkNames(drafts, into: &diagnostics)
    checkDefaults(drafts, into: &diagnostics)
    checkSizes(drafts, into: &diagnostics)
    let entries = drafts.map { draft in
      checkReferences(draft, into: &diagnostics)
      return entry(draft)
    }
    return AppConfigDirectory(entries, scrubKeys: Set(scrubKeys.map(\.value)))
  }

  private func entry(_ draft: AppConfigDraft) -> AppConfigEntry {
    var entry = AppConfigEntry(name: draft.name.value, app: draft.app.value)
    entry.targets = draft.accounts.map { .accounts($0.value) } + draft.groups
    entry.values = draft.values.map(\.value)
    entry.location = draft.location.description
    return entry
  }

  private func checkNames(_ drafts: [AppConfigDraft], into diagnostics: inout Diagnostics) {
    var places: [String: SourceLocation] = [:]
    for draft in drafts {
      if let first = places[draft.name.value] {
        diagnostics.definedTwice("app configuration", draft.name, first: first)
      } else {
        places[draft.name.value] = draft.name.location
      }
    }
  }

  /// With two defaults, the name of an entry would decide the value for most people, which is never intended.
  private func checkDefaults(_ drafts: [AppConfigDraft], into diagnostics: inout Diagnostics) {
    var places: [String: SourceLocation] = [:]
    for draft in drafts where draft.accounts.isEmpty && draft.groups.isEmpty {
      if let first = places[draft.app.value] {
        diagnostics.error(
          .definedTwice, at: draft.name.location, "app \(draft.app.value.quoted) has a default already at \(first)",
          hint: "put all default values into one entry")
      } else {
        places[draft.app.value] = draft.name.location
      }
    }
  }

  /// The values of an app fit in one answer.
  private func checkSizes(_ drafts: [AppConfigDraft], into diagnostics: inout Diagnostics) {
    var sizes: [String: Int] = [:]
    for draft in drafts {
      let before = sizes[draft.app.value, default: 0]
      let size = draft.values.reduce(before) { $0 + $1.value.key.utf8.count + $1.value.value.size }
      sizes[draft.app.value] = size
      guard before <= AppConfigLimit.appBytes, size > AppConfigLimit.appBytes else { continue }
      diagnostics.error(
        .outOfRange, at: draft.name.location,
        "the values of app \(draft.app.value.quoted) have more than \(AppConfigLimit.appBytes) bytes from here on",
        hint: "let the app fetch large data from a place that a value names")
    }
  }

  private func checkReferences(_ draft: AppConfigDraft, into diagnostics: inout Diagnostics) {
    guard isComplete else { return }
    if !apps.contains(draft.app.value) {
      diagnostics.unknownReference("app", draft.app, among: apps, none: "there is no app in `policy.d`")
    }
    for account in draft.accounts where !isKnown(account.value) {
      diagnostics.unknownReference(
        "account", account, among: knownNames, none: "no entry of `accounts` and no protection names an account")
    }
  }

  private var knownNames: [String] {
    Set(accounts.entries.flatMap(\.foldedNames) + protections.flatMap(\.accountPatterns)).sorted()
  }

  /// Whether the policy speaks of some account that the pattern takes. A protection that binds a group speaks of any.
  private func isKnown(_ pattern: String) -> Bool {
    if protections.contains(where: { !$0.groups.isEmpty }) { return true }
    return knownNames.contains { known in
      known == pattern || AccountName.pattern(known, takes: pattern) || AccountName.pattern(pattern, takes: known)
    }
  }
}
