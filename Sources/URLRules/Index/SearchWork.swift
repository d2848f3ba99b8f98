/// The work for a verdict, which must not grow with the number of rules and names.
package struct SearchWork: Sendable, Hashable {
  /// Buckets of tables that were looked at.
  package var probes = 0
  /// Rules whose conditions were asked.
  package var candidates = 0

  package init() {}
}
