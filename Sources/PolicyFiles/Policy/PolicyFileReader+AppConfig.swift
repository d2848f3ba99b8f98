internal import Bytes
internal import GuardModel
internal import PolicyEngine

/// One entry of `appConfig` as it is written, before the policy's apps and accounts are known.
struct AppConfigDraft: Sendable {
  var name: Located<String>
  var app: Located<String>
  /// Accounts and patterns, in lower case.
  var accounts: [Located<String>]
  var groups: [AppConfigTarget]
  var values: [Located<AppConfigEntry.Value>]
  /// The place at which the entry begins.
  var location: SourceLocation
}

/// Messages about values never show them: a value may be one that no log may hold, and another file says so.
extension PolicyFileReader {
  var appConfig: YAMLDecoder<[AppConfigDraft]> { .goodItems(of: .mapping { reader in entry(&reader) }) }

  private func entry(_ reader: inout MappingReader) -> AppConfigDraft? {
    let name = reader.required("name", .located(.name))
    let app = reader.required("app", .located(.nonEmptyString))
    let target = target(&reader)
    let values = reader.required("values", Self.values)
    guard let name, let app, let values, let target else { return nil }
    return AppConfigDraft(
      name: name, app: app, accounts: target.accounts, groups: target.groups, values: values,
      location: reader.location)
  }

  private struct Target {
    var accounts: [Located<String>] = []
    var groups: [AppConfigTarget] = []
  }

  /// The accounts and groups of an entry, none for a default; nil when that has been reported.
  private func target(_ reader: inout MappingReader) -> Target? {
    let isDefault = reader.optional("default", .bool)
    let accounts = reader.optional("accounts", .list(of: .located(.accountPattern), atLeast: 1))
    let names = reader.optional("groups", .list(of: .located(.nonEmptyString), atLeast: 1))
    let groups = (names ?? []).map { name in
      AppConfigTarget.group(name: name.value, number: resolve(group: name, into: &reader.diagnostics))
    }
    let stated = ["accounts", "groups"].filter { reader.has($0) }
    guard checkTarget(isDefault, stated, &reader) else { return nil }
    // A value that could not be read never makes a default of an entry.
    if reader.has("accounts"), accounts == nil { return nil }
    if reader.has("groups"), names == nil { return nil }
    return Target(accounts: accounts ?? [], groups: groups)
  }

  /// Whether the entry says for whom it is, in one way.
  private func checkTarget(_ isDefault: Bool?, _ stated: [String], _ reader: inout MappingReader) -> Bool {
    if isDefault == true {
      for key in stated {
        reader.error(
          .conflictingKeys, at: key, "\(key.quoted) may not stand beside `default: true`",
          hint: "write two entries: one for everybody, and one for these")
      }
      return stated.isEmpty
    }
    guard stated.isEmpty else { return true }
    if isDefault == false || !reader.has("default") {
      reader.diagnostics.error(
        .missingKey, at: reader.location, "the entry says neither whom it is for nor that it is the app's default",
        hint: "write `default: true`, or name `accounts` or `groups`")
    }
    return false
  }

  private static var values: YAMLDecoder<[Located<AppConfigEntry.Value>]> {
    YAMLDecoder("a mapping") { node, diagnostics in
      let values = node.decode(.entries { key in value(of: key) }, into: &diagnostics)
      guard let values, values.isEmpty else { return values }
      diagnostics.error(.outOfRange, at: node.location, "there is no value", hint: "write at least one `key: value`")
      return nil
    }
  }

  private static func value(of key: Located<String>) -> YAMLDecoder<Located<AppConfigEntry.Value>> {
    YAMLDecoder("a boolean, a number or a string") { node, diagnostics in
      let isKey = diagnostics.checkConfigKey(key)
      let value = diagnostics.configValue(node, of: key.value)
      guard isKey, let value else { return nil }
      return Located(AppConfigEntry.Value(key: key.value, value: value), at: key.location)
    }
  }
}

/// Limits of values. All layers of all accounts of an app go in one answer, which a client reads as one message.
enum AppConfigLimit {
  /// Most bytes of one string: a certificate or a small document, and no data base.
  static let stringBytes = 16_384
  /// Most bytes of all keys and values that the policy has for one app.
  static let appBytes = 262_144
  /// The key that the SDK's list of all data marks the default with (AC-03).
  static let reservedKey = "__IsDefault"
}

