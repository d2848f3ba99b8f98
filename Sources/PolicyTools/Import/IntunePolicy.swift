package import JSONText

/// One app protection policy of Microsoft Intune, and the protection that says the same here, as far as it can be said.
///
///     IntunePolicy(tree)?.protection(accounts: ["*@contoso.com"])    // YAML for policy.d
///
/// A setting that cannot be said becomes the stricter neighbour, never a weaker one, or stands in the findings as one that
/// has no counterpart. Nothing that is imported ever deletes anything: wipes become blocks.
package struct IntunePolicy: Sendable {
  /// The name for people.
  package let title: String
  /// The type: `iosManagedAppProtection`
  package let kind: String
  /// A setting of the source, and its fate, in the order of the source.
  package internal(set) var findings: [ImportFinding] = []
  /// Values by their keys: `clipboard.level`
  var values: [String: ImportedValue] = [:]
  var conditions: [ImportedValue] = []

  /// Nil for a value that is no app protection policy.
  package init?(_ tree: JSONTree) {
    guard case .object(let members) = tree else { return nil }
    kind = (tree["@odata.type"]?.string ?? "").split(separator: ".").last.map(String.init) ?? ""
    let known = members.contains { IntuneWords.table[$0.key] != nil }
    guard kind.hasSuffix("ManagedAppProtection") || kind.isEmpty && known else { return nil }
    title = tree["displayName"]?.string ?? "without a name"
    for member in members where member.value != .null && !IntuneWords.isAboutItself(member.key) {
      take(member, of: tree)
    }
    sharpen(by: tree)
  }

  // MARK: One setting

  private mutating func take(_ member: JSONTree.Member, of tree: JSONTree) {
    if let words = IntuneWords.table[member.key] { return take(member, words) }
    if takeCondition(member) || takeList(member, of: tree) { return }
    if let cause = IntuneWords.withoutCounterpart(member.key) {
      return find(member, IntuneWords.isQuiet(member.value) ? .off : .notHere, cause)
    }
    find(member, .unknown, "this program does not know it")
  }

  private mutating func take(_ member: JSONTree.Member, _ words: IntuneWords) {
    let value = IntuneWords.word(of: member.value)
    guard let word = words.words[value] else {
      let cause = words.near[value] ?? "\(value) is not known here, so it is the strictest"
      set(words.key, words.strictest, from: member)
      return find(member, .stricter, "\(words.key): \(words.strictest), since \(cause)")
    }
    set(words.key, word, from: member)
    find(member, .taken, "\(words.key): \(word)")
  }

  mutating func set(_ key: String, _ value: String, from member: JSONTree.Member) {
    // Two members may speak of one setting, such as both kinds of writing tools: the stricter holds.
    if let old = values[key], old.value == "block" { return }
    values[key] = ImportedValue(value: value, source: "\(member.key): \(IntuneWords.word(of: member.value))")
  }

  mutating func find(_ member: JSONTree.Member, _ fate: ImportFinding.Fate, _ words: String) {
    findings.append(
      ImportFinding(member: member.key, value: IntuneWords.word(of: member.value), fate: fate, words: words))
  }

  // MARK: Settings that several members make

  /// Members that only say something together with another one.
  private mutating func sharpen(by tree: JSONTree) {
    sharpen("receive", "any", to: "anyTagOrg", by: "protectInboundDataFromUnknownSources", tree)
    sharpen("send", "managed", to: "managedFiltered", by: "filterOpenInToOnlyManagedApps", tree)
    sharpen("send", "managed", to: "managedOsSharing", by: "disableProtectionOfManagedOutboundOpenInData", tree)
    settle("send", Self.hangingOnSend)
    settle("receive", Self.hangingOnReceive)
    tellOfSilence()
  }

  /// A time of silence says something beside conditions only.
  private mutating func tellOfSilence() {
    let place = findings.firstIndex { $0.member == "periodOfflineBeforeAccessCheck" && $0.fate == .taken }
    guard let place, conditions.isEmpty else { return }
    findings[place].fate = .notHere
    findings[place].words = "nothing here could fall silent: state `conditionalLaunch`, and `notCheckedAfter` beside it"
  }

  /// A setting that is in force only beside some values of `send` or `receive`.
  private struct Hanging {
    let key: String
    let member: String
    /// The value that restricts nothing.
    let free: String

    /// Where nothing goes, or comes from, no place is open.
    func isOverruledByNone(_ value: String) -> Bool {
      key.hasSuffix(".exceptions") || key.hasSuffix(".allowed") && value == free
    }
  }

  private static let hangingOnSend = [
    Hanging(key: "save.allowed", member: "saveAsBlocked", free: "true"),
    Hanging(key: "save.exceptions", member: "allowedDataStorageLocations", free: ""),
    Hanging(key: "telecommunication", member: "dialerRestrictionLevel", free: "any"),
    Hanging(key: "messaging", member: "protectedMessagingRedirectAppType", free: "any"),
  ]
  private static let hangingOnReceive = [
    Hanging(key: "open.allowed", member: "blockDataIngestionIntoOrganizationDocuments", free: "true"),
    Hanging(key: "open.exceptions", member: "allowedDataIngestionLocations", free: ""),
  ]

  /// Restrictions that hang on a setting which the source does not state bring it along, so that they hold. Beside a
  /// value that overrules them they are left out, there as here.
  private mutating func settle(_ cause: String, _ hanging: [Hanging]) {
    let word = values[cause]?.value
    for setting in hanging {
      guard let value = values[setting.key]?.value else { continue }
      switch word {
      case nil where value != setting.free:
        if values[cause] == nil {
          values[cause] = ImportedValue(value: "managed", source: "not stated, and \(setting.member) needs it")
        }
        guard !setting.key.hasSuffix(".exceptions") else { continue }
        tell(setting.member, .stricter, "\(setting.key): \(value), and \(cause): managed, which it needs")
      case "any"? where value != setting.free, "anyTagOrg"? where value != setting.free,
        "none"? where setting.isOverruledByNone(value):
        values[setting.key] = nil
        tell(setting.member, .off, "it changes nothing beside \(cause): \(word ?? "")")
      default: break
      }
    }
  }

  /// Another fate for a setting that has one.
  private mutating func tell(_ member: String, _ fate: ImportFinding.Fate, _ words: String) {
    for place in findings.indices where findings[place].member == member {
      findings[place].fate = fate
      findings[place].words = words
    }
  }

  private mutating func sharpen(_ key: String, _ word: String, to other: String, by member: String, _ tree: JSONTree) {
    guard let value = tree[member], value != .null else { return }
    guard value == true, values[key]?.value == word else {
      return find(.init(member, value), .off, "it changes nothing beside the other settings")
    }
    values[key]?.value = other
    find(.init(member, value), .taken, "\(key): \(other)")
  }
}

/// A setting of the source, and its fate.
package struct ImportFinding: Sendable, Hashable {
  package enum Fate: String, Sendable, Hashable, CaseIterable {
    case taken
    /// It restricts nothing there, and has no counterpart here.
    case off
    /// Something stricter stands in its place.
    case stricter
    /// It blocks in place of a wipe.
    case blocks
    /// It has no counterpart.
    case notHere
    case unknown
  }

  package var member: String
  package var value: String
  package var fate: Fate
  /// The setting here, or the reason why there is none.
  package var words: String

  /// Nobody has to look at it.
  package var isExact: Bool { fate == .taken || fate == .off }
}

/// A value for a protection, and the member that it comes from.
struct ImportedValue: Sendable, Hashable {
  var value: String
  var source: String
}
