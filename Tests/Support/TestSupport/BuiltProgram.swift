package import Foundation

/// The program under test, as the build made it: beside the bundle that runs this test.
package enum BuiltProgram {
  /// Where the binary lies; throws when nobody built it.
  package static var url: URL {
    get throws {
      if let path = ProcessInfo.processInfo.environment["WEBVIEWGUARD"] { return URL(filePath: path) }
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      let candidates = [bundle?.deletingLastPathComponent(), executable.deletingLastPathComponent(), release]
      for folder in candidates.compactMap(\.self) {
        let program = folder.appendingPathComponent("webviewguard")
        if FileManager.default.isExecutableFile(atPath: program.path) { return program }
      }
      throw ProgramNotBuilt()
    }
  }

  /// As `url`.
  package static var path: String { get throws { try url.path } }

  private static var executable: URL { URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath() }

  private static var release: URL { URL(filePath: Repository.root + "/.build/release") }
}

package struct ProgramNotBuilt: Error, CustomStringConvertible {
  package var description: String { "the program is not built: run `make build`, or name it in WEBVIEWGUARD" }
}
