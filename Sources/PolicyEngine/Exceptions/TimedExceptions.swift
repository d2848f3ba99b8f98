internal import GuardModel
internal import URLRules

/// The exceptions in force, oldest first, ready to be looked up by a URL's host.
///
/// Looking up costs one probe for each label of the host, and nothing while there are none.
package struct TimedExceptions: Sendable {
  package let list: [TimedException]
  let reports: [ExceptionReport]
  /// The accounts in lower case, as bytes where they are ASCII.
  private let accounts: [[UInt8]?]
  /// The first exception of each name; those after it follow in `next`.
  private var hosts = ByteTable<Int32>()
  private var domains = ByteTable<Int32>()
  private var next: [Int32]

  /// The exceptions of a list; the caller leaves out expired ones.
  package init(_ list: [TimedException] = []) {
    self.list = list
    reports = list.map(\.report)
    accounts = list.map { exception in
      let folded = exception.account.map { Array(AccountName.fold($0).utf8) }
      return folded?.allSatisfy { $0 < 0x80 } == true ? folded : nil
    }
    next = Array(repeating: -1, count: list.count)
    for index in list.indices.reversed() {
      let name = list[index].host.bytes
      if list[index].takesHostsBelow {
        next[index] = domains.value(for: name.span) ?? -1
        domains.set(Int32(index), for: name.span)
      } else {
        next[index] = hosts.value(for: name.span) ?? -1
        hosts.set(Int32(index), for: name.span)
      }
    }
  }

  package var isEmpty: Bool { list.isEmpty }

  /// The oldest exception for a host, in the parser's form, that also covers this question; nil when there is none.
  func first(for host: Span<UInt8>, where holds: (Int32) -> Bool) -> Int32? {
    var found = first(after: hosts.value(for: host), where: holds)
    for start in host.indices where start == 0 || host[start - 1] == UInt8(ascii: ".") {
      let below = first(after: domains.value(for: host.extracting(start...)), where: holds)
      if let below { found = min(found ?? below, below) }
    }
    return found
  }

  private func first(after start: Int32?, where holds: (Int32) -> Bool) -> Int32? {
    var index = start ?? -1
    while index >= 0 {
      if holds(index) { return index }
      index = next[Int(index)]
    }
    return nil
  }

  /// Whether an exception covers data of this account.
  func isFor(_ account: Identity, _ index: Int32, _ accounts: borrowing AccountTable) -> Bool {
    guard let name = list[Int(index)].account else { return true }
    guard case .account(let id) = account else { return false }
    let known = self.accounts[Int(index)].map { accounts.number(ofFolded: $0.span) } ?? accounts.number(ofKnown: name)
    return known == id
  }
}
