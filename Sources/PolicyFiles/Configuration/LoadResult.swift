/// The result of loading a configuration.
package struct LoadResult: Sendable {
  /// The daemon's settings; the defaults when there is no file; nil when the file has errors.
  package var settings: DaemonSettings?
  /// The place of each setting.
  package var settingsPlaces = PolicyPlaces()
  /// The policy; nil when there was any error, wherever.
  package var policy: LoadedPolicy?
  /// The rule sets that could be read, each with its tests; in the order of the files' names.
  package var tests: [RuleSetTests]
  /// SHA-256 over all files, in lower-case hexadecimal.
  package var digest: String
  /// The files that were read, in the order of their names below the root.
  package var files: [String]
  package var diagnostics: Diagnostics
  /// The files it was loaded from.
  package var content = ConfigurationContent()
}
