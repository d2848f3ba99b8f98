/// Names that a list file may have in a rule.
enum ListName {
  /// The place of lists below the root of the configuration.
  static let directory = "rules/lists/"
  /// The same as rules write it.
  private static let prefix = "lists/"

  /// The problem with `name`; nil when it is a name below `lists`, written in the one way its file is known by.
  ///
  ///     lists/file-sharing.txt, lists/ut1/ads.gz    // nil
  ///     ../x, /etc/hosts, lists/.hidden             // problems
  static func problem(_ name: String) -> (message: String, hint: String)? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
      return ("\(name.quoted) is the name of a rule file", "list files may have any other name")
    }
    if name.hasPrefix(directory) {
      let rest = String(name.dropFirst("rules/".utf8.count))
      return ("\(name.quoted) is not a name below the directory `rules`", "write \(rest.quoted)")
    }
    let isPlain = parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") } && !name.utf8.contains(0)
    guard isPlain else {
      return (
        "\(name.quoted) is not a name below the directory `rules/lists`",
        "write it as in `lists/file-sharing.txt`, without `..`, hidden names and `/` in front"
      )
    }
    guard name.hasPrefix(prefix) else {
      let last = parts.last.map(String.init) ?? name
      let message = "\(name.quoted) is not below the directory `rules/lists`"
      return (message, "put it there and write \((prefix + last).quoted)")
    }
    return nil
  }
}
