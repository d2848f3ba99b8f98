/// The version of this release: the daemon, its tools and the Swift client have one.
package enum ReleaseVersion {
  /// As `GetInfo`, `Status` and the client's `Attach` tell it. The only place that states it for Swift.
  package static let text = "0.1.0"
}
