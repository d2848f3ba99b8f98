internal import GuardModel
internal import PolicyEngine

/// Wipes (design, accounts, section 6; ledger WP-05). Without this key nothing is ever destroyed.
///
///     wipe: { mode: on, causes: [admin, marker], delay: 72h, approvals: 2 }
///     accounts: [{ upn: old@contoso.com, objectId: 3ec2…, state: wiped, since: 2026-11-20T08:00:00Z }]
extension PolicyFileReader {
  var wipe: YAMLDecoder<WipeSettings> {
    .mapping { reader in
      var wipe = WipeSettings()
      wipe.mode = reader.required("mode", .choice(of: WipeMode.self)) ?? .off
      wipe.causes = Set(reader.value("causes", .list(of: .choice(of: WipeCause.self)), default: []))
      // Less than an hour leaves no time to notice a mistake.
      if let time = reader.optional("delay", .duration(in: .seconds(3_600) ... .seconds(90 * 86_400))) {
        wipe.delay = time.inMilliseconds
      }
      if let time = reader.optional("answerTime", .duration(in: .seconds(30) ... .seconds(86_400))) {
        wipe.answerTime = time.inMilliseconds
      }
      if let time = reader.optional("offlineAfter", .duration(in: .seconds(7 * 86_400) ... .seconds(3_650 * 86_400))) {
        wipe.offlineAfter = time.inMilliseconds
      }
      reader.read("approvals", .int(in: 1...2), into: &wipe.approvals)
      report(wipe, &reader)
      return wipe
    }
  }

  private func report(_ wipe: WipeSettings, _ reader: inout MappingReader) {
    if wipe.mode == .on, wipe.causes.isEmpty {
      reader.diagnostics.warning(
        .settingWithoutEffect, at: reader.location(of: "mode"), "no cause is listed, so nothing is ever removed",
        hint: "list causes, such as `causes: [admin]`")
    }
    if wipe.causes.contains(.offlineGrace) != (wipe.offlineAfter != nil) {
      reader.error(
        .contradictorySettings, at: reader.has("offlineAfter") ? "offlineAfter" : "causes",
        "`offlineGrace` and `offlineAfter` belong together",
        hint: "write `offlineAfter: 90d` and list `offlineGrace` among the causes, or neither")
    }
  }

  /// A mark names one account by its object id: a name may be given to somebody else (design, accounts, section 6).
  func checkMark(
    _ state: AccountState, _ since: Located<UInt64>?, objectID: Located<String>?, _ reader: inout MappingReader
  ) {
    guard let since else { return }
    if state != .wiped {
      reader.diagnostics.error(
        .contradictorySettings, at: since.location, "`since` belongs to `state: wiped`",
        hint: "remove it, or write `state: wiped`")
    } else if objectID == nil {
      reader.diagnostics.error(
        .missingKey, at: since.location,
        "an account is marked by its object id, since a name may be given to another person",
        hint: "add `objectId`")
    }
  }
}

extension YAMLDecoder where Value == UInt64 {
  /// A moment, as RFC 3339 has it: `2026-11-20T08:00:00Z`. In milliseconds since 1970.
  static var utcTime: Self {
    Self("a time such as `2026-11-20T08:00:00Z`") { node, diagnostics in
      guard let text = node.scalar?.text, let time = RFC3339.milliseconds(text) else {
        diagnostics.wrongType(node, expected: "a time such as `2026-11-20T08:00:00Z`", hint: nil)
        return nil
      }
      return time
    }
  }
}
