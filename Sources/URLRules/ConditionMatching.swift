package import GuardModel
package import URLStandard

extension MatchInput {
  /// Whether `condition` holds of the judged URL.
  package func truth(of condition: Condition, _ runner: RegexRunner) -> Ternary {
    truth(of: condition, url, runner)
  }

  private func truth(of condition: Condition, _ subject: borrowing URLSubject, _ runner: RegexRunner) -> Ternary {
    switch condition {
    case .all(let parts):
      var result = Ternary.yes
      for part in parts {
        result = .and(result, truth(of: part, subject, runner))
        if result == .no { break }
      }
      return result
    case .any(let parts):
      var result = Ternary.no
      for part in parts {
        result = .or(result, truth(of: part, subject, runner))
        if result == .yes { break }
      }
      return result
    case .not(let part): return truth(of: part, subject, runner).negated
    case .from(let part): return from.kind == .url ? truth(of: part, from, runner) : .unknown
    case .hop(let wanted): return hop == .unknown ? .unknown : Ternary((hop == .yes) == wanted)
    case .domain(let name): return Ternary(subject.judged.isWeb && subject.judged.host(isBelow: name.span))
    case .host(let name): return Ternary(subject.judged.isWeb && equal(subject.judged.hostBytes, name.span))
    case .url(let href): return Ternary(equal(subject.judged.bytes.span, href.span))
    case .scheme(let name): return Ternary(equal(subject.judged.schemeBytes, name.span))
    case .port(let port): return Ternary(subject.judged.effectivePort == port)
    case .regex(let regex): return regex.matches(subject.judged.bytes.span, runner)
    case .same(let sameness): return compare(subject.judged, sameness)
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
  /// http or https: what `domain` and `host` speak of.
  package var isWeb: Bool { scheme == .http || scheme == .https }

  /// Whether the host is `name` or ends in `.name`; an address has nothing below it.
  fileprivate func host(isBelow name: Span<UInt8>) -> Bool {
    let host = hostBytes
    if host.count <= name.count || hostKind != .domain { return equal(host, name) }
    let start = host.count - name.count
    return host[start - 1] == UInt8(ascii: ".") && equal(host.extracting(start...), name)
  }

  /// Scheme, host and port are the same.
  package func hasOrigin(of other: borrowing URLRecord) -> Bool {
    equal(schemeBytes, other.schemeBytes) && equal(hostBytes, other.hostBytes) && effectivePort == other.effectivePort
  }
}
