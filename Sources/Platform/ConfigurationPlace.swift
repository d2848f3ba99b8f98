/// The directories of the system's configuration.
package enum ConfigurationPlace {
  /// Those of packages, the one that webviewguard-refresh.service fetched, when it did, and the administrator's own. A later
  /// one masks files of the same name in an earlier one; only the last has to exist.
  package static let standardRoots = ["/usr/share/webviewguard", fetched, "/etc/webviewguard"]

  /// A symbolic link, which webviewguard-refresh.service replaces as a whole.
  package static let fetched = "/var/lib/webviewguard-policy/current"
}
