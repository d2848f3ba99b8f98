internal import CYAML
internal import CZlib

/// The libraries that read files here.
package enum FileLibraries {
  /// libyaml's version, such as `0.2.5`.
  package static var yamlVersion: String { yaml_get_version_string().map { String(cString: $0) } ?? "unknown" }
  /// zlib's version, such as `1.2.13`.
  package static var zlibVersion: String { CZlib.zlibVersion().map { String(cString: $0) } ?? "unknown" }
}