extension AppConfigValue {
  /// A number as JSON would have it: digits, a fraction, an exponent.
  ///
  ///     AppConfigValue(number: "1.5")     // .number(1.5)
  ///     AppConfigValue(number: "010")     // nil: 8 to YAML 1.1, and 10 to YAML 1.2
  ///     AppConfigValue(number: "9007199254740993")    // nil: not every client keeps it
  init?(number text: String) {
    guard text.utf8.isJSONNumber, let number = Double(text), number.isFinite else { return nil }
    let isWhole = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    guard !isWhole || number.magnitude <= Double(Self.largestWhole) else { return nil }
    self = .number(number == 0 ? 0 : number)
  }
}

extension Diagnostics {
  fileprivate mutating func checkConfigKey(_ key: Located<String>) -> Bool {
    guard Name.isValid(key.value) else {
      checkName(key)
      return false
    }
    guard key.value != AppConfigLimit.reservedKey else {
      error(
        .reservedName, at: key.location, "\(key.value.quoted) is the mark of a default, and no key",
        hint: "`default: true` beside `app` makes the entry the default")
      return false
    }
    return true
  }

  /// The value of a node; nil for one that has been reported, without its text.
  mutating func configValue(_ node: YAMLNode, of key: String) -> AppConfigValue? {
    guard let scalar = node.scalar else {
      error(
        .wrongType, at: node.location, "the value of \(key.quoted) is neither a boolean, a number nor a string",
        hint: "apps read single values: write a list or a mapping as JSON text, in quotes")
      return nil
    }
    switch scalar.resolved {
    case .string: return configString(scalar.text, at: node.location, of: key)
    case .bool where scalar.text == "true": return .bool(true)
    case .bool where scalar.text == "false": return .bool(false)
    case .bool: wrongConfigValue(node, key, "is a boolean in an unusual spelling", hint: "write true or false")
    case .null: wrongConfigValue(node, key, "is missing", hint: "give it a value, or remove the key")
    case .int, .float:
      if let value = AppConfigValue(number: scalar.text) { return value }
      wrongConfigValue(
        node, key, "is a number that not every program reads alike",
        hint: "write decimal digits, without `+` and without a leading zero, up to \(AppConfigValue.largestWhole); or "
          + "put it in quotes as a string")
    }
    return nil
  }

  private mutating func configString(_ text: String, at location: SourceLocation, of key: String) -> AppConfigValue? {
    guard text.utf8.count <= AppConfigLimit.stringBytes else {
      error(
        .outOfRange, at: location,
        "the value of \(key.quoted) has \(text.utf8.count) bytes, and may have \(AppConfigLimit.stringBytes)",
        hint: "let the app fetch it from a place that the value names")
      return nil
    }
    let allowed: Set<UInt32> = [0x09, 0x0A, 0x0D]
    let isText = text.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0x7F || allowed.contains(scalar.value)
    }
    guard isText else {
      error(
        .invalidText, at: location, "the value of \(key.quoted) holds a control character",
        hint: "only tabs and line breaks may stand in it")
      return nil
    }
    return .string(text)
  }

  private mutating func wrongConfigValue(_ node: YAMLNode, _ key: String, _ problem: String, hint: String) {
    error(.wrongType, at: node.location, "the value of \(key.quoted) \(problem)", hint: hint)
  }
}

extension String.UTF8View {
  /// Whether it is a number of JSON (RFC 8259, section 6).
  fileprivate var isJSONNumber: Bool {
    var rest = self[...]
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let whole = rest.removeDigits()
    guard whole > 0, whole == 1 || self.first(where: { $0 != UInt8(ascii: "-") }) != UInt8(ascii: "0") else {
      return false
    }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard rest.removeDigits() > 0 else { return false }
    }
    guard rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") else { return rest.isEmpty }
    rest.removeFirst()
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    return rest.removeDigits() > 0 && rest.isEmpty
  }
}

extension Substring.UTF8View {
  fileprivate mutating func removeDigits() -> Int {
    let digits = prefix(while: \.isASCIIDigit).count
    removeFirst(digits)
    return digits
  }
}
