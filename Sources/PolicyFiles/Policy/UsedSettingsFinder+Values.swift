internal import GuardModel
internal import PolicyEngine
internal import URLStandard

/// The settings that made the outcome: those that the last step of the procedure asked.
extension UsedSettingsFinder {
  var values: [UsedValue] { deciders + receiver }

  /// The setting for the owner of the external page that receives the data (ledger WV-31); a rule for it is told by
  /// itself.
  private var receiver: [UsedValue] {
    guard report.notes.contains(.externalReceiver) else { return [] }
    let said = snapshot.strictest("externalInPlace", of: protections).map { snapshot[$0] }
    guard said?.externalInPlace == .unmanaged else { return [] }
    return [ofProtection("externalInPlace") { $0.externalInPlace.rawValue }].compactMap(\.self)
  }

  private var deciders: [UsedValue] {
    switch report.reason {
    case .noIdentity: ofApp("untilIdentity") { $0.untilIdentity.rawValue }
    case .popupBlocked: ofApp("popups") { $0.popups.rawValue }
    case .handledInViewer: ofApp("handledSchemes") { Self.list($0.handledSchemes) }
    case .subFrame: [ofClass("subFrames", viewerClass.map { String($0.subFrames) } ?? "false")]
    case .noRules: [ofClass("externalURLs", "")]
    case .accountBlocked, .accountWiped: [ofAccount].compactMap(\.self)
    case .accountNotCompliant, .notChecked: conditions
    case .policyRequired, .accountNotAllowed: ofAccounts
    case .external, .externalInPlace, .externalBlocked, .managedBrowserUnavailable, .isManagedBrowser:
      scope + [ofProtection("webTransfer") { $0.webTransfer.name }].compactMap(\.self) + browser
    case .sendAny, .handOffBlocked, .schemeClassAllowed, .schemeClassBlocked, .exemptScheme, .managedScheme:
      scope + handOff
    case .clipboardAllowed, .withinLimit, .orgData, .orgDataOverLimit, .personalDataOverLimit: clipboard
    case .incomingRestricted: kind == .paste ? clipboard : [received].compactMap(\.self)
    case .monitored: monitored
    case .noPolicy, .unknownApp, .unknownEvent, .noManagedIdentity, .unmanaged, .invalidURL, .sameDocument, .resource,
      .internal, .exception,
      .blockedByRule, .exemptLink, .managedLink, .clipRecorded, .sameAccount, .uploadBlockedViewer, .ownerUnknown,
      .changeRecorded, .inPlace, .unknownAccount, .captureOwnImage, .mixedViewLockdown:
      []
    case .locked: [ofProtection("unlock") { $0.unlock.rawValue }].compactMap(\.self)
    // The app is asked to switch where data may not come in.
    case .identitySwitchNeeded, .identitySwitchFailed: [received].compactMap(\.self)
    case .transferAllowed, .wrongAccount: [sent, received].compactMap(\.self)
    case .outgoingRestricted, .outgoingDisallowed, .downloadBlocked, .shareBlocked, .storeLinkBlocked:
      [sent].compactMap(\.self)
    case .incomingDisallowed: [received].compactMap(\.self)
    case .locationAllowed, .saveLocationNotListed, .openLocationNotListed: locations
    case .webTransferAny: scope + [ofProtection("webTransfer") { $0.webTransfer.name }].compactMap(\.self)
    case .printAllowed, .printBlocked: permission("printing", \.printing)
    case .captureAllowed, .captureBlocked: permission("screenCapture", \.screenCapture)
    case .notificationAllowed, .notificationRedacted, .notificationBlocked:
      [ofProtection("notifications") { $0.notifications.rawValue }].compactMap(\.self)
    case .indexAllowed, .indexBlocked: permission("indexing", \.indexing)
    case .channelAllowed, .channelBlocked: channels
    case .scanRequired, .scanBlocked, .scanTooLarge, .scanOffline, .scanCancelled:
      [ofProtection("inspection.required") { String($0.requiresInspection) }].compactMap(\.self)
    }
  }

