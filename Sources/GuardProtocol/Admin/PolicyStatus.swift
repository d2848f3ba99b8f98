internal import JSONText

/// The origin of the policy in force.
package enum PolicyOrigin: String, Sendable, Hashable, CaseIterable {
  /// The configuration on disk.
  case disk
  /// The last policy that loaded, because the configuration on disk could not be loaded at the start.
  case lastGood
  /// A policy from before the configuration on disk, by `Rollback`.
  case rolledBack
}

/// The part of `Status` about loading, keeping and rolling back policies.
package struct PolicyStatus: Sendable, Hashable {
  /// Nil before any policy loaded.
  package var origin: PolicyOrigin?
  package var lastLoad: LoadAttempt?
  /// The policies that `Rollback` can go back to, the newest first.
  package var kept: [KeptPolicyStatus] = []
  /// The error that kept the policy in force out of `kept`, or made an older one unusable; nil when all is well.
  package var keepError: String?
  /// Digests of the policies that were rolled back from. They do not come back unless forced to.
  package var rolledBackFrom: [String] = []
  /// The last check-in; nil when none is on record.
  package var checkIn: CheckInStatus?
  /// The failure of an attempt since then; nil without one.
  package var checkInFailure: CheckInFailure?

  package init() {}

  func write(to writer: inout JSONWriter) {
    writer.member("source", ifPresent: origin?.rawValue)
    lastLoad?.write(to: &writer)
    writeKept(to: &writer)
    writer.member("keepError", ifPresent: keepError)
    if !rolledBackFrom.isEmpty { writer.member("rolledBackFrom", rolledBackFrom) }
    checkIn?.write(to: &writer)
    checkInFailure?.write(to: &writer)
  }

  private func writeKept(to writer: inout JSONWriter) {
    guard !kept.isEmpty else { return }
    writer.key("kept")
    writer.beginArray()
    for policy in kept { policy.write(to: &writer) }
    writer.endArray()
  }
}

/// The last attempt to put another policy in force; previews do not count.
package struct LoadAttempt: Sendable, Hashable {
  /// In milliseconds since 1970.
  package var time: UInt64
  package var succeeded: Bool
  /// The digest of the configuration as read; nil when it is unknown.
  package var digest: String?
  /// The error; nil when it succeeded.
  package var error: String?

  package init(time: UInt64, succeeded: Bool, digest: String?, error: String? = nil) {
    self.time = time
    self.succeeded = succeeded
    self.digest = digest
    self.error = error
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.key("lastLoad")
    writer.beginObject()
    writer.member("time", time)
    writer.member("succeeded", succeeded)
    writer.member("digest", ifPresent: digest)
    writer.member("error", ifPresent: error)
    writer.endObject()
  }
}

/// A reload by which this machine heard from the distributor of its policy (`Reload` with `checkedIn`).
package struct CheckInStatus: Sendable, Hashable {
  /// In milliseconds since 1970.
  package var time: UInt64
  /// The digest of the policy that it brought or confirmed.
  package var digest: String

  package init(time: UInt64, digest: String) {
    self.time = time
    self.digest = digest
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.key("checkIn")
    writer.beginObject()
    writer.member("time", time)
    writer.member("digest", digest)
    writer.endObject()
  }
}

/// A check-in that did not come about.
package struct CheckInFailure: Sendable, Hashable {
  /// In milliseconds since 1970.
  package var time: UInt64
  /// In words, one line.
  package var cause: String

  package init(time: UInt64, cause: String) {
    self.time = time
    self.cause = cause
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.key("checkInFailure")
    writer.beginObject()
    writer.member("time", time)
    writer.member("cause", cause)
    writer.endObject()
  }
}

/// A policy that was in force, kept as files.
package struct KeptPolicyStatus: Sendable, Hashable {
  package var digest: String
  /// The time at which it was put in force, in milliseconds since 1970.
  package var since: UInt64

  package init(digest: String, since: UInt64) {
    self.digest = digest
    self.since = since
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("digest", digest)
    writer.member("since", since)
    writer.endObject()
  }
}
