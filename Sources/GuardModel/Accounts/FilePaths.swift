internal import Bytes

/// The check of a directory that a wipe may remove, by its path alone (design, accounts, section 6: files).
///
///     RemovablePath.fault("/home/ada/.local/share/contoso/work@contoso.com", home: "/home/ada")    // nil
///     RemovablePath.fault("/home/ada", home: "/home/ada")                                          // .home
///
/// The policy reader, the writer of an order and the program that removes each ask it: a mistake of one is stopped by
/// the next.
///
/// Trap: a path says nothing of links, mounts and owners. The program that removes looks at those.
package enum RemovablePath {
  /// Why a directory may not be removed.
  package enum Fault: String, Error, Sendable, Hashable, CaseIterable {
    /// It does not begin with `/`.
    case relative
    /// It has `.`, `..`, `//`, a `/` at its end, or control characters.
    case notPlain
    /// It is longer than the system takes, or one of its names is.
    case tooLong
    /// It is `/`.
    case root
    /// It is the person's home.
    case home
    /// The person's home lies in it.
    case aboveHome
    /// It lies directly below `/`, as `/srv` does.
    case topLevel

    /// Words for people, to stand behind the path.
    package var words: String {
      switch self {
      case .relative: "is not absolute"
      case .notPlain: "has `.`, `..`, `//`, a `/` at its end or control characters"
      case .tooLong: "is longer than the system takes"
      case .root: "is the root of the file system"
      case .home: "is a home"
      case .aboveHome: "has a home in it"
      case .topLevel: "lies directly below `/`"
      }
    }
  }

  /// `PATH_MAX` of Linux, with the NUL at the end.
  package static let maximumBytes = 4095
  /// `NAME_MAX` of Linux.
  package static let maximumNameBytes = 255

  /// The fault of a path; nil when it may be removed as far as it shows.
  ///
  /// - Parameter home: the home of the person whose data it is, absolute; nil where none is known.
  package static func fault(_ path: String, home: String?) -> Fault? {
    let bytes = path.utf8.span
    guard bytes.count > 0, bytes[0] == slash else { return .relative }
    guard bytes.count > 1 else { return .root }
    guard bytes.count <= maximumBytes else { return .tooLong }
    guard FilePath.isPlain(bytes), bytes[bytes.count - 1] != slash else { return .notPlain }
    let names = path.utf8.split(separator: slash)
    guard names.allSatisfy({ $0.count <= maximumNameBytes }) else { return .tooLong }
    return home.flatMap { homeFault(names, $0) } ?? (names.count > 1 ? nil : .topLevel)
  }

  /// Names are compared byte by byte: `String` would take two spellings of one letter for the same.
  private static func homeFault(_ names: [Substring.UTF8View], _ home: String) -> Fault? {
    let homeNames = home.utf8.split(separator: slash)
    guard names.count <= homeNames.count else { return nil }
    guard zip(names, homeNames).allSatisfy({ $0.elementsEqual($1) }) else { return nil }
    return names.count == homeNames.count ? .home : .aboveHome
  }

  private static let slash = UInt8(ascii: "/")
}

/// The facts that a file's path tells without a look at the disk.
package enum FilePath {
  /// Whether a path means one file only: absolute, without `..`, `.`, `//` or control characters (amendments, paths).
  ///
  ///     "/home/ada/Documents/plan.odt"    // true
  ///     "/srv/org/../../home/ada/x"       // false: it leaves the place it seems to be in
  package static func isPlain(_ path: Span<UInt8>) -> Bool {
    guard path.count > 0, path[0] == UInt8(ascii: "/") else { return false }
    var start = 1
    for index in 1...path.count where index == path.count || path[index] == UInt8(ascii: "/") {
      let part = path.extracting(start..<index)
      if part.isEmpty, index < path.count { return false }
      if part.count <= 2, part.count > 0, part.indices.allSatisfy({ part[$0] == UInt8(ascii: ".") }) { return false }
      start = index + 1
    }
    return !path.indices.contains { path[$0] < 0x20 || path[$0] == 0x7F }
  }
}
