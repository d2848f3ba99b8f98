package import GuardModel
package import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// Statements of `policy.d` that do nothing, or mislead.
extension PolicyLint {
  var ofPolicy: [Diagnostic] {
    missing + severalProtections + warnings + browsers + messages + encryption + names + peers + frames + places
  }

  private func place(_ location: String) -> SourceLocation {
    SourceLocation(printed: location) ?? SourceLocation(file: "")
  }

  /// A configuration in which the part that restricts is missing, or an app for which no program may speak.
  private var missing: [Diagnostic] {
    var found: [Diagnostic] = []
    if let app = policy.apps.first, policy.protections.isEmpty {
      found.append(
        Diagnostic(
          .warning, .noProtections, at: place(app.location),
          "the policy has no protection: no account is managed, and what apps do is free",
          hint: "write under `protections` whom they bind; was a file of `policy.d` left out?"))
    }
    return found
      + policy.apps.filter { $0.peers.isEmpty && policy.places[["apps", $0.name, "peers"]] == nil }.map { app in
        Diagnostic(
          .warning, .noPeers, at: place(app.location), "app \(app.name.quoted) has no `peers`: nobody may speak for it",
          hint: "name who may: a `group`, a `user`, a `unit`, a `socket`, or `sameUser: true`")
      }
  }

  // MARK: Several protections

  /// Accounts that more than one protection binds: each setting takes the strictest value (PM-01).
  private var severalProtections: [Diagnostic] { samePatterns + boundTwice }

  /// One pattern in two protections is most likely a copy.
  private var samePatterns: [Diagnostic] {
    var first: [String: Protection] = [:]
    var found: [Diagnostic] = []
    for protection in policy.protections {
      for pattern in Set(protection.accountPatterns).sorted() {
        guard let other = first[pattern] else {
          first[pattern] = protection
          continue
        }
        found.append(
          Diagnostic(
            .warning, .severalProtections, at: place(protection.location),
            "\(pattern.quoted) is bound by \(other.name.quoted), too (\(other.location)): each setting takes the stricter "
              + "value of both",
            hint: "leave it in one of them, or put what both demand into one protection"))
      }
    }
    return found
  }

  /// An account whose entry, name and domain lead to different protections may be meant so.
  private var boundTwice: [Diagnostic] {
    let snapshot = policy.snapshot(generation: 1, at: .min)
    let names = Set(policy.protections.flatMap(\.accountPatterns)).filter { !$0.hasPrefix("*@") }
      .filter { policy.accounts.entry(named: $0) == nil }
    let ofEntries = policy.accounts.entries.map { ($0.displayName, $0.location, snapshot.protections(of: $0)) }
    let ofNames = names.sorted().map { ($0, "", snapshot.protections(taking: [$0])) }
    return (ofEntries + ofNames).compactMap { name, location, bound in
      guard bound.count > 1 else { return nil }
      let all = bound.indexes.map { policy.protections[Int($0.place)] }
      let at = location.isEmpty ? all[0].location : location
      return Diagnostic(
        .info, .severalProtections, at: place(at),
        "\(name.quoted) is bound by \(all.map(\.name.quoted).joined(separator: ", ")): each setting takes the strictest value"
      )
    }
  }

  // MARK: Protections

  /// A warning of something that the protection's own settings allow.
  private var warnings: [Diagnostic] {
    policy.protections.compactMap { protection in
      let free = protection.warn.kinds.filter { !protection.restricts($0) }
      guard !free.isEmpty else { return nil }
      return Diagnostic(
        .warning, .settingWithoutEffect, at: place(protection.location),
        "\(protection.name.quoted) warns of \(free.map(\.name.quoted).joined(separator: ", ")), which its settings allow",
        hint: "a warning takes the place of a block: block it as well, or leave it out of `warn`")
    }
  }

  /// External pages are to open in a browser that no file names.
  private var browsers: [Diagnostic] {
    policy.protections.compactMap { protection in
      let key: String
      switch protection.webTransfer {
      case .managedBrowser where policy.browsers.managed == nil: key = "managed"
      case .unmanagedBrowser where policy.browsers.unmanaged == nil: key = "unmanaged"
      default: return nil
      }
      return Diagnostic(
        .warning, .noBrowser, at: place(protection.location),
        "\(protection.name.quoted) sends external pages to a browser, and `browsers.\(key)` is not stated: they are blocked",
        hint: "state `browsers.\(key)`, or write `webTransfer: block`")
    }
  }

  /// Little may be sent, and links to write a message are left as they are by default: to any program (US-08).
  private var messages: [Diagnostic] {
    policy.protections.compactMap { protection in
      let isStated = policy.places[["protections", protection.name, "messaging"]] != nil
      guard protection.send != .any, protection.messaging == .any, !isStated else { return nil }
      return Diagnostic(
        .info, .messagingAny, at: place(protection.location),
        "\(protection.name.quoted) restricts `send`, and `messaging` is `any` by default: links to write a message open in "
          + "any program, unless they bring content along",
        hint: "write `messaging: none` or the program that may have them, or `messaging: any` where that is meant")
    }
  }

