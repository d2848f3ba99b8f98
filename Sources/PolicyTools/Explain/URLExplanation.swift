internal import GuardModel
internal import URLRules
internal import URLStandard

/// A text's reading as a URL, and its judged part, in words.
///
///     view-source:https://user@mail.contoso.com./x#top
///       judged: https://mail.contoso.com/x
///       notes:  `view-source:` was unwrapped; the user name `user` is no part of the host; …
package struct URLExplanation: Sendable, Hashable {
  /// The URL as rules saw it; nil when the text is no URL, or one that no rule is asked about.
  package private(set) var judged: String?
  /// Notes on a reading that is not plain.
  package private(set) var notes: [String] = []

  /// Schemes whose URL gives way to the one inside.
  static let wrappers = ["view-source", "blob", "filesystem"]

  init(_ text: String, _ input: MatchInput) {
    let subject = input.url
    let written = WrittenURL(text)
    if subject.kind == .invalid {
      notes.append("no browser would open this: \(URLProblem.words(for: text))")
      return
    }
    if written.wasCleaned { notes.append("spaces at its ends, tabs and line breaks were dropped") }
    switch subject.kind {
    case .script: notes.append("`javascript:` moves no document; no rule is asked")
    case .madeByPage: notes.append("it counts as the page that made it, which nobody told; no rule is asked")
    case .url where subject.isOfMaker: noteMaker(subject)
    default: noteReading(written, subject)
    }
    if subject.kind == .url {
      judged = subject.judged.href
      noteUnicode(subject.judged)
    }
  }

  /// Reads `text`, by itself or as made by the page `from`.
  package init(reading text: String, from: String? = nil) {
    self.init(text, RuleQuestion(url: text, from: from).input)
  }

  /// The user name of the URL that a subject was read from, behind its wrappers.
  static func userName(in subject: borrowing URLSubject) -> String {
    guard subject.hadCredentials else { return "" }
    return String(innermost(WrittenURL(subject.asRead.href)).written.credentials?.prefix { $0 != ":" } ?? "")
  }

  private mutating func noteMaker(_ subject: borrowing URLSubject) {
    notes.append("it counts as the page that made it, which is `from`")
    if subject.hadCredentials { notes.append("that page's URL held a user name or a password") }
  }

  private mutating func noteReading(_ outer: WrittenURL, _ subject: borrowing URLSubject) {
    let (written, unwrapped) = Self.innermost(outer)
    for scheme in unwrapped { notes.append("`\(scheme):` was unwrapped") }
    noteCredentials(written, subject)
    noteHost(written, subject.judged)
    let judged = subject.judged
    if let scheme = written.scheme, scheme != judged.schemeName {
      notes.append("`\(scheme):` is judged as `\(judged.schemeName):`")
    }
    if let port = written.port, !port.isEmpty, judged.portNumber == nil {
      notes.append("port \(port) is the scheme's own")
    }
    notePath(written, judged)
    if let mark = written.rest.firstIndex(of: "#") {
      notes.append("the fragment \(String(written.rest[mark...]).shown) is not judged")
    }
  }

  static func innermost(_ outer: WrittenURL) -> (written: WrittenURL, unwrapped: [String]) {
    var written = outer
    var unwrapped: [String] = []
    while let scheme = written.scheme, wrappers.contains(scheme), unwrapped.count <= URLSubject.maximumNesting {
      unwrapped.append(scheme)
      written = WrittenURL(String(written.behindScheme))
    }
    return (written, unwrapped)
  }

  /// A password is never repeated.
  private mutating func noteCredentials(_ written: WrittenURL, _ subject: borrowing URLSubject) {
    guard let credentials = written.credentials, subject.hadCredentials else { return }
    let name = credentials.prefix { $0 != ":" }
    if !name.isEmpty { notes.append("the user name \(String(name).shown) is no part of the host") }
    if name.count + 1 < credentials.count { notes.append("a password stands before the `@`") }
  }

  private mutating func noteHost(_ written: WrittenURL, _ judged: borrowing URLRecord) {
    let given = written.host.lowercased()
    let host = judged.hostname
    guard given != host, !written.host.isEmpty else { return }
    if given == host + "." {
      notes.append("the dot behind the host was dropped")
    } else if judged.hostKind == .ipv4 || judged.hostKind == .ipv6 {
      notes.append("the host \(String(written.host).shown) is the address \(host.shown)")
    } else {
      notes.append("the host \(String(written.host).shown) is read as \(host.shown)")
    }
  }

  private mutating func notePath(_ written: WrittenURL, _ judged: borrowing URLRecord) {
    let path = String(written.rest.prefix { $0 != "?" && $0 != "#" })
    if written.isOfNetwork, path.contains("\\") { notes.append("`\\` counts as `/`") }
    guard written.hasAuthority, path != judged.pathname, !path.isEmpty else { return }
    notes.append("the path \(path.shown) is read as \(judged.pathname.shown)")
  }

  private mutating func noteUnicode(_ judged: borrowing URLRecord) {
    guard judged.hostname.contains("xn--") else { return }
    if let text = domainToUnicode(judged.hostname) {
      if text != judged.hostname { notes.append("people see the host as \(text.shown)") }
    } else {
      notes.append("the host's punycode stands for no valid name")
    }
  }
}
