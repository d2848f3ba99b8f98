internal import Digests

/// Follows the chain from line to line, and finds the first record that breaks it.
///
/// The line at which a break shows is often not the broken one: when a hash does not fit, either of two lines may have
/// been altered; when a number is skipped, the record may stand further down. Therefore the check reads on until it can
/// tell.
struct ChainCheck: Sendable {
  private var stage = Stage.sound
  private var result = LogVerification()
  private let attested: LogHead?
  /// The lines may begin in the middle of a log.
  private let isPart: Bool
  /// The first cut that the daemon noticed.
  private var cut: LogProblem?
  /// Position of the first record.
  private var first = LinePosition()
  private var position = LinePosition()
  /// Position of the last sound record.
  private var lastSound = LinePosition()
  /// The head before the log's first record, by that record's word.
  private var origin = LogHead.start

  private enum Stage: Sendable {
    case sound
    case torn(Tear)
    case suspect(Suspect)
    case gap(Gap)
    case broken
  }

  init(expecting head: LogHead?, isPart: Bool) {
    attested = head
    self.isPart = isPart
  }

  /// Whether reading on can change nothing.
  var isBroken: Bool {
    guard case .broken = stage else { return false }
    return true
  }

  private var expected: UInt64 { result.head.seq + 1 }

  mutating func beginFile() { position = LinePosition(file: position.file + 1, line: 0) }

  /// A whole line, and the result of reading it.
  mutating func take(_ read: ReadLine, _ line: Span<UInt8>) {
    position.line += 1
    switch (stage, read) {
    case (.sound, .record(let record)): takeNext(record)
    case (.sound, .damaged(let damage)): stage = .torn(Tear(position: position, damage: damage, line))
    case (.torn(let tear), .record(let record)): close(tear, with: record)
    case (.torn(var tear), .damaged):
      tear.addNewline()
      tear.add(line)
      stage = .torn(tear)
    case (.suspect(let suspect), .record(let record)): decide(suspect, isFollowed: record.prev == suspect.record.hash)
    case (.suspect(let suspect), .damaged): decide(suspect, isFollowed: false)
    case (.gap(let gap), .record(let record)) where record.seq == gap.expected:
      fail(.reordered, gap.position, gap.found)
    case (.gap, _), (.broken, _): break
    }
  }

  /// The start of a line that is longer than any record; the rest comes with `continueOverlong`.
  mutating func beginOverlong(_ bytes: Span<UInt8>) { take(.damaged(.notJSON), bytes) }

  mutating func continueOverlong(_ bytes: Span<UInt8>) {
    guard case .torn(var tear) = stage else { return }
    tear.add(bytes)
    stage = .torn(tear)
  }

  /// A file ends without a newline: its last line was cut short, whatever its text.
  mutating func takeUnterminated(isOverlong: Bool) {
    switch stage {
    case .sound:
      position.line += 1
      fail(.torn, position, expected)
    case .torn(let tear) where isOverlong && tear.position == position: fail(.torn, position, expected)
    default: break
    }
  }

  /// Torn bytes are sealed in the file in which they lie.
  mutating func endFile() {
    guard case .torn(let tear) = stage else { return }
    fail(tear.damage, tear.position, expected)
  }

  /// All lines were read. Records that still wait for another line are decided without it.
  mutating func finish() -> LogVerification {
    switch stage {
    case .sound: checkEnd()
    case .suspect(let suspect):
      let isAttested = attested.map { $0.seq != suspect.record.seq || $0.hash == suspect.record.hash }
      decide(suspect, isFollowed: isAttested ?? true)
    case .gap(let gap): fail(.missing(through: gap.found - 1), gap.position, gap.expected)
    case .torn, .broken: break
    }
    checkPast()
    if result.problem == nil { result.problem = cut }
    return result
  }

  private mutating func takeNext(_ record: RecordLink) {
    if result.count == 0 { begin(at: record) }
    switch (record.prev == result.head.hash, record.seq == expected) {
    case (true, true): accept(record)
    case (true, false): fail(.altered, position, expected)
    case (false, true) where result.count == 0: fail(.altered, position, expected)
    case (false, true): stage = .suspect(Suspect(position: position, record: record, before: lastSound))
    case (false, false) where record.seq > expected:
      stage = .gap(Gap(position: position, expected: expected, found: record.seq))
    case (false, false): fail(.reordered, position, record.seq)
    }
  }

