package import GuardModel
package import URLStandard

extension MatchInput {
  /// Whether `condition` holds of the judged URL. A list that `lists` does not have is unknown.
  package func truth(of condition: Condition, _ runner: RegexRunner, lists: HostLists? = nil) -> Ternary {
    let lists = lists ?? self.lists
    var work = SearchWork()
    let sets = ListSetsFound(
      url: url.kind == .url ? lists.set(of: url.judged, &work) : 0,
      from: from.kind == .url ? lists.set(of: from.judged, &work) : 0)
    return truth(of: condition, sets, lists, runner)
  }

  /// The same with the sets of lists looked up before.
  func truth(of condition: Condition, _ sets: ListSetsFound, _ lists: HostLists, _ runner: RegexRunner) -> Ternary {
    truth(of: condition, url, sets.url, sets, lists, runner)
  }

  /// Whether `condition` holds of one of the URLs, which is in the lists of `set`.
  private func truth(
    of condition: Condition, _ subject: borrowing URLSubject, _ set: UInt32, _ sets: ListSetsFound,
    _ lists: HostLists, _ runner: RegexRunner
  ) -> Ternary {
    switch condition {
    case .all(let parts):
      var result = Ternary.yes
      for part in parts {
        result = .and(result, truth(of: part, subject, set, sets, lists, runner))
        if result.isNo { break }
      }
      return result
    case .any(let parts):
      var result = Ternary.no
      for part in parts {
        result = .or(result, truth(of: part, subject, set, sets, lists, runner))
        if result.isYes { break }
      }
      return result
    case .not(let part): return truth(of: part, subject, set, sets, lists, runner).negated
    case .from(let part): return from.kind == .url ? truth(of: part, from, sets.from, sets, lists, runner) : .unknown
    case .hop(let wanted): return wanted ? hop : hop.negated
    case .domain(let name): return Ternary(subject.judged.isWeb && subject.judged.host(isBelow: name.span))
    case .host(let name): return Ternary(subject.judged.isWeb && equal(subject.judged.hostBytes, name.span))
    case .url(let href): return Ternary(equal(subject.judged.bytes.span, href.span))
    case .scheme(let name): return Ternary(equal(subject.judged.schemeBytes, name.span))
    case .port(let port): return Ternary(subject.judged.effectivePort == port)
    case .list(let list, _): return lists.contains(list, in: set)
    case .network(let network): return Ternary(subject.judged.isWeb && subject.judged.host(isIn: network))
    case .regex(let regex): return regex.matches(subject.judged.bytes.span, runner)
    case .pattern(let pattern): return pattern.matches(subject.judged, runner)
    case .filter(let filter): return filter.matches(subject.judged, runner)
    case .filters(let filters, _): return filters.matches(subject.judged, runner)
    case .same(let sameness): return compare(subject.judged, sameness)
    case .sameSite(let suffixes):
      guard let document, document.isWeb else { return .unknown }
      return Ternary(suffixes.areSameSite(subject.judged, document))
    }
  }

  private func compare(_ record: borrowing URLRecord, _ sameness: Sameness) -> Ternary {
    guard let document, document.isWeb || document.scheme == .file else { return .unknown }
    switch sameness {
    case .document: return Ternary(equal(record.bytes.span, document.bytes.span))
    case .documentPath: return Ternary(record.hasOrigin(of: document) && equal(record.pathBytes, document.pathBytes))
    case .origin: return document.isWeb ? Ternary(record.hasOrigin(of: document)) : .unknown
    }
  }
}

extension URLRecord {
  /// http or https, the schemes of `domain` and `host`.
  package var isWeb: Bool {
    switch scheme {
    case .http, .https: true
    case .ws, .wss, .ftp, .file, .other: false
    }
  }

  /// The host is an IPv4 or IPv6 address, which has nothing below it.
  var hasAddress: Bool {
    switch hostKind {
    case .ipv4, .ipv6: true
    case .domain, .opaque, .empty, .none: false
    }
  }

  /// Whether the host is `name` or ends in `.name`; an address has nothing below it.
  fileprivate func host(isBelow name: Span<UInt8>) -> Bool {
    let host = hostBytes
    if host.count <= name.count || hostKind != .domain { return equal(host, name) }
    let start = host.count - name.count
    return host[start - 1] == UInt8(ascii: ".") && equal(host.extracting(start...), name)
  }

  /// Whether the host is an address in a network.
  fileprivate func host(isIn network: IPNetwork) -> Bool {
    IPAddress(hostOf: self).map(network.contains) ?? false
  }

  /// Scheme, host and port are the same.
  package func hasOrigin(of other: borrowing URLRecord) -> Bool {
    equal(schemeBytes, other.schemeBytes) && equal(hostBytes, other.hostBytes) && effectivePort == other.effectivePort
  }
}
