internal import URLRules

/// A collector for the hosts of lists, list by list.
///
/// Names come in the form of the URL parser: `xn--bcher-kva.example`, `10.0.0.1`, `[2001:db8::1]`.
package protocol ListedHosts: ~Copyable {
  /// Begins the next list; returns its number. The first is 0.
  mutating func beginList() -> Int32
  /// Adds a host of the list that was begun last; it stands for everything below it as well. False when there is no room
  /// for it.
  mutating func add(_ host: Span<UInt8>) -> Bool
}

extension HostListsBuilder: ListedHosts {}
