internal import Bytes
internal import GuardModel

/// Matches steps against a text, all ways at once: the set of places where a step may begin gives the set of places
/// where it may end. Nothing is tried twice, so the work cannot explode.
///
/// One step costs at most the length of the text, and for fixed text the bytes compared as well; above
/// ``maximumEffort`` in all the answer is unknown. `/*a*a*a*a*a*b` on 64 KiB of `a` costs 64 Ki, because before a `*`
/// only the first place counts.
struct PatternStepMatcher: Sendable {
  /// Bytes looked at, which is less than a millisecond.
  static let maximumEffort = 300_000

  private let steps: [PatternStep]
  private let ignoresCase: Bool

  init(_ steps: [PatternStep], ignoresCase: Bool) {
    self.steps = steps
    self.ignoresCase = ignoresCase
  }

  /// Whether the steps take the whole of `text`; adds the cost to `effort`.
  func matches(_ text: Span<UInt8>, _ sets: inout PositionSets, _ effort: inout Int) -> Ternary {
    PatternStepRun(text, ignoresCase: ignoresCase).take(steps, &sets, &effort)
  }
}

/// One text on its way through the steps.
struct PatternStepRun: ~Escapable {
  private let text: Span<UInt8>
  private let ignoresCase: Bool

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, ignoresCase: Bool) {
    self.text = text
    self.ignoresCase = ignoresCase
  }

  private var last: Int { text.count }

  /// Whether the steps take the whole text.
  func take(_ steps: [PatternStep], _ sets: inout PositionSets, _ effort: inout Int) -> Ternary {
    sets.reset(last: last)
    sets.places.insert(0)
    for index in steps.indices {
      effort += sets.places.used
      sets.ends.clear()
      if steps[index].isPlainText {
        let next = index + 1
        let need: Need = next == steps.count ? .wholeText : steps[next].isPlainWildcard ? .firstPlace : .everyPlace
        add(behind: steps[index].prefix, from: sets.places, need, to: &sets.ends, &effort)
      } else {
        add(behind: steps[index], from: sets.places, to: &sets.ends, &sets.spare, &effort)
      }
      swap(&sets.places, &sets.ends)
      if isSpent(effort) { return .unknown }
      if sets.places.next(from: 0) == nil { return .no }
    }
    return Ternary(sets.places.contains(last))
  }
}

extension PatternStepRun {
  /// The places behind a text that matter.
  private enum Need {
    case everyPlace
    /// `*` comes next, and reaches all others from the first.
    case firstPlace
    /// Nothing comes next.
    case wholeText
  }

  private func add(
    behind step: PatternStep, from places: borrowing PositionSet, to ends: inout PositionSet,
    _ spare: inout PositionSet,
    _ effort: inout Int
  ) {
    if step.repeats {
      if step.wildcard == .none {
        add(behindRepeated: step.prefix, from: places, to: &ends, &spare, &effort)
      } else {
        add(behindRepeatedSegments: step, from: places, to: &ends, &spare, &effort)
      }
    } else {
      add(behind: step.prefix, from: places, .everyPlace, to: &ends, &effort)
      spare.clear()
      add(behind: step.wildcard, from: ends, to: &spare, &effort)
      ends.clear()
      add(behind: step.suffix, from: spare, .everyPlace, to: &ends, &effort)
    }
    if step.isOptional { ends.formUnion(places) }
  }

  /// Whether fixed text stands at `place`.
  private func matches(_ literal: [UInt8], at place: Int, _ effort: inout Int) -> Bool {
    guard place + literal.count <= last else { return false }
    for index in literal.indices {
      let byte = text[place + index]
      effort += 1
      guard byte == literal[index] || ignoresCase && byte.asciiLowercased == literal[index] else { return false }
    }
    return true
  }

  private func isSpent(_ effort: Int) -> Bool { effort > PatternStepMatcher.maximumEffort }

  private func add(
    behind literal: [UInt8], from places: borrowing PositionSet, _ need: Need, to ends: inout PositionSet,
    _ effort: inout Int
  ) {
    if literal.isEmpty { return ends.formUnion(places) }
    if need == .wholeText {
      let start = last - literal.count
      if start >= 0, places.contains(start), matches(literal, at: start, &effort) { ends.insert(last) }
      return
    }
    var place = 0
    while let start = places.next(from: place), !isSpent(effort) {
      if matches(literal, at: start, &effort) {
        ends.insert(start + literal.count)
        if need == .firstPlace { return }
      }
      place = start + 1
    }
  }

  private func add(
    behind wildcard: PatternStep.Wildcard, from places: borrowing PositionSet, to ends: inout PositionSet,
    _ effort: inout Int
  ) {
    guard let first = places.next(from: 0) else { return }
    switch wildcard {
    case .none: ends.formUnion(places)
    case .any: ends.insert(from: first, through: last)
    case .something: ends.insert(from: first + 1, through: last)
    case .segment(let delimiter):
      effort += last - first
      var isInside = false
      for place in first..<last {
        isInside = (isInside || places.contains(place)) && text[place] != delimiter
        if isInside { ends.insert(place + 1) }
      }
    }
  }

  private func add(
    behindRepeated literal: [UInt8], from places: borrowing PositionSet, to ends: inout PositionSet,
    _ starts: inout PositionSet,
    _ effort: inout Int
  ) {
    starts.clear()
    starts.formUnion(places)
    var place = 0
    while let start = starts.next(from: place), !isSpent(effort) {
      if matches(literal, at: start, &effort) {
        starts.insert(start + literal.count)
        ends.insert(start + literal.count)
      }
      place = start + 1
    }
  }

  /// Behind segments with suffix and prefix between them.
  private func add(
    behindRepeatedSegments step: PatternStep, from places: borrowing PositionSet, to ends: inout PositionSet,
    _ starts: inout PositionSet, _ effort: inout Int
  ) {
    guard case .segment(let delimiter) = step.wildcard else { return }
    starts.clear()
    add(behind: step.prefix, from: places, .everyPlace, to: &starts, &effort)
    guard let first = starts.next(from: 0) else { return }
    var isInside = false
    effort += last - first
    for place in first...last where !isSpent(effort) {
      if isInside, matches(step.suffix, at: place, &effort) {
        let end = place + step.suffix.count
        ends.insert(end)
        if matches(step.prefix, at: end, &effort) { starts.insert(end + step.prefix.count) }
      }
      guard place < last else { break }
      isInside = (isInside || starts.contains(place)) && text[place] != delimiter
    }
  }
}
