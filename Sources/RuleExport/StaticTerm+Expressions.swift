internal import URLRules

extension StaticTerm {
  /// An engine's form of a term.
  struct Wanted {
    var dialect: StaticDialect
    /// Also where the URL has a user name or password.
    var credentials: Bool
    /// Something passes by it, so that nothing may be found in a user name.
    var passes: Bool
    /// `ws` and `wss` as well.
    var sockets: Bool
    /// The engine itself compares hosts with their sub-domains.
    var hostsApart = false
  }

  /// Regular expressions any of which is found in exactly the term's URLs; of one host each.
  ///
  ///     hosts contoso.com and below, https    ->   ^https://([^/]*[.@])?contoso\.com\.?(:[0-9]+)?/
  func expressions(_ wanted: Wanted) throws(StaticGap) -> [StaticExpression] {
    guard texts.isEmpty else { return try textExpressions(wanted) }
    if schemes.single.count > 1, port == 80 || port == 443 {
      var found: [StaticExpression] = []
      for scheme in schemes.single {
        var single = self
        single.schemes = scheme
        found += try single.expressions(wanted)
      }
      return found
    }
    let place = try placeItems
    return try authorities(wanted).map { authority throws(StaticGap) in
      let items = [RegexItem(node: .start)] + schemeItems(wanted.sockets) + authority + place
      return try ExpressionWriter.expression(items, wanted.dialect, takesSockets: wanted.sockets)
    }
  }

  /// The scheme up to `//`. With sockets it is one expression for two words each, which takes no other scheme in use.
  private func schemeItems(_ sockets: Bool) -> [RegexItem] {
    let end = RegexItem.literals("://")
    let secure = RegexItem.literals("s")
    let perhaps = [RegexItem(node: .bytes(ByteSet(0x73...0x73)), times: .maybe)]
    let last = schemes == .web ? perhaps : schemes == .https ? secure : []
    guard sockets else { return RegexItem.literals("http") + last + end }
    let start: [RegexItem] = [.set("hw"), .set("ts"), .set("tp", .any)]
    return start + last + end
  }

  private func authorities(_ wanted: Wanted) throws(StaticGap) -> [[RegexItem]] {
    guard !wanted.hostsApart, let entries = hosts.entries else { return [everyAuthority(wanted)] }
    return entries.map { entry in
      let name = RegexItem.literals(entry.name)
      let dot =
        HostSet.Entry.isAddress(entry.name)
        ? [] : [RegexItem(node: .bytes(ByteSet(0x2E...0x2E)), times: .maybe)]
      let user = wanted.credentials ? [RegexItem.maybe([.except("/", .any), .set("@")])] : []
      switch entry.reach {
      case .exactly: return user + name + dot + portItems
      case .network: return user + name + [.set("0123456789.", .some)] + portItems
      case .below:
        let above: [RegexItem] =
          wanted.credentials ? [.except("/", .any), .set(".@")] : [.except("/@", .any), .set(".")]
        return [.maybe(above)] + name + dot + portItems
      }
    }
  }

  /// Any host. Its port is told from the colons of an address in brackets.
  private func everyAuthority(_ wanted: Wanted) -> [RegexItem] {
    let taken = wanted.credentials ? "/" : "/@"
    guard let port else { return [.except(taken, .some)] }
    guard port == schemes.defaultPort else { return [.except(taken, .any)] + RegexItem.literals(":\(port)") }
    let before: [RegexItem] = [.except(taken, .any), .set(wanted.credentials ? "]@" : "]")]
    return [.maybe(before), .except("/:]@", .any)]
  }

  private var portItems: [RegexItem] {
    guard let port else { return [.maybe(RegexItem.literals(":") + [.set("0123456789", .some)])] }
    return port == schemes.defaultPort ? [] : RegexItem.literals(":\(port)")
  }

  private var placeItems: [RegexItem] {
    get throws(StaticGap) {
      guard query.count <= 1 else { throw .query }
      var items: [RegexItem] = []
      switch place {
      case .any: items = RegexItem.literals("/")
      case .prefix(let path): items = RegexItem.literals(path)
      case .exactly(let target): return RegexItem.literals(target) + RegexItem.urlEnd
      }
      guard let condition = query.first else { return items }
      guard !condition.isEvery else { throw .queryEvery }
      items += [.except("?#", .any)] + RegexItem.literals("?")
      if condition.isPrefix, condition.text.isEmpty { return items }
      items += [.maybe([.except("#", .any), .set("&")])] + RegexItem.literals(condition.text)
      guard !condition.isPrefix else { return items }
      return items + [.maybe([.set("&"), .except("#", .any)])] + RegexItem.urlEnd
    }
  }
}

// Texts.
extension StaticTerm {
  private func textExpressions(_ wanted: Wanted) throws(StaticGap) -> [StaticExpression] {
    let saysMore = schemes != .web || port != nil || place != .any || !query.isEmpty
    let saysHost = hosts.entries != nil && !hostsAreImplied && !wanted.hostsApart
    guard texts.count == 1, let text = texts.first, !saysMore, !saysHost else { throw .combination }
    var found: [StaticExpression] = []
    for branch in text.branches {
      for items in try TextTranslation(branch, wanted).written {
        found.append(
          try ExpressionWriter.expression(items.items, wanted.dialect, takesSockets: wanted.sockets && items.sockets))
      }
    }
    return found
  }
}

extension RegexItem {
  static func literals(_ text: String) -> [RegexItem] { literals(Array(text.utf8)) }

  static func literals(_ bytes: [UInt8]) -> [RegexItem] { bytes.map { RegexItem(node: .bytes(ByteSet($0...$0))) } }

  /// One of these characters.
  static func set(_ characters: String, _ times: RegexRepeat = .once) -> RegexItem {
    var set = ByteSet()
    for byte in characters.utf8 { set.insert(byte) }
    return RegexItem(node: .bytes(set), times: times)
  }

  /// Any character but these.
  static func except(_ characters: String, _ times: RegexRepeat = .once) -> RegexItem {
    var set = ByteSet.printable
    for byte in characters.utf8 { set = set.subtracting(byte) }
    return RegexItem(node: .bytes(set), times: times)
  }

  static func maybe(_ items: [RegexItem]) -> RegexItem { RegexItem(node: .group([items]), times: .maybe) }

  /// The end of the URL, before its fragment.
  static let urlEnd: [RegexItem] = [
    .maybe([.set("#"), RegexItem(node: .bytes(.printable), times: .any)]), RegexItem(node: .end),
  ]
}

extension RegexRepeat {
  static let maybe = RegexRepeat(least: 0, most: 1)
  static let any = RegexRepeat(least: 0, most: nil)
  static let some = RegexRepeat(least: 1, most: nil)
}
