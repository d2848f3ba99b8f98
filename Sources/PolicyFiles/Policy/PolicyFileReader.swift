internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// Reads one file of `policy.d`: its content and its problems. Other files do not matter here.
struct PolicyFileReader {
  let names: any NameResolver
  /// The file that is read, for errors inside a pattern.
  private(set) var source = RuleSource(bytes: [])
  let suffixes: PublicSuffixes

  init(names: any NameResolver, suffixes: PublicSuffixes) {
    self.names = names
    self.suffixes = suffixes
  }

  /// Nil when the file could not be read at all.
  func read(_ file: ConfigurationFile, into diagnostics: inout Diagnostics) -> PolicyDraft? {
    var reader = self
    reader.source = RuleSource(bytes: file.bytes)
    guard let root = file.root(into: &diagnostics) else { return nil }
    var draft = root.node.decode(reader.draft, into: &diagnostics)
    draft?.isWhole = root.isWhole
    draft?.places = PolicyPlaces(of: root.node)
    return draft
  }

  private var draft: YAMLDecoder<PolicyDraft> {
    .mapping(refusing: SDKSettings.hints) { reader in
      var draft = PolicyDraft()
      reader.read("apps", apps, into: &draft.apps)
      reader.read("accounts", accounts, into: &draft.accounts)
      reader.read("protections", protections, into: &draft.protections)
      let browsers = reader.optional("browsers", browsers)
      draft.managedBrowser = browsers?.managed
      draft.unmanagedBrowser = browsers?.unmanaged
      let links = reader.optional("links", links)
      draft.exemptLinks = links?.exempt
      draft.managedLinks = links?.managed
      draft.wipe = reader.optional("wipe", .located(wipe))
      draft.enrollment = reader.optional("enrolment", .located(enrollment))
      draft.escrow = reader.optional("escrow", .located(escrow))
      draft.texts = reader.value("texts", texts, default: [])
      draft.appConfig = reader.value("appConfig", appConfig, default: [])
      draft.scrubKeys = reader.value("scrubKeys", .list(of: .located(.name)), default: [])
      draft.tests = reader.value("tests", tests, default: [])
      return draft
    }
  }

  private var apps: YAMLDecoder<[AppDraft]> {
    .named(
      { name in .mapping(refusing: SDKSettings.hints) { reader in app(name, &reader) } }, placeholder: AppDraft.init)
  }

  private var accounts: YAMLDecoder<[AccountDraft]> {
    .goodItems(of: .mapping { reader in account(&reader) })
  }

  private var protections: YAMLDecoder<[ProtectionDraft]> {
    .named({ name in protection(name) }, placeholder: ProtectionDraft.init)
  }
}

extension PolicyFileReader {
  /// The value of `links`.
  struct LinkDrafts {
    var exempt: LinkListDraft?
    var managed: LinkListDraft?
  }

  var links: YAMLDecoder<LinkDrafts> {
    .mapping { reader in LinkDrafts(exempt: list("exempt", &reader), managed: list("managed", &reader)) }
  }

  private func list(_ key: String, _ reader: inout MappingReader) -> LinkListDraft? {
    let location = reader.location(of: key)
    // A link whose conditions hold takes a URL out of the protection.
    let lists = ListUses()
    let matchers = MatcherReader(source: source, suffixes: suffixes, lists: lists, side: .allow)
    let items = YAMLDecoder<[Link]>.goodItems(of: .mapping { reader in link(matchers, &reader) })
    guard let links = reader.optional(key, items) else { return nil }
    var draft = LinkListDraft(location: location, rules: [], programs: [], lists: lists.all)
    var places: [String: SourceLocation] = [:]
    for (index, link) in links.enumerated() {
      let id = link.id?.value ?? "\(key)-\(index + 1)"
      if let id = link.id, let first = places[id.value] {
        reader.diagnostics.definedTwice("link", id, first: first)
      }
      places[id] = link.id?.location ?? link.location
      // Internal, so that a link whose conditions are not known takes no URL out of the protection.
      draft.rules.append(
        Rule(
          id: id, verdict: .internal, condition: link.condition, purposes: .all, location: link.location.description))
      draft.programs.append(link.program)
    }
    return draft
  }

  private struct Link {
    var id: Located<String>?
    var condition: Condition
    var program: Program
    var location: SourceLocation
  }