  /// The first record decides where the log starts; only record 1 has no past.
  private mutating func begin(at record: RecordLink) {
    first = position
    guard record.seq > 1 else { return }
    origin = LogHead(seq: record.seq - 1, hash: record.prev)
    result.head = origin
    result.past = .notAttested
  }

  private mutating func accept(_ record: RecordLink) {
    if result.count == 0 { result.firstSeq = record.seq }
    result.count += 1
    result.head = record.head
    lastSound = position
    if case .lost(let last, let isSameBoot) = record.claim { note(lost: last, isSameBoot, at: record.seq) }
    if record.claim == .pruned(through: origin), result.past == .notAttested { result.past = .pruned }
    guard let attested else { return }
    let isOther = attested.seq == record.seq && attested.hash != record.hash
    let hasOtherPast = attested.seq == origin.seq && attested.hash != origin.hash
    if isOther || hasOtherPast { fail(.differsFromHead, position, record.seq) }
  }

  /// The daemon that wrote the record noticed a cut. A power cut explains one between two boots.
  private mutating func note(lost last: UInt64, _ isSameBoot: Bool, at seq: UInt64) {
    result.losses += 1
    if isSameBoot, cut == nil {
      let damage = LogDamage.cutOff(through: last)
      cut = LogProblem(file: position.file, line: position.line, seq: seq, damage: damage)
    }
  }

  /// Torn bytes are closed by a record that names exactly them, and by nothing else.
  private mutating func close(_ tear: Tear, with record: RecordLink) {
    guard record.claim == .sealed(tear.bytes), record.prev == result.head.hash, record.seq == expected else {
      return fail(tear.damage, tear.position, expected)
    }
    stage = .sound
    result.sealed += 1
    accept(record)
  }

  /// A line that the next one follows is itself untouched, so the one before it is not.
  private mutating func decide(_ suspect: Suspect, isFollowed: Bool) {
    if isFollowed {
      fail(.altered, suspect.before, suspect.record.seq - 1)
    } else {
      fail(.altered, suspect.position, suspect.record.seq)
    }
  }

  /// The daemon records the removal of the oldest files; other removals leave no such record.
  private mutating func checkPast() {
    guard result.problem == nil, result.past == .notAttested, !isPart else { return }
    fail(.missing(through: origin.seq), first, 1)
  }

  private mutating func checkEnd() {
    guard let attested else { return }
    if attested.seq > result.head.seq {
      position.line += 1
      fail(.truncated(attested: attested.seq), position, expected)
    } else {
      result.end = attested.seq < origin.seq ? .headIsOlder : .attested(through: attested.seq)
    }
  }

  private mutating func fail(_ damage: LogDamage, _ position: LinePosition, _ seq: UInt64) {
    stage = .broken
    result.problem = LogProblem(file: position.file, line: position.line, seq: seq, damage: damage)
  }
}

/// Position of a line.
struct LinePosition: Sendable, Hashable {
  /// Number of the file, from 1.
  var file = 0
  /// Number of the line in it, from 1.
  var line = 0
}

/// Lines that are no records, and that a `sealed` record may still account for.
struct Tear: Sendable {
  let position: LinePosition
  /// The damage if no record seals them.
  let damage: LogDamage
  private var count: UInt64
  private var hasher = SHA256()

  init(position: LinePosition, damage: LogDamage, _ line: Span<UInt8>) {
    self.position = position
    self.damage = damage
    count = UInt64(line.count)
    hasher.update(line)
  }

  /// All bytes so far, without the last newline.
  var bytes: TornBytes { TornBytes(count: count, hash: LineHash(hasher.digest)) }

  mutating func add(_ bytes: Span<UInt8>) {
    count += UInt64(bytes.count)
    hasher.update(bytes)
  }

  mutating func addNewline() { add([UInt8(ascii: "\n")].span) }
}

/// A record whose hash does not fit the line before: one of the two was altered.
struct Suspect: Sendable {
  let position: LinePosition
  let record: RecordLink
  /// The line before, the last that did fit.
  let before: LinePosition
}

/// A record that came too early: those before it are missing, or stand further down.
struct Gap: Sendable {
  let position: LinePosition
  let expected: UInt64
  let found: UInt64
}
