internal import GuardModel
internal import PolicyEngine

extension PolicyFileReader {
  func app(_ name: Located<String>, _ reader: inout MappingReader) -> AppDraft {
    var draft = AppDraft(name)
    reader.read("peers", .goodItems(of: .mapping { reader in peer(&reader) }), into: &draft.app.peers)
    reader.read("identityMode", .choice(of: IdentityMode.self), into: &draft.app.identityMode)
    reader.read("managedAccounts", .choice(of: ManagedAccounts.self), into: &draft.app.managedAccounts)
    if draft.app.identityMode == .single, draft.app.managedAccounts == .several {
      let mode = reader.has("identityMode") ? "(\(reader.location(of: "identityMode")))" : "by default"
      reader.error(
        .contradictorySettings, at: "managedAccounts",
        "`managedAccounts` is `several`, and `identityMode` is `single` \(mode): the app has one account",
        hint: "remove `managedAccounts`, or write `identityMode: multi`")
    }
    draft.statesAccount = reader.has("account")
    draft.app.account = reader.value("account", account, default: nil)
    reader.read("untilIdentity", .choice(of: UntilIdentity.self), into: &draft.app.untilIdentity)
    if reader.has("untilIdentity"), draft.app.identityMode == .single {
      reader.diagnostics.warning(
        .settingWithoutEffect, at: reader.location(of: "untilIdentity"),
        "`untilIdentity` changes nothing in `single` mode: where the policy may bind the user, everything is blocked until "
          + "the app has said whose data it shows",
        hint: "remove it, or write `identityMode: multi`")
    }
    draft.app.accounts.sources = reader.optional("accounts", accountSources) ?? []
    draft.app.accounts.allowed = reader.optional("allowedAccounts", allowedAccounts)
    reader.read("dataDirectories", .list(of: .dataDirectory), into: &draft.app.dataDirectories)
    reader.read("unlocks", .bool, into: &draft.app.unlocks)
    reader.read("treatAllWebViewsAsUnmanaged", .bool, into: &draft.app.treatAllWebViewsAsUnmanaged)
    reader.read("authViewersUnprotected", .bool, into: &draft.app.authViewersUnprotected)
    if draft.app.authViewersUnprotected {
      reader.diagnostics.warning(
        .unprotectedViewers, at: reader.location(of: "authViewersUnprotected"),
        "views for signing in are not protected in app \(name.value.quoted): whatever data they show may leak, and the "
          + "app alone says which views those are",
        hint: "let the app sign in with a view of its own class, and list the scheme of its callback in "
          + "`handledSchemes`")
    }
    reader.read("handledSchemes", .list(of: handledScheme), into: &draft.app.handledSchemes)
    reader.read("popups", .choice(of: Popups.self), into: &draft.app.popups)
    reader.read("record", .choice(of: RecordPolicy.self), into: &draft.app.record)
    draft.app.monitoredUntil = reader.optional("monitorOnly", .monitoring)
    reader.read("classes", classes, into: &draft.classes)
    return draft
  }

  private var classes: YAMLDecoder<[ClassDraft]> {
    .named({ name in .mapping { reader in viewerClass(name, &reader) } }, placeholder: ClassDraft.init)
  }

  /// A fixed account; `""` is explicitly unmanaged, and null leaves it to the app.
  private var account: YAMLDecoder<String?> {
    YAMLDecoder("an account, `\"\"` or null") { node, diagnostics in
      guard !node.isNull else { return .some(nil) }
      guard let name = node.decode(.string, into: &diagnostics) else { return nil }
      guard name.isEmpty || diagnostics.checkAccount(name, at: node.location) else { return nil }
      return .some(name)
    }
  }