  private func link(_ matchers: MatcherReader, _ reader: inout MappingReader) -> Link? {
    let condition = reader.required("match", matchers.group(.url))
    let id = reader.optional("id", .located(.name))
    let program = program(&reader)
    guard let condition else { return nil }
    return Link(id: id, condition: condition, program: program, location: reader.location)
  }
}

extension Purposes {
  fileprivate static var all: Purposes { Purposes(names.map(\.purpose)) }
}

extension PolicyFileReader {
  func account(_ reader: inout MappingReader) -> AccountDraft? {
    let upn = reader.optional("upn", .located(.accountName))
    let objectID = reader.optional("objectId", .located(.accountName))
    let protection = reader.optional("protection", .located(.nonEmptyString))
    let state = reader.value("state", .word(AccountState.stated.map { ($0.rawValue, $0) }), default: .active)
    guard reader.has("upn") || reader.has("objectId") else {
      _ = reader.required("upn", .accountName)
      return nil
    }
    let since = reader.optional("since", .located(.utcTime))
    checkMark(state, since, objectID: objectID, &reader)
    var entry = AccountEntry(upn: upn?.value, objectID: objectID?.value)
    entry.since = since?.value
    entry.state = state
    entry.user = reader.optional("user", .userName)
    entry.location = reader.location.description
    return AccountDraft(upn: upn, objectID: objectID, entry: entry, protection: protection)
  }

  /// The accounts or group that a protection binds.
  enum Bound {
    case pattern(String)
    case group(UInt32)
    /// A group that the system does not know.
    case nobody
  }

  var bound: YAMLDecoder<Bound> {
    .byShape(
      scalar: .converting(.accountPattern) { .pattern($0) },
      mapping: .mapping { reader in
        guard let group = reader.required("group", .located(.nonEmptyString)) else { return nil }
        return resolve(group: group, into: &reader.diagnostics).map(Bound.group) ?? .nobody
      })
  }
}

extension YAMLDecoder where Value == String {
  /// A name in the user database, which may not know it yet.
  fileprivate static var userName: Self {
    Self("the name of a user") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard text.utf8.count <= 256, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") }) else {
        diagnostics.error(
          .invalidAccount, at: node.location, "\(text.quoted) is not the name of a user",
          hint: "write it as `id --user --name` prints it")
        return nil
      }
      return text
    }
  }

  /// A UPN or an object id.
  static var accountName: Self {
    Self("an account") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      return diagnostics.checkAccount(text, at: node.location) ? text : nil
    }
  }

  /// An account, or `*@` and a domain, in lower case: there is no other wildcard.
  static var accountPattern: Self {
    Self("an account or `*@` and a domain") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      let name = text.hasPrefix("*@") ? text.dropFirst(2) : text[...]
      let isDomain = name.count < text.count
      guard !name.isEmpty, !name.contains("*"), !(isDomain && name.contains("@")) else {
        diagnostics.error(
          .accountPattern, at: node.location, "\(text.quoted) is not an account pattern",
          hint: "write one account, or `*@contoso.com` for every account of a domain")
        return nil
      }
      guard diagnostics.checkAccount(String(name), at: node.location) else { return nil }
      return AccountName.fold(text)
    }
  }
}

extension Diagnostics {
  /// Whether `name` can be an account's; reported when it cannot.
  mutating func checkAccount(_ name: String, at location: SourceLocation) -> Bool {
    let isUnbroken = name.unicodeScalars.allSatisfy {
      !$0.properties.isWhitespace && $0.properties.generalCategory != .control
    }
    guard isUnbroken, !name.contains("*"), name.utf8.count <= 256 else {
      error(
        .invalidAccount, at: location, "\(name.quoted) is not an account",
        hint: "an account is a UPN or an object id: up to 256 bytes without spaces and without `*`")
      return false
    }
    return true
  }
}

extension YAMLDecoder where Value == Int64 {
  /// The end of a time of monitoring, in seconds since 1970: `{ until: 2027-01-31 }` is the end of that day.
  ///
  /// Without an end it is an error: monitoring alone protects nothing, and is easily forgotten.
  static var monitoring: Self {
    .mapping { reader in reader.required("until", PointInTime.decoder(day: .end)) }
  }
}
