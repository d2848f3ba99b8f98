internal import JSONText

/// Members about versions and times: conditions of `conditionalLaunch`. An action `wipe` becomes `block`.
extension IntunePolicy {
  mutating func takeCondition(_ member: JSONTree.Member) -> Bool {
    switch member.key {
    case "minimumRequiredAppVersion": takeVersion(member, action: "block")
    case "minimumWarningAppVersion": takeVersion(member, action: "warn")
    case "minimumWipeAppVersion":
      takeVersion(member, action: "block", because: "it blocks in place of a wipe: nothing is deleted")
    case "periodOfflineBeforeAccessCheck": takeOffline(member)
    case "periodOfflineBeforeWipeIsEnforced":
      find(member, .blocks, "nothing is deleted: `notCheckedAfter` blocks long before; `wipe` would have to be stated")
    default:
      guard member.key.hasPrefix("appAction"), member.value == "wipe" else { return false }
      find(member, .blocks, "nothing is deleted: where there is such a condition here, it blocks")
    }
    return true
  }

  private mutating func takeVersion(_ member: JSONTree.Member, action: String, because cause: String? = nil) {
    guard let text = member.value.string, !text.isEmpty else { return find(member, .off, "no version is asked for") }
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else {
      return find(member, .unknown, "\(text) is no version: state `appVersion` in `conditionalLaunch`")
    }
    let condition = "{ check: appVersion, operator: atLeast, value: \"\(text)\", action: \(action) }"
    conditions.append(ImportedValue(value: condition, source: member.key))
    find(member, cause == nil ? .taken : .blocks, "conditionalLaunch: \(condition)\(cause.map { ", " + $0 } ?? "")")
  }

  private mutating func takeOffline(_ member: JSONTree.Member) {
    guard let text = member.value.string, let hours = Self.hours(text) else {
      return find(member, .unknown, "it is no time")
    }
    guard hours > 0 else { return find(member, .off, "no time is asked for") }
    values["notCheckedAfter"] = ImportedValue(value: "\(min(hours, 90 * 24))h", source: "\(member.key): \(text)")
    find(member, .taken, "notCheckedAfter: \(min(hours, 90 * 24))h, for facts of `conditionalLaunch` that fall silent")
  }

  /// The hours of an ISO 8601 duration of days, hours and minutes, rounded down; nil for another text.
  ///
  ///     IntunePolicy.hours("P1DT12H")    // 36
  static func hours(_ text: String) -> Int? {
    guard text.first == "P", text.utf8.count <= 20 else { return nil }
    var minutes = 0
    var digits = ""
    var isTime = false
    for character in text.dropFirst() {
      guard !(character.isASCII && character.isNumber) else {
        digits.append(character)
        continue
      }
      guard character != "T" else {
        isTime = true
        continue
      }
      guard let number = Int(digits), number < 1_000_000 else { return nil }
      switch (character, isTime) {
      case ("D", false): minutes += number * 1440
      case ("H", true): minutes += number * 60
      case ("M", true): minutes += number
      case ("S", true): break
      default: return nil
      }
      digits = ""
    }
    return digits.isEmpty ? minutes / 60 : nil
  }
}

/// Members that are lists or numbers.
extension IntunePolicy {
  mutating func takeList(_ member: JSONTree.Member, of tree: JSONTree) -> Bool {
    switch member.key {
    case "allowedOutboundClipboardSharingExceptionLength": takeLength(member)
    case "allowedDataStorageLocations": takePlaces(member, "save", when: tree["saveAsBlocked"])
    case "allowedDataIngestionLocations":
      takePlaces(member, "open", when: tree["blockDataIngestionIntoOrganizationDocuments"])
    case "exemptedAppProtocols": takeSchemes(member)
    default: return false
    }
    return true
  }

  private mutating func takeLength(_ member: JSONTree.Member) {
    let length = member.value.int.map { max(0, min($0, 65_535)) } ?? 0
    values["clipboard.exceptionLength"] = ImportedValue(value: "\(length)", source: member.key)
    find(member, member.value.int == length ? .taken : .stricter, "clipboard.exceptionLength: \(length)")
  }

  private mutating func takePlaces(_ member: JSONTree.Member, _ key: String, when blocks: JSONTree?) {
    let named = (member.value.array ?? []).compactMap(\.string)
    let known = named.filter(IntuneWords.places.contains)
    guard blocks == true else { return find(member, .off, "every place is allowed, so exceptions say nothing") }
    values["\(key).exceptions"] = ImportedValue(value: "[\(known.joined(separator: ", "))]", source: member.key)
    let lost = named.count - known.count
    let words = "\(key).exceptions: [\(known.joined(separator: ", "))]"
    find(member, lost == 0 ? .taken : .stricter, words + (lost == 0 ? "" : ", without \(lost) that are not known here"))
  }

  /// Names and schemes, several of these in one text with semicolons between them and behind the last.
  private mutating func takeSchemes(_ member: JSONTree.Member) {
    let texts = (member.value.array ?? []).compactMap { $0["value"]?.string ?? $0.string }
    let named = texts.flatMap { $0.lowercased().split(whereSeparator: { $0 == ";" || $0 == " " }).map(String.init) }
    var schemes: [String] = []
    for name in named where Self.isScheme(name) && !Self.ofApple.contains(name) && !schemes.contains(name) {
      schemes.append(name)
    }
    let left = Set(named).subtracting(schemes)
    if !schemes.isEmpty {
      values["exemptSchemes"] = ImportedValue(value: "[\(schemes.joined(separator: ", "))]", source: member.key)
    }
    let without = left.isEmpty ? "" : ", without those of another system: \(left.sorted().joined(separator: ", "))"
    let isApples = left.allSatisfy(Self.ofApple.contains)
    find(member, isApples ? .taken : .stricter, "exemptSchemes: [\(schemes.joined(separator: ", "))]\(without)")
  }

  /// RFC 3986, section 3.1.
  private static func isScheme(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.first?.isLetter == true
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
  }

  private static let ofApple: Set<String> = [
    "app-settings", "calshow", "itms", "itmss", "itms-apps", "itms-appss", "itms-services", "x-apple-reminderkit",
  ]
}