  /// The part of the policy that only monitors; a rule tells that itself.
  private var monitored: [UsedValue] {
    switch report.advice?.cause {
    case .app: ofApp("monitorOnly.until") { $0.monitoredUntil.map(MonitoredPart.day) ?? "" }
    case .protection:
      [ofProtection("monitorOnly.until") { $0.monitoredUntil.map(MonitoredPart.day) ?? "" }].compactMap(\.self)
    case .rule, nil: []
    }
  }

  private var sent: UsedValue? { ofProtection("send") { $0.send.rawValue } }

  private var received: UsedValue? { ofProtection("receive") { $0.receive.rawValue } }

  private func permission(_ key: String, _ value: (Protection) -> Permission) -> [UsedValue] {
    [ofProtection(key) { value($0).rawValue }].compactMap(\.self)
  }

  /// The setting of the channel; for an unnamed channel, every channel setting that blocks.
  private var channels: [UsedValue] {
    guard channel == .unknown else { return Self.keys(of: channel).flatMap(setting) }
    guard report.reason == .channelBlocked else { return [] }
    let blocking = Channel.allCases.flatMap(Self.keys).flatMap(setting)
      .filter { $0.value == Permission.block.rawValue }
    return blocking.enumerated().filter { !blocking[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// The key of a channel's setting; none where it is judged as sharing.
  private static func keys(of channel: Channel) -> [String] {
    switch channel {
    case .unknown, .nativeMessaging: []
    case .assistant: ["assistants"]
    case .automation: ["automation"]
    case .writingTools: ["writingTools"]
    case .inputMethod: ["inputMethods"]
    case .contacts: ["contacts"]
    case .widgets: ["widgets"]
    case .backup: ["backup"]
    }
  }

  /// The value of a setting in force; `automation` goes with `assistants` where it is not stated.
  private func setting(_ key: String) -> [UsedValue] {
    let isFollowing = key == "automation" && protection?.automation == nil
    let asked = isFollowing ? "assistants" : key
    return [ofProtection(asked) { $0.writtenValue(of: asked) }].compactMap(\.self)
  }

  /// Opening and uploading use the `open` settings, all else the `save` settings.
  private var locations: [UsedValue] {
    let key =
      switch report.reason {
      case .saveLocationNotListed: "save"
      case .openLocationNotListed: "open"
      default: kind == .open || kind == .upload ? "open" : "save"
      }
    let allowed = ofProtection(key + ".allowed") { String((key == "open" ? $0.open : $0.save).allowed) }
    let exceptions = ofProtection(key + ".exceptions") { protection in
      (key == "open" ? protection.open : protection.save).exceptions.locations.map(\.name).joined(separator: ", ")
    }
    return [allowed, exceptions].compactMap(\.self)
  }

  /// Without a managed identity rules are asked only where the class says so.
  private var scope: [UsedValue] {
    guard report.protection == nil, let viewerClass else { return [] }
    return [ofClass("rulesApply", viewerClass.rulesApply.rawValue)]
  }

  private var handOff: [UsedValue] {
    let send = ofProtection("send") { $0.send.rawValue }
    let more: UsedValue?
    switch report.reason {
    case .schemeClassAllowed, .schemeClassBlocked:
      let isCall = SchemeClasses.telecommunication.contains(Array(scheme.utf8))
      more =
        isCall
        ? ofProtection("telecommunication") { $0.telecommunication.written }
        : ofProtection("messaging") { $0.messaging.written }
    case .exemptScheme: more = ofProtection("exemptSchemes") { Self.list($0.exemptSchemes) }
    case .managedScheme: more = ofProtection("managedSchemes") { Self.list($0.managedSchemes) }
    default: more = nil
    }
    return [send, more].compactMap(\.self)
  }

  private var scheme: String { url.flatMap { URLRecord($0) }.map { String($0.protocol.dropLast()) } ?? "" }

  private var clipboard: [UsedValue] {
    let level = ofProtection("clipboard.level") { $0.clipboard.level.rawValue }
    let length = report.limit.flatMap { _ in
      ofProtection("clipboard.exceptionLength") { String($0.clipboard.exceptionLength) }
    }
    return [level, length].compactMap(\.self)
  }

  /// The wanted browser, where that ended the procedure.
  private var browser: [UsedValue] {
    switch report.reason {
    case .isManagedBrowser:
      [UsedValue("browsers", "managed.app", app, at: place(["browsers", "managed", "app"]))]
    case .managedBrowserUnavailable:
      [UsedValue("browsers", "managed", "", at: nil)]
    default: []
    }
  }

  // MARK: Owners

  private func ofApp(_ key: String, _ value: (App) -> String) -> [UsedValue] {
    guard let appOfPolicy else { return [] }
    return [UsedValue("app \(app.quoted)", key, value(appOfPolicy), at: place(["apps", app] + Self.path(key)))]
  }

  private func ofClass(_ key: String, _ value: String) -> UsedValue {
    guard let name = report.viewerClass else { return UsedValue("the viewer has no class", key, value, at: nil) }
    return UsedValue("class \(name.quoted)", key, value, at: classPlace(key))
  }

  /// The account's own state; else each condition that may block it. Which one fails the log says: facts are the
  /// machine's, and not the policy's.
  private var conditions: [UsedValue] {
    if let entry, snapshot.accounts.entries[entry].state != .active { return [ofAccount].compactMap(\.self) }
    var found: [UsedValue] = []
    for (index, settings) in snapshot.protections.enumerated() where protections.contains(ProtectionIndex(index)) {
      let owner = "protection \(settings.name.quoted)"
      for condition in settings.conditions where condition.action != .warn {
        found.append(UsedValue(owner, "conditionalLaunch", condition.written, at: condition.location))
      }
      guard report.reason == .notChecked, !settings.conditions.isEmpty else { continue }
      let key = "notCheckedAfter"
      found.append(
        UsedValue(owner, key, settings.writtenNotCheckedAfter, at: place(["protections", settings.name, key])))
    }
    return found
  }

  private var ofAccount: UsedValue? {
    entry.map { entry in
      let account = snapshot.accounts.entries[entry]
      return UsedValue(
        "account \(account.displayName.quoted)", "state", account.state.rawValue,
        at: place(["accounts", String(entry), "state"]))
    }
  }

  /// The app's sources of accounts, or the accounts that it takes.
  private var ofAccounts: [UsedValue] {
    report.reason == .policyRequired
      ? ofApp("accounts.source") { Self.list($0.accounts.sources.map { Array($0.rawValue.utf8) }) }
      : ofApp("allowedAccounts") { Self.list(($0.accounts.allowed ?? []).map { Array($0.utf8) }) }
  }

  /// A setting in force: that of the strictest protection that binds the identity, or of the strictest there is.
  ///
  ///     protection `strict`: `send` is `managed` (policy.yaml:24:5)
  private func ofProtection(_ key: String, _ value: (Protection) -> String) -> UsedValue? {
    let strictest = snapshot.strictest(key, of: protections, ratherThan: deciding)
    guard let settings = strictest.map({ snapshot[$0] }) else { return nil }
    let path = ["protections", settings.name] + Self.path(key)
    let owner = protection == nil ? "the strictest protection," : "protection"
    if let forced = settings.overruled.first(where: { $0.key == key }) {
      let cause = "since \(forced.cause.quoted) is \(settings.writtenValue(of: forced.cause).quoted)"
      let causePlace = places.setting(forced.cause, of: settings).map { ", \($0)" } ?? " by default"
      return UsedValue("\(owner) \(settings.name.quoted)", key, forced.value, at: cause + causePlace)
    }
    return UsedValue("\(owner) \(settings.name.quoted)", key, value(settings), at: place(path))
  }

  private static func path(_ key: String) -> [String] { key.split(separator: ".").map(String.init) }

  private static func list(_ schemes: [[UInt8]]) -> String {
    schemes.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
  }
}
