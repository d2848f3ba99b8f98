internal import GuardModel

/// The direction in which a setting moved.
package enum SettingChange: String, Sendable, Hashable, CaseIterable {
  case same
  /// It lifts a restriction and adds none.
  case looser
  case tighter
  /// Neither: another text, another program, a list that lost one entry and gained another.
  case sideways

  /// Combines two parts of one setting: a move both ways is sideways.
  func with(_ other: SettingChange) -> SettingChange {
    if self == .same || self == other { return other }
    return other == .same ? self : .sideways
  }
}

/// One setting of a protection, and the order of its values: levels by `Ranked`, limits by number, lists by their
/// elements.
///
///     ProtectionSetting.all.first { $0.key == "send" }?.change(standard, strict)    // .tighter
package struct ProtectionSetting: Sendable {
  /// As it is written below a protection: `clipboard.exceptionLength`
  package let key: String
  /// The direction in which it moved from one protection to the other.
  package let change: @Sendable (_ old: Protection, _ new: Protection) -> SettingChange
  /// Whether one of two values is the stricter. Lists, programs and texts have to be asked for each event.
  private(set) var isRanked = true

  /// Every setting, in the order of `docs/configuration.md`. The accounts that a protection binds are no setting.
  ///
  /// If several protections bind an account, levels take the strictest value, limits the minimum of those that limit,
  /// lists the entries common to all protections that ask their list, conditions accumulate, and a text is that of the
  /// deciding protection; see `ProtectionSet`.
  package static let all: [ProtectionSetting] =
    [
      .level("webTransfer", \.webTransfer), .level("externalInPlace", \.externalInPlace),
      .level("clipboard.level", \.clipboard.level),
      .limit("clipboard.exceptionLength") { Int64($0.clipboard.exceptionLength) },
      .limit("clipboard.exceptionPerMinute") { $0.clipboard.exceptionPerMinute.map(Int64.init) ?? .max },
      .text("clipboard.replacement") { $0.clipboard.replacement },
      .level("send", \.send), .level("receive", \.receive),
      .condition("save.allowed") { !$0.save.allowed }, .list("save.exceptions") { Set($0.save.exceptions.locations) },
      .condition("open.allowed") { !$0.open.allowed }, .list("open.exceptions") { Set($0.open.exceptions.locations) },
      .list("managedApps") { Set($0.managedApps) },
      .program("telecommunication", \.telecommunication), .program("messaging", \.messaging),
      .list("exemptSchemes") { Set($0.exemptSchemes) }, .list("managedSchemes") { Set($0.managedSchemes) },
    ] + Protection.permissions.map { key, path in .level(key) { $0[keyPath: path] } } + [
      .level("automation") { $0.automation ?? $0.assistants }, .level("notifications", \.notifications),
      .level("inspection.required", \.requiresInspection), .level("encrypt", \.encrypt),
      .level("unlock", \.unlock), .list("warn") { Set($0.warn.kinds) },
      .limit("monitorOnly.until") { $0.monitoredUntil ?? .min },
    ]

  private static func level(_ key: String, _ value: @escaping @Sendable (Protection) -> some Ranked) -> Self {
    Self(key: key) { old, new in .from(value(old).strictness, to: value(new).strictness) }
  }

  /// An upper limit: the smaller, the stricter.
  private static func limit(_ key: String, _ value: @escaping @Sendable (Protection) -> Int64) -> Self {
    Self(key: key) { old, new in .from(value(new), to: value(old)) }
  }

  private static func condition(_ key: String, _ value: @escaping @Sendable (Protection) -> Bool) -> Self {
    level(key, value)
  }

  /// A list of exceptions: the fewer, the stricter.
  private static func list<Entry: Hashable & SendableMetatype>(
    _ key: String, _ entries: @escaping @Sendable (Protection) -> Set<Entry>
  ) -> Self {
    unranked(key) { protectionBefore, protectionAfter in
      let (old, new) = (entries(protectionBefore), entries(protectionAfter))
      if old == new { return .same }
      if new.isSubset(of: old) { return .tighter }
      return old.isSubset(of: new) ? .looser : .sideways
    }
  }

  /// Any, one program, or none.
  private static func program(_ key: String, _ value: @escaping @Sendable (Protection) -> SchemeClassSetting) -> Self {
    unranked(key) { protectionBefore, protectionAfter in
      let (old, new) = (value(protectionBefore), value(protectionAfter))
      return old.strictness == new.strictness && old != new ? .sideways : .from(old.strictness, to: new.strictness)
    }
  }

  private static func text(_ key: String, _ value: @escaping @Sendable (Protection) -> String?) -> Self {
    unranked(key) { old, new in value(old) == value(new) ? .same : .sideways }
  }

  private static func unranked(
    _ key: String, _ change: @escaping @Sendable (_ old: Protection, _ new: Protection) -> SettingChange
  ) -> Self {
    var setting = Self(key: key, change: change)
    setting.isRanked = false
    return setting
  }
}

extension Snapshot {
  /// The protection of a set that gives the strictest value of a setting, by its key; nil of none.
  ///
  ///     snapshot.strictest("webTransfer", of: snapshot.allProtections)
  ///
  /// - Parameter known: a protection of the set; it gives the value if others are only as strict, or cannot be ranked.
  package func strictest(_ key: String, of set: ProtectionSet, ratherThan known: Int32? = nil) -> Int32? {
    let asked = ProtectionSetting.all.first { $0.key == key && (known == nil || $0.isRanked) }
    guard let setting = asked else { return known ?? set.first }
    return set.indexes.reduce(known) { best, index in
      guard let best else { return index }
      return setting.change(protections[Int(best)], protections[Int(index)]) == .tighter ? index : best
    }
  }
}

extension SettingChange {
  /// For values that are stricter the greater they are.
  fileprivate static func from<Value: Comparable>(_ old: Value, to new: Value) -> SettingChange {
    old == new ? .same : old < new ? .tighter : .looser
  }
}

extension Protection {
  /// The settings that are `allow` or `block` and nothing else, by their keys.
  package static var permissions: [(key: String, path: any WritableKeyPath<Protection, Permission> & Sendable)] {
    [
      ("printing", \.printing), ("screenCapture", \.screenCapture), ("indexing", \.indexing), ("contacts", \.contacts),
      ("widgets", \.widgets), ("backup", \.backup), ("assistants", \.assistants), ("writingTools", \.writingTools),
      ("inputMethods", \.inputMethods),
    ]
  }
}
