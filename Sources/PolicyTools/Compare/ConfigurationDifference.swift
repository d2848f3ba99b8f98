internal import PolicyFiles

/// One difference between two configurations, apart from spelling.
///
///     let difference = ConfigurationComparison(old, new).differences[0]
///     difference.subject      // "protection `contoso`"
///     difference.key          // "clipboard.level"
///     difference.change       // "managed -> any"
///     difference.direction    // .looser
package struct ConfigurationDifference: Sendable, Hashable {
  /// The kind of thing: `protection`, `app`, `class`, `rule`, `daemon`
  package var kind: String
  /// The thing's name; empty where there is only one of its kind.
  package var name: String
  /// The key below the thing: `clipboard.level`; empty when the whole thing is new or gone.
  package var key: String
  package var direction: DifferenceDirection
  package var before: DifferenceSide
  package var after: DifferenceSide
  /// Values added to a set, and values removed, in alphabetical order; only examples for lists.
  package var added: [String] = []
  package var removed: [String] = []
  /// Numbers of added and removed values.
  package var addedCount = 0
  package var removedCount = 0

  /// ``protection `contoso` ``
  package var subject: String { name.isEmpty ? kind : "\(kind) \(name.quoted)" }
}

/// Which way a difference goes.
package enum DifferenceDirection: String, Sendable, Hashable, CaseIterable {
  /// Something may happen that could not, or fewer are bound.
  case looser
  /// The other way about.
  case tighter
  /// Neither is a part of the other, or the direction is unclear.
  case sideways

  var reversed: DifferenceDirection {
    switch self {
    case .looser: .tighter
    case .tighter: .looser
    case .sideways: .sideways
    }
  }
}

/// The value in one of the two configurations.
package struct DifferenceSide: Sendable, Hashable {
  /// As it would be written; nil where the thing does not exist.
  package var value: String?
  /// False for a value that holds because nothing is written.
  package var isStated = true
  /// `file:line:column` of the key, or of its parent; a path where there is no line. Nil where the thing does not
  /// exist.
  package var place: String?

  package init(value: String? = nil, isStated: Bool = true, place: String? = nil) {
    self.value = value
    self.isStated = isStated
    self.place = place
  }
}

extension ConfigurationDifference {
  /// Both values in words: `managed -> any`, `+2 (a.example, b.example), -1 (c.example)`, `is new`
  package var change: String {
    if key.isEmpty {
      if before.place == nil { return after.value.map { "is new: \($0)" } ?? "is new" }
      if after.place == nil { return before.value.map { "is gone: \($0)" } ?? "is gone" }
    }
    // The entries of a list say more than their number.
    if addedCount + removedCount > 0, kind == "list" || !areShort { return setWords }
    return "\(before.words) -> \(after.words)"
  }

  /// Maximum characters of a set of values that is shown whole.
  private static let maximumShown = 60

  private var areShort: Bool {
    let values = [before.value, after.value].compactMap(\.self)
    return values.count == 2 && values.allSatisfy { $0.utf8.count <= Self.maximumShown }
  }

  private var setWords: String {
    let parts = [("+", addedCount, added), ("-", removedCount, removed)].filter { $0.1 > 0 }
    return parts.map { sign, count, examples in
      let shown = examples.prefix(Self.maximumExamples).map { $0.cut(to: Self.maximumShown) }
      let rest = count > shown.count && !shown.isEmpty ? ", ..." : ""
      return "\(sign)\(count)" + (shown.isEmpty ? "" : " (\(shown.joined(separator: ", "))\(rest))")
    }.joined(separator: ", ")
  }

  /// Maximum values of a set that are shown.
  static let maximumExamples = 3
}

extension DifferenceSide {
  fileprivate var words: String { (value ?? "nothing") + (isStated ? "" : " (default)") }
}

extension String {
  fileprivate func cut(to length: Int) -> String {
    unicodeScalars.count > length ? String(unicodeScalars.prefix(length)) + "..." : self
  }
}
