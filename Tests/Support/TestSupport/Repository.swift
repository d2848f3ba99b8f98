/// Where the repository lies: tests read data, pages and schemas from it.
package enum Repository {
  /// Its folder, without a slash at the end: `/home/ada/webviewguard`.
  package static let root: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    // This file is Tests/Support/TestSupport/Repository.swift.
    return parts.dropLast(4).joined(separator: "/")
  }()
}
