internal import GuardModel

/// Any value of the wire: a JSON value.
///
/// For content without a word in this library: members of a decision that a newer daemon adds, and parameters of
/// errors.
///
///     let decision = await guardian.navigate(event)
///     decision.members["somethingNew"]?.string
public enum GuardValue: Sendable, Hashable {
  /// `null`, with the same meaning as a member that is left out.
  case null
  /// A truth.
  case bool(Bool)
  /// A number without fraction and exponent that fits in an `Int`.
  case integer(Int)
  /// Any other number.
  case number(Double)
  /// A text.
  case string(String)
  /// Values in order.
  case array([GuardValue])
  /// Values by name. Two members of one name are never read: the text that has them is refused.
  case object([String: GuardValue])

  /// The member of an object; nil for a member that is left out, one that is null, and anything but an object.
  public subscript(name: String) -> GuardValue? {
    guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
    return value
  }

  /// The text; nil for any other value.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number; nil for any other value, and for one with a fraction.
  public var integer: Int? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The truth; nil for any other value.
  public var bool: Bool? {
    if case .bool(let truth) = self { truth } else { nil }
  }

  /// The values in order; nil for anything but an array.
  public var array: [GuardValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The members; nil for anything but an object.
  public var object: [String: GuardValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The value as JSON text; the members of objects in the order of their names.
  package var text: String {
    var writer = ValueWriter()
    writer.value(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The texts of an array, without its other values. Empty for anything but an array.
  var strings: [String] { array?.compactMap(\.string) ?? [] }
}

extension GuardValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  /// `"text"` where a value is wanted.
  public init(stringLiteral value: String) { self = .string(value) }
  /// `true` where a value is wanted.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// `7` where a value is wanted.
  public init(integerLiteral value: Int) { self = .integer(value) }
}

extension GuardValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  /// `["viewer": "v1"]` where a value is wanted; of two members of one name the later counts.
  public init(dictionaryLiteral elements: (String, GuardValue)...) {
    self = .object(Dictionary(elements) { _, later in later })
  }

  /// `["v1", "v2"]` where a value is wanted.
  public init(arrayLiteral elements: GuardValue...) { self = .array(elements) }
}

// Turns words of the wire back into values. Words of a newer daemon have no value here.

extension Outcome {
  /// The outcome for a word; `block` for any other word.
  init(word: GuardValue?) {
    self = word?.string.flatMap { text in Self.allCases.first { $0.name == text } } ?? .block
  }
}

extension Location {
  init?(word: String) {
    guard let match = Self.allCases.first(where: { $0.name == word }) else { return nil }
    self = match
  }
}

extension Verdict {
  init?(word: String) {
    guard let match = [Verdict.internal, .external].first(where: { $0.name == word }) else { return nil }
    self = match
  }
}

extension EventKind {
  /// The method that asks: `Navigate`, `OpenURL`; nil for `unknown`, which cannot be asked.
  var method: String? { self == .unknown ? nil : name.prefix(1).uppercased() + name.dropFirst() }
}

extension FailureContract {
  /// The contract's answer for a kind of event.
  func answer(to kind: EventKind) -> FailureAnswer {
    switch kind {
    case .navigate, .openURL: navigation
    case .copy, .paste, .clipboardChanged, .dragEnd: clipboard
    default: other
    }
  }

  /// The contract in a value; parts that are broken or missing come from `self`.
  ///
  ///     {"answerMs":250,"navigation":"open","other":7}    // 2000 ms, 250 ms, open, closed, closed
  init(reading value: GuardValue) {
    self.init()
    if let said = value["startMs"]?.integer, Self.times.contains(said) { startMilliseconds = said }
    if let said = value["answerMs"]?.integer, Self.times.contains(said) { answerMilliseconds = said }
    navigation = value["navigation"]?.string.flatMap(FailureAnswer.init) ?? .closed
    clipboard = value["clipboard"]?.string.flatMap(FailureAnswer.init) ?? .closed
    other = value["other"]?.string.flatMap(FailureAnswer.init) ?? .closed
  }
}
