package import URLRules

/// Random names of host lists over the world of `RandomRules`, and lists of them.
package enum RandomLists {
  /// A host of that world, one above or below it, or one that looks like it.
  package static func name(_ random: inout SeededGenerator) -> String {
    let host = random.one(of: RandomRules.hosts)
    let labels = host.split(separator: ".")
    switch random.below(6) {
    case 0: return random.one(of: ["www.", "a.b.", "x-"]) + host
    case 1: return host.hasPrefix("[") ? host : labels.suffix(max(1, random.below(labels.count))).joined(separator: ".")
    case 2: return "x" + host
    default: return host
    }
  }
}

extension HostLists {
  /// Lists of these names, which are in the form the parser gives hosts.
  package static func of(_ lists: [[String]]) -> HostLists {
    var builder = HostListsBuilder()
    for names in lists {
      _ = builder.beginList()
      for name in names {
        let bytes = Array(name.utf8)
        builder.add(bytes.span)
      }
    }
    return builder.finish()
  }
}
