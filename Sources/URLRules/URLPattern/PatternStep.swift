internal import Bytes
internal import URLStandard

/// One step of a component without regular expressions: from where it may begin in the text to where it may end.
///
///     /docs/:id?/v   ->   text `/docs`; optional: text `/`, a segment; text `/v`
///
/// A step takes prefix, wildcard, suffix; a repetition takes suffix and prefix again between two wildcards.
struct PatternStep: Sendable, Hashable {
  enum Wildcard: Sendable, Hashable {
    case none
    /// Anything.
    case any
    /// Anything but nothing.
    case something
    /// At least one byte, none of them this one.
    case segment(UInt8)
  }

  var prefix: [UInt8] = []
  var wildcard = Wildcard.none
  var suffix: [UInt8] = []
  var isOptional = false
  var repeats = false

  /// Fixed text that is always there.
  var isPlainText: Bool { wildcard == .none && !isOptional && !repeats }

  /// `*` without anything around it.
  var isPlainWildcard: Bool { wildcard == .any && prefix.isEmpty && suffix.isEmpty }
}

extension PatternStep {
  /// The steps of a component, as few as there can be.
  static func steps(of component: PatternComponent) -> [PatternStep] {
    var steps: [PatternStep] = []
    for part in component.parts {
      let step = PatternStep(part, component.options)
      guard !step.isOptional, !step.repeats, step.wildcard != .none else {
        append(step, to: &steps)
        continue
      }
      append(PatternStep(prefix: step.prefix), to: &steps)
      steps.append(PatternStep(wildcard: step.wildcard))
      append(PatternStep(prefix: step.suffix), to: &steps)
    }
    guard component.options.ignoresCase else { return steps }
    return steps.map(\.lowercased)
  }

  /// Appends a step; text goes on the text before it, and no text at all is no step.
  private static func append(_ step: PatternStep, to steps: inout [PatternStep]) {
    guard step.isPlainText else { return steps.append(step) }
    guard !step.prefix.isEmpty else { return }
    if let last = steps.last, last.isPlainText {
      steps[steps.count - 1].prefix += step.prefix
    } else {
      steps.append(step)
    }
  }

  /// Repetitions of a part that takes anything take nothing more: `(?:a.*b(?:ba.*b)*)` is `a.*b`.
  private init(_ part: PatternPart, _ options: PatternOptions) {
    prefix = part.kind == .fixedText ? part.value : part.prefix
    suffix = part.suffix
    isOptional = part.modifier.isOptional
    repeats = part.modifier.repeats
    switch part.kind {
    case .fixedText, .regexp: wildcard = .none
    case .fullWildcard: wildcard = .any
    case .segmentWildcard: wildcard = options.delimiter.map { .segment($0) } ?? .something
    }
    let isBare = prefix.isEmpty && suffix.isEmpty
    switch wildcard {
    case .none: break
    case .any:
      repeats = false
      if isBare { isOptional = false }
    case .something: repeats = false
    case .segment: if isBare { repeats = false }
    }
  }

  private init(prefix: [UInt8] = [], wildcard: Wildcard = .none) {
    self.prefix = prefix
    self.wildcard = wildcard
  }

  private var lowercased: PatternStep {
    var step = self
    step.prefix = prefix.map(\.asciiLowercased)
    step.suffix = suffix.map(\.asciiLowercased)
    if case .segment(let delimiter) = wildcard { step.wildcard = .segment(delimiter.asciiLowercased) }
    return step
  }
}

/// A set of places in a text. It keeps its memory, so that using it again allocates nothing.
struct PositionSet {
  private var bits: [UInt64] = []
  /// Number of words that the text needs.
  private(set) var used = 0

  init() {}

  /// Empties the set, and makes it one of the places from 0 to `last`.
  mutating func reset(last: Int) {
    used = last >> 6 + 1
    if bits.count < used { bits.append(contentsOf: repeatElement(0, count: used - bits.count)) }
    clear()
  }

  mutating func clear() {
    for word in 0..<used { bits[word] = 0 }
  }

  mutating func insert(_ place: Int) { bits[place >> 6] |= 1 << UInt64(place & 63) }

  func contains(_ place: Int) -> Bool { bits[place >> 6] >> UInt64(place & 63) & 1 == 1 }

  /// The first member from `place` on.
  func next(from place: Int) -> Int? {
    var word = place >> 6
    guard word < used else { return nil }
    var rest = bits[word] & (UInt64.max << UInt64(place & 63))
    while rest == 0 {
      word += 1
      guard word < used else { return nil }
      rest = bits[word]
    }
    return word << 6 + rest.trailingZeroBitCount
  }

  mutating func insert(from first: Int, through last: Int) {
    guard first <= last else { return }
    let lastWord = last >> 6
    for word in first >> 6...lastWord {
      var mask = UInt64.max
      if word == first >> 6 { mask &= UInt64.max << UInt64(first & 63) }
      if word == lastWord { mask &= UInt64.max >> UInt64(63 - last & 63) }
      bits[word] |= mask
    }
  }

  mutating func formUnion(_ other: borrowing PositionSet) {
    for word in 0..<used { bits[word] |= other.bits[word] }
  }
}

/// The sets that one match needs; a thread has them once.
struct PositionSets {
  var places = PositionSet()
  var ends = PositionSet()
  var spare = PositionSet()

  mutating func reset(last: Int) {
    places.reset(last: last)
    ends.reset(last: last)
    spare.reset(last: last)
  }
}
