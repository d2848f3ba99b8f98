/// A key that a rule is filed under: without it, the rule's condition is certainly false.
///
/// A condition offers a list of keys, of which at least one holds whenever it is not certainly false; no list at all
/// means that other URLs may fulfil it, and the rule is looked at for every URL.
///
///     domain: contoso.com                      ->  host contoso.com, and below
///     pattern: "https://x.example/a/*"         ->  host x.example, path from /a/
///     regex: '/v[0-9]+/'                       ->  text /v[0-9]+/
///
/// Trap: a key that is too narrow hides a rule, and a hidden external rule is a leak. When in doubt, offer none.
package enum IndexKey: Sendable, Hashable {
  /// A URL of any scheme with this host, or (`below`) with a host that ends in a dot and this name and is no address.
  /// The URL's path begins with these bytes.
  case host([UInt8], below: Bool, path: [UInt8])
  /// Exactly this judged URL, serialised.
  case url([UInt8])
  /// A host of the list with this number, or below one.
  case list(Int32)
  /// A host that is an address in this network.
  case network(IPNetwork)
  /// A judged URL in which this PCRE2 pattern is found.
  case text(String)
}
