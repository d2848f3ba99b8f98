internal import DecisionLog
internal import JSONText

extension DiffReport {
  /// The report as members of an object.
  ///
  ///     "source":"urls","compared":7,"changed":2,…,"changes":[{"count":2,"sites":1,"before":{…},"after":{…},…}],…
  var members: [JSONTree.Member] {
    [.init("source", .string(source.rawValue))] + countMembers + coverageMembers
  }

  private var countMembers: [JSONTree.Member] {
    [
      .init("tests", .number(testCount)), .init("ruleSets", ruleSetCount.map(JSONTree.number) ?? .null),
      .init("compared", .number(counts.compared)),
      .init("changed", .number(counts.changed)), .init("otherRule", .number(counts.otherRule)),
      .init("invalid", .number(counts.invalid)), .init("onlyInOld", .array(onlyInOld.map(JSONTree.string))),
      .init("onlyInNew", .array(onlyInNew.map(JSONTree.string))),
      .init("changes", .array(changes.map { $0.json(hasSites: true) })),
      .init("furtherChanges", .number(furtherChanges)),
      .init("otherRules", .array(otherRules.map { $0.json(hasSites: false) })),
      .init("furtherOtherRules", .number(furtherOtherRules)), .init("sites", .array(sites.map(\.json))),
      .init("furtherSites", .number(furtherSites)), .init("onFurtherSites", .number(onFurtherSites)),
      .init("onUncountedSites", .number(onUncountedSites)),
    ]
  }

  private var coverageMembers: [JSONTree.Member] {
    guard let coverage else { return [] }
    let levels = Replayability.allCases.filter { $0 != .no }.map { level in
      JSONTree.Member(level.rawValue, .number(coverage.judged[level] ?? 0))
    }
    let reasons = coverage.sortedReasons.map { entry -> JSONTree in
      ["reason": .string(entry.reason), "count": .number(entry.count)]
    }
    return [
      .init("changesOfState", .number(coverage.changesOfState)), .init("judged", .object(levels)),
      .init("notJudged", .number(coverage.notJudged)), .init("reasons", .array(reasons)),
      .init("furtherReasons", .number(coverage.furtherReasons)),
      .init("unlikeRecorded", .number(coverage.unlikeRecorded)),
    ]
  }
}

extension DiffReport.Kind {
  fileprivate func json(hasSites: Bool) -> JSONTree {
    let sites: [JSONTree.Member] =
      hasSites ? [.init("sites", .number(sites)), .init("sitesAreExact", .bool(sitesAreExact))] : []
    let examples = examples.map { example -> JSONTree in
      ["text": .string(example.text), "place": .string(example.place)]
    }
    return .object(
      [.init("count", .number(count))] + sites + [
        .init("before", before.json), .init("after", after.json), .init("examples", .array(examples)),
      ])
  }
}

extension DiffReport.Site {
  fileprivate var json: JSONTree {
    let parts = changes.map { part -> JSONTree in ["change": .string(part.label), "count": .number(part.count)] }
    return ["site": .string(name), "count": .number(count), "changes": .array(parts)]
  }
}

extension ChangeSide {
  fileprivate var json: JSONTree {
    [
      "answer": .string(answer), "ruleSet": ruleSet.map(JSONTree.string) ?? .null,
      "rule": rule.map(JSONTree.string) ?? .null, "ruleLocation": location.map(JSONTree.string) ?? .null,
    ]
  }
}
