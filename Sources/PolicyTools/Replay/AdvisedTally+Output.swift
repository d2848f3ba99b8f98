internal import JSONText
internal import PolicyFiles

extension AdvisedTally {
  /// The counts for people: how many in all, then by site, rule and app.
  package func printText(top: Int, to output: Output) throws(CommandFailure) {
    try output.line("\(Self.count(decisions, "decision")) with advice: \(records) recorded, \(repeats) repeated")
    if after > 0 {
      try output.line(
        "not among them: \(after) in pages that enforcing would not have opened, \(afterWithAdvice) with advice")
    }
    if onlyCounted > 0 { try output.line("not among them: \(onlyCounted) of apps whose decisions are only counted") }
    if lost > 0 { try output.line("\(Self.count(lost, "answer")) left no record, so advice may be missing") }
    try print(["SITE", "COUNT"], sites, "sites", top, to: output) { [$0] }
    try print(["RULE", "ADVISED", "REASON", "MONITORED", "COUNT"], rules, "rules", top, to: output) {
      [$0.name, $0.outcome, $0.reason, $0.cause]
    }
    try print(["APP", "COUNT"], apps, "apps", top, to: output) { [$0] }
  }

  private func print<Key: Comparable>(
    _ header: [String], _ counts: BoundedCount<Key>, _ unit: String, _ number: Int, to output: Output,
    cells: (Key) -> [String]
  ) throws(CommandFailure) {
    guard counts.keyCount > 0 else { return }
    let top = counts.top(number)
    let rows = top.map { cells($0.key).map(\.escapedForDisplay) + [String($0.count)] }
    try output.line("")
    for line in TextTable(header, rows).lines { try output.line(line) }
    let hidden = counts.keyCount - top.count
    if hidden > 0 { try output.line("and \(hidden) further \(unit) with \(rest(counts, top))") }
    if counts.further > 0 { try output.line("and \(counts.further) on \(unit) beyond those that are kept apart") }
  }

  private func rest<Key>(_ counts: BoundedCount<Key>, _ top: [(key: Key, count: Int)]) -> Int {
    decisions - counts.further - top.reduce(0) { $0 + $1.count }
  }

  private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

  /// The counts as one JSON object under `counts`: behind records it is the line that is none.
  package func printJSON(top: Int, to output: Output) throws(CommandFailure) {
    let members: [JSONTree.Member] = [
      .init("decisions", .number(decisions)), .init("recorded", .number(records)), .init("repeated", .number(repeats)),
      .init("after", .number(after)), .init("afterWithAdvice", .number(afterWithAdvice)),
      .init("onlyCounted", .number(onlyCounted)), .init("lost", .number(lost)),
    ]
    let lists =
      list("site", "Sites", sites, top) { [.init("site", .string($0))] }
      + list("rule", "Rules", rules, top) { rule in
        [
          .init("rule", .string(rule.name)), .init("outcome", .string(rule.outcome)),
          .init("reason", .string(rule.reason)), .init("cause", .string(rule.cause)),
        ]
      } + list("app", "Apps", apps, top) { [.init("app", .string($0))] }
    try output.line(JSONTree.object([.init("counts", .object(members + lists))]).text())
  }

  private func list<Key: Comparable>(
    _ unit: String, _ title: String, _ counts: BoundedCount<Key>, _ number: Int, members: (Key) -> [JSONTree.Member]
  ) -> [JSONTree.Member] {
    let top = counts.top(number)
    let elements = top.map { JSONTree.object(members($0.key) + [.init("count", .number($0.count))]) }
    return [
      .init(unit + "s", .array(elements)), .init("further" + title, .number(counts.keyCount - top.count)),
      .init("onFurther" + title, .number(rest(counts, top))), .init("onUncounted" + title, .number(counts.further)),
    ]
  }
}
