package import Platform

/// A policy that was in force, kept as files: a directory whose name says when it came into force, and its digest.
///
///     KeptPolicy(name: "00001795219200000-0f3a…")?.since    // 1795219200000
package struct KeptPolicy: Sendable, Hashable {
  /// When it was put in force, in milliseconds since 1970: the newest is the last good one.
  package let since: UInt64
  /// 64 lower-case hexadecimal digits.
  package let digest: String

  package init(since: UInt64, digest: String) {
    self.since = since
    self.digest = digest
  }

  /// Nil for any name that is not ours.
  package init?(name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == Self.digits, let since = UInt64(parts[0]) else { return nil }
    guard Self.isDigest(parts[1]) else { return nil }
    self.init(since: since, digest: String(parts[1]))
    guard self.name == name else { return nil }
  }

  /// Names sort as the times do.
  package var name: String {
    let number = String(since)
    return String(repeating: "0", count: max(0, Self.digits - number.utf8.count)) + number + "-" + digest
  }

  package static func isDigest(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Enough for any time.
  private static let digits = 20
}

/// Why a policy cannot be kept, or a kept one not be used.
package enum KeepError: Error, Sendable, Hashable, CustomStringConvertible {
  case system(SystemError)
  case tooLarge(bytes: Int)
  /// A list changed since it was loaded.
  case changed(String)
  /// Another user may have written it, or its digest differs from its name.
  case notTrusted(String)
  /// Nothing outlives the daemon.
  case noPlace

  package var description: String {
    switch self {
    case .system(let error): error.description
    case .tooLarge(let bytes):
      "the configuration has \(bytes) bytes, more than the \(KeptPolicies.maximumBytes) that are kept"
    case .changed(let path): "`\(path)` changed while it was copied"
    case .notTrusted(let problem): problem
    case .noPlace: "nothing outlives the daemon, so no policy is kept"
    }
  }
}
