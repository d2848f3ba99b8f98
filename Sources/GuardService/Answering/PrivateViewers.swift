package import GuardModel
internal import PolicyEngine

/// The viewers of one instance that show ownerless or unmanaged data, or once did: names of private pages stay out of
/// the log (amendments, "What is recorded").
///
/// The trap: a user who signs in leaves a private page behind. It is the `from` of the viewer's next event, and a
/// client that connects again tells it as the viewer's document. Therefore the log names only two kinds of page of a
/// viewer that was private: those judged there since as the organisation's, and those named already.
package struct PrivateViewers {
  fileprivate struct Viewer {
    /// Hashes of the URLs that were judged as the organisation's since it was private.
    var named: [Int] = []
    var next = 0
    /// The log says that its document is not known.
    var hasNoDocument = false
  }

  private var viewers: [UInt64: Viewer] = [:]
  /// Every viewer counts as one that was private: that one was is no longer known, or was never.
  private var takesAll: Bool

  /// Maximum viewers that are kept apart; with more, all count.
  private static let maximumViewers = 4096
  /// Maximum URLs of each: the page that is left, and those that were asked about while it was shown.
  private static let maximumNamed = 16

  /// - - Parameter takesAll: true for a program that an earlier daemon knew: its viewers may have shown anything.
  package init(takesAll: Bool = false) { self.takesAll = takesAll }

  /// A viewer by its name; a number stands in for it.
  package static func key(_ viewer: Span<UInt8>) -> UInt64 { WindowKey.key(of: viewer) }

  package static func key(of viewer: String) -> UInt64 { key(Array(viewer.utf8).span) }

  /// The viewer shows private data now.
  package mutating func note(_ viewer: UInt64) {
    if viewers[viewer] == nil, viewers.count >= Self.maximumViewers {
      viewers.removeAll()
      takesAll = true
    }
    viewers[viewer, default: Viewer()].named.removeAll(keepingCapacity: true)
  }

  /// A URL was judged in the viewer as the organisation's, so that the log has it.
  package mutating func name(_ url: URLText, in viewer: UInt64) {
    guard wasPrivate(viewer) else { return }
    if viewers.count >= Self.maximumViewers, viewers[viewer] == nil { viewers.removeAll() }
    viewers[viewer, default: Viewer()].name(Self.hash(url), capacity: Self.maximumNamed)
  }

  /// Whether the log may name this page of a viewer that is the organisation's now.
  package func mayName(_ url: URLText, in viewer: UInt64) -> Bool {
    !wasPrivate(viewer) || viewers[viewer]?.named.contains(Self.hash(url)) ?? false
  }

  /// Whether the log has to be told that a viewer's document is not known; it is told once, until a document is named.
  package mutating func losesDocument(_ viewer: UInt64) -> Bool {
    let known = viewers[viewer]?.hasNoDocument ?? false
    viewers[viewer]?.hasNoDocument = true
    return !known
  }

  /// The log has the viewer's document.
  package mutating func hasDocument(_ viewer: UInt64) { viewers[viewer]?.hasNoDocument = false }

  /// No viewer ever was private: nothing has to be looked up.
  package var isEmpty: Bool { viewers.isEmpty && !takesAll }

  private func wasPrivate(_ viewer: UInt64) -> Bool { takesAll || viewers[viewer] != nil }

  /// A fragment names no other page.
  private static func hash(_ url: URLText) -> Int {
    var hasher = Hasher()
    url.bytes.prefix(url.bytes.count - url.fragment.count).withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}

extension PrivateViewers.Viewer {
  fileprivate mutating func name(_ hash: Int, capacity: Int) {
    guard !named.contains(hash) else { return }
    if named.count < capacity {
      named.append(hash)
    } else {
      named[next % capacity] = hash
      next = (next + 1) % capacity
    }
  }
}
