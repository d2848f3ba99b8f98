package import GuardModel

/// The protections that bind an account: by its entry, by a pattern that takes one of its names, by a group of its user.
///
/// With several protections, each setting takes the strictest value of them: `strictest` asks all and says whose value
/// it is. A set is four words and no more, so that asking allocates nothing.
package struct ProtectionSet: Sendable, Hashable {
  private var words: SIMD4<UInt64>

  /// Most protections of a policy. One for each department of a large organisation is far fewer.
  package static let capacity = 256

  /// None: the account is unmanaged.
  package init() { words = .zero }

  /// One, by its index in the policy.
  package init(_ protection: ProtectionIndex) {
    words = .zero
    insert(protection)
  }

  package var isEmpty: Bool { words == .zero }

  package mutating func insert(_ protection: ProtectionIndex) {
    words[Int(protection.place) >> 6] |= 1 << UInt64(protection.place & 63)
  }

  package func contains(_ protection: ProtectionIndex) -> Bool {
    words[Int(protection.place) >> 6] & 1 << UInt64(protection.place & 63) != 0
  }

  package func union(_ other: ProtectionSet) -> ProtectionSet {
    var both = self
    both.words |= other.words
    return both
  }

  /// The first in the order of the policy; nil of none.
  package var first: ProtectionIndex? {
    for index in 0..<4 where words[index] != 0 {
      return ProtectionIndex(index << 6 + words[index].trailingZeroBitCount)
    }
    return nil
  }

  /// The first for which something holds.
  func first(where holds: (ProtectionIndex) -> Bool) -> ProtectionIndex? {
    var found: ProtectionIndex?
    forEach { if found == nil, holds($0) { found = $0 } }
    return found
  }

  package var count: Int { (0..<4).reduce(0) { $0 + words[$1].nonzeroBitCount } }

  /// Calls `body` with each, in the order of the policy.
  @inline(__always)
  func forEach(_ body: (ProtectionIndex) -> Void) {
    for index in 0..<4 {
      var word = words[index]
      while word != 0 {
        body(ProtectionIndex(index << 6 + word.trailingZeroBitCount))
        word &= word - 1
      }
    }
  }

  /// Their indexes, for listing them.
  package var indexes: [ProtectionIndex] {
    var found: [ProtectionIndex] = []
    forEach { found.append($0) }
    return found
  }
}

/// The strictest value of a setting, and the protection that gave it.
struct Strictest<Value> {
  var value: Value
  var protection: ProtectionIndex
}

extension Snapshot {
  /// The strictest value among the protections that bind an account; nil without protections.
  ///
  /// Among equally strict values, an enforced protection's comes before that of a monitoring one, and then the first
  /// counts.
  @inline(__always)
  func strictest<Value: Ranked>(
    of set: ProtectionSet, _ value: (borrowing Protection) -> Value
  ) -> Strictest<Value>? {
    strictest(of: set, indexed: { value(protections[Int($0.place)]) })
  }

  /// As above, for a setting that depends on others.
  @inline(__always)
  func strictest<Value: Ranked>(
    ofEffective set: ProtectionSet, _ value: (borrowing EffectiveSettings) -> Value
  ) -> Strictest<Value>? {
    strictest(of: set, indexed: { value(effective[Int($0.place)]) })
  }

  /// Those of the protections for which a condition holds.
  @inline(__always)
  func those(of set: ProtectionSet, where holds: (borrowing Protection) -> Bool) -> ProtectionSet {
    var found = ProtectionSet()
    set.forEach { if holds(protections[Int($0.place)]) { found.insert($0) } }
    return found
  }

  /// The first of the protections for which a condition holds; an enforced one before those that only monitor.
  @inline(__always)
  func first(of set: ProtectionSet, where holds: (borrowing Protection) -> Bool) -> ProtectionIndex? {
    strictest(of: set, holds).flatMap { $0.value ? $0.protection : nil }
  }