  /// The rule for peers that may speak for an app; nil also for a user or group that the system does not know.
  ///
  /// The attack: dropping only the unknown group of `{ unit: x, group: y }` would let every process of the unit in.
  private func peer(_ reader: inout MappingReader) -> PeerRule? {
    _ = reader.atMostOne(of: ["uid", "user"])
    let userID = reader.optional("uid", .converting(.int(in: 0...4_294_967_294)) { UInt32(truncatingIfNeeded: $0) })
    let userName = reader.optional("user", .located(.nonEmptyString))
    let group = reader.optional("group", .located(.nonEmptyString))
    let unit = reader.optional("unit", .nonEmptyString)
    let label = reader.optional("label", .nonEmptyString)
    let socket = reader.optional("socket", .name)
    let isSameUser = reader.value("sameUser", .bool, default: false)
    if !isSameUser, ["uid", "user", "group", "unit", "label", "socket"].allSatisfy({ !reader.has($0) }) {
      reader.diagnostics.error(
        .emptyPeer, at: reader.location,
        "a peer has to state one of `uid`, `user`, `group`, `unit`, `label`, `socket`, `sameUser`")
    }
    let resolvedUser = userName.map { resolve(user: $0, into: &reader.diagnostics) }
    let resolvedGroup = group.map { resolve(group: $0, into: &reader.diagnostics) }
    if case .some(.none) = resolvedUser { return nil }
    if case .some(.none) = resolvedGroup { return nil }
    return PeerRule(
      uid: userID ?? resolvedUser.flatMap(\.self), group: resolvedGroup.flatMap(\.self), unit: unit, label: label,
      socket: socket, sameUser: isSameUser)
  }

  private func resolve(user: Located<String>, into diagnostics: inout Diagnostics) -> UInt32? {
    if let number = names.userID(named: user.value) { return number }
    diagnostics.warning(
      .unknownUser, at: user.location, "unknown user \(user.value.quoted); this speaks of nobody",
      hint: "make the user, and reload")
    return nil
  }

  func resolve(group: Located<String>, into diagnostics: inout Diagnostics) -> UInt32? {
    if let number = names.groupID(named: group.value) { return number }
    diagnostics.warning(
      .unknownGroup, at: group.location, "unknown group \(group.value.quoted); this speaks of nobody",
      hint: "make the group, and reload")
    return nil
  }

  private func viewerClass(_ name: Located<String>, _ reader: inout MappingReader) -> ClassDraft {
    var draft = ClassDraft(name)
    draft.viewerClass.policy = reader.optional("policy", .word(WebViewPolicy.allCases.map { ($0.name, $0) }))
    draft.ruleSet = reader.optional("externalURLs", .located(.nonEmptyString))
    reader.read("rulesApply", .choice(of: RulesApply.self), into: &draft.viewerClass.rulesApply)
    reader.read("subFrames", .bool, into: &draft.viewerClass.subFrames)
    reader.read("signIn", .list(of: .choice(of: LoginHost.self)), into: &draft.viewerClass.signIn)
    if draft.viewerClass.policy == .unmanaged, draft.viewerClass.rulesApply == .managed, let ruleSet = draft.ruleSet {
      reader.diagnostics.warning(
        .rulesOnUnmanaged, at: ruleSet.location,
        "rules of an unmanaged class are never asked: what happens there counts as nobody's",
        hint: "remove `externalURLs`, or write `rulesApply: always`")
    }
    return draft
  }

  /// A scheme of the app's own. A scheme of the web here would take all its URLs out of the rules.
  private var handledScheme: YAMLDecoder<[UInt8]> {
    YAMLDecoder("a scheme") { node, diagnostics in
      guard let scheme = node.decode(.scheme, into: &diagnostics) else { return nil }
      guard !Self.browserSchemes.contains(scheme) else {
        diagnostics.error(
          .browserScheme, at: node.location, "\(scheme.quoted) may not be a handled scheme: it is judged by the rules",
          hint: "`handledSchemes` is for schemes of the app's own, such as `contoso-portal`")
        return nil
      }
      return Array(scheme.utf8)
    }
  }

  private static let browserSchemes: Set<String> = [
    "http", "https", "ws", "wss", "about", "data", "blob", "javascript", "file", "view-source", "filesystem",
  ]
}
