internal import Glibc
internal import Platform

/// The notices that a person has seen, in a file of the person: each happening is shown once, also after a restart of the
/// session service or of the daemon.
///
///     var shown = ShownNotices(file: "/home/ada/.local/state/webviewguard/notices")
///     shown.mayShow("wipe/w-1f-1", at: now)    // true, then false once it is noted
///
/// The attack: something that changes its id without end would fill the person's screen. No more than ``mostAnHour`` are
/// shown in an hour; the others wait, and are shown later if they still hold.
struct ShownNotices {
  /// A person reads a few; a flood is clicked away.
  static let mostAnHour = 4
  /// Happenings that are remembered. More than this do not hold at the same time.
  private static let most = 512
  private static let mostBytes = 1 << 17
  private static let longestID = 256
  private static let hour: UInt64 = 3_600_000

  /// Nil for a person who has no place for it: then this process remembers alone.
  private let file: String?
  private var entries: [(time: UInt64, id: String)] = []

  init(file: String?) {
    self.file = file
    guard let file, let text = SmallFile.text(at: file, maximum: Self.mostBytes) else { return }
    for line in text.split(separator: "\n") {
      guard let space = line.firstIndex(of: " "), let time = UInt64(line[..<space]) else { continue }
      entries.append((time, String(line[line.index(after: space)...])))
    }
    entries = entries.suffix(Self.most)
  }

  /// It was not shown before, and the person was not shown too many.
  ///
  /// - Parameter time: milliseconds since 1970. The clock may have been set: times ahead of it count as of this hour.
  func mayShow(_ id: String, at time: UInt64) -> Bool {
    guard !id.isEmpty, id.utf8.count <= Self.longestID, id.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return false }
    guard !entries.contains(where: { $0.id == id }) else { return false }
    return entries.count { $0.time + Self.hour > time } < Self.mostAnHour
  }

  /// Notes it before it is shown, so that a service that is killed in between shows nothing twice.
  mutating func note(_ id: String, at time: UInt64) throws(SystemError) {
    entries.append((time, id))
    entries = entries.suffix(Self.most)
    try write()
  }

  /// Nobody showed it: it is shown when somebody does.
  mutating func forget(_ id: String) throws(SystemError) {
    entries.removeAll { $0.id == id }
    try write()
  }

  private func write() throws(SystemError) {
    guard let file else { return }
    let text = entries.map { "\($0.time) \($0.id)\n" }.joined()
    try SmallFile.replace(file, with: Array(text.utf8), mode: 0o600)
  }

  /// The file in the person's state directory, which is made; nil where none can be.
  static func file(_ variable: (String) -> String?) -> String? {
    func path(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    guard let state = path("XDG_STATE_HOME") ?? path("HOME").map({ $0 + "/.local/state" }) else { return nil }
    let directory = state + "/webviewguard"
    // Those above it are made where a home is new.
    var end = directory.index(after: directory.startIndex)
    while let slash = directory[end...].firstIndex(of: "/") {
      mkdir(String(directory[..<slash]), 0o700)
      end = directory.index(after: slash)
    }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { return nil }
    return directory + "/notices"
  }
}

/// The languages of a person, by the variables of the session.
enum SessionLanguages {
  /// BCP 47 tags, the preferred first.
  ///
  ///     SessionLanguages.tags { ["LANGUAGE": "de_AT:en", "LANG": "C.UTF-8"][$0] }    // ["de-AT", "en"]
  ///
  /// Source: gettext, "The LANGUAGE variable"; locale(7).
  static func tags(_ variable: (String) -> String?) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap(variable).first { !$0.isEmpty } ?? ""
    let list = variable("LANGUAGE") ?? ""
    let names = (list.isEmpty ? [] : list.split(separator: ":").map(String.init)) + [locale]
    var tags: [String] = []
    for name in names {
      // `de_AT.UTF-8@euro`: the rest says how text is written, not in which language.
      let tag = name.prefix { $0 != "." && $0 != "@" }.replacing("_", with: "-")
      guard !tag.isEmpty, tag != "C", tag != "POSIX", !tags.contains(String(tag)) else { continue }
      tags.append(String(tag))
    }
    return tags
  }
}
