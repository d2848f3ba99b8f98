internal import Digests

/// Where a line stands.
struct LinePosition: Sendable, Hashable {
  /// Number of the file, from 1.
  var file = 0
  /// Number of the line in it, from 1.
  var line = 0
}

/// Lines that are no records, and that a `sealed` record may still account for.
struct Tear: Sendable {
  let position: LinePosition
  /// What is wrong if nothing seals them.
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