  @inline(__always)
  private func strictest<Value: Ranked>(of set: ProtectionSet, indexed value: (ProtectionIndex) -> Value) -> Strictest<
    Value
  >? {
    var best: Strictest<Value>?
    set.forEach { index in
      let found = value(index)
      if let known = best, !found.isStricter(than: known.value) {
        guard !known.value.isStricter(than: found), isEnforced(index, insteadOf: known.protection) else { return }
      }
      best = Strictest(value: found, protection: index)
    }
    return best
  }

  private func isEnforced(_ index: ProtectionIndex, insteadOf other: ProtectionIndex) -> Bool {
    self[other].isMonitored && !self[index].isMonitored
  }
}

/// A value of a setting with a place in an order from loose to strict.
///
/// This file is the only one that defines the stricter of two values: it merges protections that bind one account,
/// compares several identities, and tells `diff` in which direction a setting moved.
package protocol Ranked: Sendable, Equatable {
  /// How strict it is; 0 restricts nothing.
  var strictness: UInt8 { get }
}

extension Ranked {
  package func isStricter(than other: Self) -> Bool { strictness > other.strictness }
}

extension WebTransfer: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .unmanagedBrowser: 1
    case .managedBrowser: 2
    case .block: 3
    }
  }
}

extension FileEncryption: Ranked {
  /// The fewer can read a file, the stricter: of an envelope the programs that the daemon gives its key, of a directory
  /// all programs of the person while it is open, of a volume everybody whom its permissions let in. The key of fscrypt's
  /// directory lies in the kernel, that of gocryptfs's in a process of the person.
  package var strictness: UInt8 {
    switch self {
    case .none: 0
    case .volume: 1
    case .gocryptfs: 2
    case .fscrypt: 3
    case .envelope: 4
    }
  }
}

extension Snapshot {
  /// How apps have to encrypt the files of an account that these protections bind: the strictest way that any of them asks
  /// for, also of one that only monitors, since encryption is a duty and no restriction (ledger FE-01, PM-01).
  ///
  ///     snapshot.fileEncryption(of: ProtectionSet())    // .none
  package func fileEncryption(of set: ProtectionSet) -> FileEncryption {
    set.indexes.map { self[$0].fileEncryption }.max { $1.isStricter(than: $0) } ?? .none
  }
}

extension ExternalInPlace: Ranked {
  /// Data of the account may go to its own pages and not to unmanaged ones.
  package var strictness: UInt8 { self == .unmanaged ? 1 : 0 }
}

extension ClipboardLevel: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .managedWithPasteIn: 1
    case .managed: 2
    case .blocked: 3
    }
  }
}

extension SendLevel: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .managedOsSharing: 1
    case .managed: 2
    case .managedFiltered: 3
    case .none: 4
    }
  }
}

extension ReceiveLevel: Ranked {
  /// With tagging everything may come in as well, but then it belongs to the organisation.
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .anyTagOrg: 1
    case .managed: 2
    case .none: 3
    }
  }
}

extension Permission: Ranked {
  package var strictness: UInt8 { self == .block ? 1 : 0 }
}

extension NotificationLevel: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .allow: 0
    case .blockOrgData: 1
    case .block: 2
    }
  }
}

extension Unlock: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .none: 0
    case .app: 1
    case .polkit: 2
    }
  }
}

extension SchemeClassSetting: Ranked {
  /// Two programs are as strict as each other, and no link may go to both.
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .program: 1
    case .none: 2
    }
  }
}

extension Bool: Ranked {
  /// For a condition: the one that must hold is stricter.
  package var strictness: UInt8 { self ? 1 : 0 }
}

extension Outcome: Ranked {
  /// The outcome that permits less is stricter. If several identities count, the strictest outcome of all is the
  /// answer.
  package var strictness: UInt8 {
    switch self {
    case .allow: 0
    case .handOff: 1
    case .redact: 2
    case .warn: 3
    case .redirect: 4
    case .switchIdentity: 5
    case .block: 6
    }
  }
}