  /// A stated way to encrypt that has a trap: nobody else has the keys, or the daemon only tells apps of it (FE-01). Where
  /// none is stated the author relies on none.
  private var encryption: [Diagnostic] {
    policy.protections.compactMap { protection in
      guard protection.encrypt, let at = policy.places[["protections", protection.name, "encryption", "by"]] else {
        return nil
      }
      guard protection.encryptBy.isCarriedOut else {
        return Diagnostic(
          .warning, .notCarriedOut, at: at,
          "the daemon tells apps to write to a volume that is encrypted, and cannot see whether it is",
          hint: "let `doctor` look at the machine, or write `by: envelope`")
      }
      guard policy.escrow == nil else { return nil }
      return Diagnostic(
        .warning, .noEscrow, at: at,
        "\(protection.name.quoted) encrypts without escrow: data is lost when this machine, or its keys, are lost",
        hint: "state `escrow` with a key of `webviewguard account escrow new-key`, or keep another copy of everything "
          + "that must outlive this machine")
    }
  }

  private var names: [Diagnostic] {
    policy.accounts.entries.compactMap { entry in
      guard let upn = entry.upn, !upn.contains("@") else { return nil }
      return Diagnostic(
        .warning, .invalidUPN, at: place(entry.location),
        "\(upn.quoted) is no user principal name, so that no pattern such as `*@contoso.com` takes it",
        hint: "write it with its domain, or as `objectId`")
    }
  }

  // MARK: Apps

  /// Every user may call a unit of his own by any name.
  private var peers: [Diagnostic] {
    policy.apps.compactMap { app in
      guard let peer = app.peers.first(where: { $0.isOfAnyUser }), let unit = peer.unit else { return nil }
      return Diagnostic(
        .info, .unitOfAnyUser, at: place(app.location),
        "whoever names a unit of his own \(unit.quoted) speaks for app \(app.name.quoted)",
        hint: "state the `uid`, `user` or `group` beside the `unit`")
    }
  }

  /// Classes with data of accounts whose pages, or whose frames, no rule judges (WV-15, D-34).
  private var frames: [Diagnostic] {
    policy.apps.flatMap { app in app.classes.flatMap { judge($0, of: app) } }
  }

  private func judge(_ viewerClass: ViewerClass, of app: App) -> [Diagnostic] {
    let at = place(viewerClass.location)
    guard viewerClass.policy != .unmanaged || viewerClass.rulesApply == .always else { return [] }
    guard let ruleSet = viewerClass.ruleSet.flatMap(policy.ruleSet(at:)) else {
      guard viewerClass.policy == .currentIdentity || viewerClass.policy == .currentIdentityBlockUpload else {
        return []
      }
      return [
        Diagnostic(
          .info, .noRules, at: at,
          "class \(viewerClass.name.quoted) has no rules: every web page in it counts as the organisation's own",
          hint: "name a rule set in `externalURLs`, unless nothing in it leads anywhere else")
      ]
    }
    guard !viewerClass.subFrames else { return [] }
    if let rule = ruleSet.rules.first(where: { $0.verdict == .external && $0.purposes.contains(.frame) }) {
      return [
        Diagnostic(
          .warning, .framesNotJudged, at: at,
          "rule \(rule.id.quoted) of \(ruleSet.name.quoted) speaks of frames, and class \(viewerClass.name.quoted) does not "
            + "ask about them",
          hint: "write `subFrames: true`")
      ]
    }
    return [
      Diagnostic(
        .info, .framesNotJudged, at: at,
        "frames inside pages of class \(viewerClass.name.quoted) are not judged: a page may show any other in a frame",
        hint: "write `subFrames: true`, unless pages of others are meant to be embedded")
    ]
  }
}

extension PeerRule {
  /// A unit is all that it asks of a process.
  fileprivate var isOfAnyUser: Bool {
    unit != nil && uid == nil && group == nil && label == nil && socket == nil && !sameUser
  }
}

extension Protection {
  /// Whether its own settings can block an event of this kind; true for mere reports, which others rest on.
  ///
  ///     protection.restricts(.print)    // true under `printing: block`
  package func restricts(_ kind: EventKind) -> Bool {
    let settings = EffectiveSettings(self)
    let (outward, inward) = (send != .any, receive == .managed || receive == .none)
    switch kind {
    case .navigate: return webTransfer == .block || outward || inward
    case .openURL: return webTransfer == .block || outward
    case .copy: return requiresInspection
    case .paste: return clipboard.level != .any
    case .download, .save: return !settings.save.allowed || outward
    case .upload, .open: return !settings.open.allowed || inward || outward
    case .receive: return inward || outward
    case .share: return outward || inward
    case .print: return printing == .block
    case .capture: return screenCapture == .block
    case .notify: return notifications != .allow
    case .index: return settings.indexing == .block
    case .exchange:
      let channels = [
        settings.assistants, settings.automation, writingTools, inputMethods, contacts, widgets, backup,
      ]
      return outward || channels.contains(.block)
    case .clipboardChanged, .dragEnd, .unknown: return true
    }
  }
}
