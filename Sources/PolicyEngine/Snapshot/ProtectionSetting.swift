package import GuardModel

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
      .level("encryption.by", \.encryptBy),
      .level("unlock", \.unlock), .limit("recheckAfter") { Int64($0.recheckAfter) },
      .list("warn") { Set($0.warn.kinds) },
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
  package func strictest(_ key: String, of set: ProtectionSet, ratherThan known: ProtectionIndex? = nil)
    -> ProtectionIndex?
  {
    let asked = ProtectionSetting.all.first { $0.key == key && (known == nil || $0.isRanked) }
    guard let setting = asked else { return known ?? set.first }
    return set.indexes.reduce(known) { best, index in
      guard let best else { return index }
      return setting.change(self[best], self[index]) == .tighter ? index : best
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

/// The values in force of a protection's settings that depend on others (ledger SL-12, OL-07, DT-06; D-32).
///
///     var protection = Protection(name: "contoso")
///     protection.send = .none
///     EffectiveSettings(protection).save.allowed                  // false, whatever is stated
///     EffectiveSettings(protection).forced[0].cause               // "`send` is `none`"
package struct EffectiveSettings: Sendable, Hashable {
  package private(set) var save: LocationSettings
  package private(set) var open: LocationSettings
  package private(set) var indexing: Permission
  package private(set) var assistants: Permission
  /// Its own value; where none is stated, that of assistants (D-40).
  package private(set) var automation: Permission
  /// The forced values that replace stated ones, in the order of the settings.
  package private(set) var forced: [ForcedSetting] = []

  package init(_ protection: Protection) {
    save = protection.save.listing(only: .listableForSave)
    open = protection.open.listing(only: .listableForOpen)
    indexing = protection.indexing
    assistants = protection.assistants
    automation = protection.automation ?? protection.assistants
    force(protection)
  }

  private mutating func force(_ protection: Protection) {
    let send = "`send` is `\(protection.send.rawValue)`"
    let receive = "`receive` is `\(protection.receive.rawValue)`"
    if let value = LocationSettings.forced(by: protection.send) { force(\.save, to: value, "save", send) }
    if let value = LocationSettings.forced(by: protection.receive) { force(\.open, to: value, "open", receive) }
    guard protection.send != .any else { return }
    block(\.indexing, "indexing", send)
    block(\.assistants, "assistants", send)
    if protection.automation == nil { automation = assistants }
  }

  private mutating func force(
    _ setting: WritableKeyPath<Self, LocationSettings>, to value: LocationSettings, _ key: String, _ cause: String
  ) {
    let stated = self[keyPath: setting]
    if stated.allowed != value.allowed {
      forced.append(ForcedSetting(key: key + ".allowed", value: String(value.allowed), cause: cause))
    }
    if !value.allowed, !stated.exceptions.isEmpty {
      forced.append(ForcedSetting(key: key + ".exceptions", value: "[]", cause: cause))
    }
    self[keyPath: setting] = value
  }

  private mutating func block(_ setting: WritableKeyPath<Self, Permission>, _ key: String, _ cause: String) {
    guard self[keyPath: setting] == .allow else { return }
    self[keyPath: setting] = .block
    forced.append(ForcedSetting(key: key, value: Permission.block.rawValue, cause: cause))
  }
}

/// One setting that another one overrules.
package struct ForcedSetting: Sendable, Hashable {
  /// The key below the protection: `save.allowed`
  package let key: String
  /// The value in force, as it would be written.
  package let value: String
  /// The setting that forces it: ``"`send` is `none`"``
  package let cause: String
}

extension LocationSettings {
  /// The saving settings that sending forces: only the managed variants leave the choice (SL-12).
  fileprivate static func forced(by send: SendLevel) -> LocationSettings? {
    switch send {
    case .any: LocationSettings(allowed: true)
    case .none: LocationSettings(allowed: false)
    case .managed, .managedOsSharing, .managedFiltered: nil
    }
  }

  /// The opening settings that receiving forces: only `managed` leaves the choice (OL-07).
  fileprivate static func forced(by receive: ReceiveLevel) -> LocationSettings? {
    switch receive {
    case .any, .anyTagOrg: LocationSettings(allowed: true)
    case .none: LocationSettings(allowed: false)
    case .managed: nil
    }
  }

  fileprivate func listing(only listable: LocationSet) -> LocationSettings {
    LocationSettings(allowed: allowed, exceptions: exceptions.intersection(listable))
  }
}
