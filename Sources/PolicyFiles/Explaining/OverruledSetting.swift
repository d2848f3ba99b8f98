internal import GuardModel
internal import PolicyEngine

/// A setting of a protection that another one leaves no choice, whatever is stated.
package struct OverruledSetting {
  /// The key below the protection: `save.allowed`
  package let key: String
  /// The value in force, as it would be written.
  package let value: String
  /// The key of the setting that forces it.
  package let cause: String
}

extension Protection {
  /// What is overruled: by the engine's effective values, and of the schemes that are asked about only where not
  /// everything may be sent (E.4).
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
  /// Receiving forces what is opened, sending the rest.
  fileprivate init(_ forced: ForcedSetting) {
    self.init(key: forced.key, value: forced.value, cause: forced.key.hasPrefix("open.") ? "receive" : "send")
  }
}
