internal import GuardModel
internal import PolicyEngine

/// Finds settings of one protection that contradict each other, or that do nothing.
///
/// A stated setting that is not in force is an error with both places: its author counts on it, be it a restriction or
/// a permission. A stated setting that changes nothing either way is a warning.
struct SettingConflicts {
  private let protection: Protection
  private let places: PolicyPlaces
  /// An unreadable setting contradicts nothing: it has its default only for want of a better value.
  private let misread: Set<String>

  init(_ draft: ProtectionDraft, _ places: PolicyPlaces) {
    protection = draft.protection
    misread = draft.misread
    self.places = places
  }

  func report(into diagnostics: inout Diagnostics) {
    let overruled = protection.overruled
    for setting in overruled { report(setting, into: &diagnostics) }
    for key in ["save", "open"] where !overruled.contains(where: { $0.key == key + ".exceptions" }) {
      reportExceptions(key, key == "save" ? protection.save : protection.open, into: &diagnostics)
    }
    reportNames(into: &diagnostics)
    reportClipboard(into: &diagnostics)
    if !protection.encrypt {
      withoutEffect(
        "encryption.by", while: ["encrypt"], hint: "write `encrypt: true`, or remove `encryption`", into: &diagnostics)
    }
  }

  /// One setting that another one overrules (ledger SL-12, OL-07, DT-06).
  private func report(_ setting: OverruledSetting, into diagnostics: inout Diagnostics) {
    guard let place = place(of: setting.key, beside: setting.cause) else { return }
    let stated = protection.writtenValue(of: setting.key)
    // A channel is shut unless everything may be sent; the rest is free to choose between managed programs.
    let remedy = setting.value == Permission.block.rawValue ? "any" : "managed"
    diagnostics.error(
      .contradictorySettings, at: place,
      "\(setting.key.quoted) is \(stated.quoted), and \(words(setting.cause)), which makes it \(setting.value.quoted)",
      hint: "remove \(setting.key.quoted), or write `\(setting.cause): \(remedy)`")
  }

  /// Exceptions without a block: an author who lists them takes the other places for blocked.
  private func reportExceptions(_ key: String, _ settings: LocationSettings, into diagnostics: inout Diagnostics) {
    guard settings.allowed, !settings.exceptions.isEmpty,
      let place = place(of: key + ".exceptions", beside: key + ".allowed")
    else { return }
    diagnostics.error(
      .contradictorySettings, at: place,
      "`\(key).exceptions` lists places, and \(words(key + ".allowed")), which allows all of them",
      hint: "write `allowed: false` beside it, or remove `exceptions`")
  }

  /// Names that are asked for only where some programs are managed and others are not.
  private func reportNames(into diagnostics: inout Diagnostics) {
    let schemes = [("exemptSchemes", protection.exemptSchemes), ("managedSchemes", protection.managedSchemes)]
    for (key, names) in schemes where !names.isEmpty && !protection.send.isManaged {
      withoutEffect(key, while: ["send"], hint: "write `send: managed`, or remove it", into: &diagnostics)
    }
    if !protection.managedApps.isEmpty, !protection.send.isManaged, protection.receive != .managed {
      withoutEffect(
        "managedApps", while: ["send", "receive"], hint: "write `send: managed` or `receive: managed`, or remove it",
        into: &diagnostics)
    }
  }

  private func reportClipboard(into diagnostics: inout Diagnostics) {
    let clipboard = protection.clipboard
    if clipboard.exceptionLength > 0, clipboard.level == .any {
      withoutEffect(
        "clipboard.exceptionLength", while: ["clipboard.level"],
        hint: "there is nothing to except from: state a `level`, or remove it", into: &diagnostics)
    } else if clipboard.exceptionPerMinute != nil, clipboard.exceptionLength == 0 {
      withoutEffect(
        "clipboard.exceptionPerMinute", while: ["clipboard.exceptionLength"],
        hint: "state an `exceptionLength`, or remove it", into: &diagnostics)
    }
  }

  private func withoutEffect(
    _ key: String, while causes: [String], hint: String, into diagnostics: inout Diagnostics
  ) {
    guard let place = place(of: key, beside: causes) else { return }
    diagnostics.warning(
      .settingWithoutEffect, at: place,
      "\(key.quoted) changes nothing while \(causes.map(words).joined(separator: " and "))", hint: hint)
  }

  /// The place of a setting; nil when it is not stated, or when it or one of the others could not be read.
  private func place(of key: String, beside others: String...) -> SourceLocation? { place(of: key, beside: others) }

  private func place(of key: String, beside others: [String]) -> SourceLocation? {
    let isKnown = ([key] + others).allSatisfy { key in
      !misread.contains(key) && !misread.contains(String(key.prefix { $0 != "." }))
    }
    return isKnown ? places.setting(key, of: protection) : nil
  }

  /// ``"`send` is `none` (policy.d/a.yaml:3:5)"``, or ``"`send` is `any` by default"``
  private func words(_ key: String) -> String {
    let place = places.setting(key, of: protection).map { " (\($0))" } ?? " by default"
    return "\(key.quoted) is \(protection.writtenValue(of: key).quoted)\(place)"
  }
}

/// A setting of a protection whose value another setting forces, against the stated one.
package struct OverruledSetting {
  /// The key below the protection: `save.allowed`
  package let key: String
  /// The value in force, as it would be written.
  package let value: String
  /// The key of the setting that forces it.
  package let cause: String
}

extension Protection {
  /// The overruled settings: by the engine's effective values, and those for classes of schemes, which the engine asks
  /// only where not everything may be sent (E.4).
  package var overruled: [OverruledSetting] {
    EffectiveSettings(self).forced.map(OverruledSetting.init) + overruledSchemeClasses
  }

  private var overruledSchemeClasses: [OverruledSetting] {
    guard send == .any else { return [] }
    return [("telecommunication", telecommunication), ("messaging", messaging)].compactMap { key, setting in
      setting == .any ? nil : OverruledSetting(key: key, value: SchemeClassSetting.any.written, cause: "send")
    }
  }
}

extension OverruledSetting {
  /// `receive` forces the `open` settings, `send` the rest.
  fileprivate init(_ forced: ForcedSetting) {
    self.init(key: forced.key, value: forced.value, cause: forced.key.hasPrefix("open.") ? "receive" : "send")
  }
}
