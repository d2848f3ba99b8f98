internal import GuardModel

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
