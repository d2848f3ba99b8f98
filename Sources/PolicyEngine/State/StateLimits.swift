/// Limits on the registrations of one instance. Caps refuse new entries; they never drop existing ones.
package struct StateLimits: Sendable, Hashable {
  package var viewersPerInstance = 4096
  package var windowsPerInstance = 1024
  /// Accounts that no entry of the policy names, only a pattern.
  package var accountsPerUser = 4096
  package var instancesPerUser = 256
  /// Bytes of a viewer's, window's or class's name.
  package var nameBytes = 256
  /// Maximum depth of nested viewers.
  package var nesting = 64
  /// Accounts that one window may show together.
  package var accountsPerWindow = 16
  /// Names of viewers that are gone and showed an external page; beyond the cap, every new viewer counts as one that
  /// does.
  package var leftPagesPerInstance = 4096
  /// Switches of identity that wait for an answer.
  package var requestsPerInstance = 16
  /// Milliseconds that the daemon waits for a switch that it asked for.
  package var switchMilliseconds: UInt64 = 30_000

  package init() {}
}
