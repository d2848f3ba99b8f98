internal import URLRules

/// Why something cannot be said by static rules at all, or not by those of one engine.
package enum StaticGap: Error, Sendable, Hashable, Comparable {
  case from
  case hop
  case document
  case expression
  case look
  case alternatives
  case repetitions
  case anchor
  case expressionSize
  case combination
  case userName
  case query
  case queryEvery
  case exactURL
  case port
  case network
  case star
  case letterCase
  case texts
  case notWeb
  case spelling
  case tooMany
  case transfer
  case frameOnly
  case resourceOnly
  case precedence
  case limit

  /// It is about a rule's purposes (`for`), and not about its matchers.
  var isUse: Bool { self == .frameOnly || self == .resourceOnly || self == .transfer }

  /// To stand behind a colon.
  package var words: String {
    switch self {
    case .from: "static rules do not know what led to a page (`from`)"
    case .hop: "static rules do not know whether a redirect led to a page (`hop`)"
    case .document: "static rules do not know the document of the viewer (`same`)"
    case .expression: "the regular expression holds what has no counterpart, or gives back nothing of what it took"
    case .look: "the engine's regular expressions have no look-arounds, and no `\\b`"
    case .alternatives:
      "the engine's regular expressions have no `|`, and this one would have to be written out too often"
    case .repetitions: "the regular expression repeats too much to be written out"
    case .anchor: "`^` or `$` stands in the middle of the regular expression"
    case .expressionSize: "the regular expression takes more memory than the engine allows"
    case .combination:
      "a regular expression or pattern beside other matchers is more than one of the engine's rules can say"
    case .userName: "a user name in front of any host could fulfil the regular expression; begin it with `^https://`"
    case .query: "the engine cannot ask for this in a query"
    case .queryEvery: "the engine cannot demand something of every value of a query key"
    case .exactURL: "the engine takes what begins with a path, and no single URL"
    case .port: "the engine cannot tell ports apart"
    case .network: "the engine has no blocks of addresses"
    case .star: "a `*` in a path cannot stand for itself"
    case .letterCase: "the engine does not tell upper and lower case apart in a path"
    case .texts: "the engine has no regular expressions"
    case .notWeb: "it takes nothing that a page loads over http or https"
    case .spelling: "the engine would read the filter in another way"
    case .frameOnly: "the engine cannot tell frames from pages"
    case .resourceOnly: "the engine does not ask about what pages load by themselves"
    case .precedence: "the engine prefers the other rule there, whatever their order"
    case .limit: "the engine takes no more rules"
    case .transfer: "static rules know no downloads and uploads"
    case .tooMany: "its matchers have too many combinations"
    }
  }
}
