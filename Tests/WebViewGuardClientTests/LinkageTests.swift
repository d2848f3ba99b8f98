import Foundation
import Testing
import WebViewGuardClient

/// What an embedder gets beside the client: nothing.
@Suite(.timeLimit(.minutes(15)), .serialized) struct LinkageTests {
  /// What a program of Swift needs of a Linux system, however it was linked.
  private static let platform = [
    "libc.so", "libm.so", "libgcc_s.so", "libstdc++.so", "ld-linux", "libpthread.so", "libdl.so",
  ]

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = Vectors.root
    // A build inside a test would hear of the test's own settings.
    let settings = ["SWIFTPM_", "XCTest", "SWIFT_TESTING"]
    process.environment = ProcessInfo.processInfo.environment.filter { name, _ in
      !settings.contains { name.hasPrefix($0) }
    }
    let (output, errors) = (Pipe(), FileHandle.nullDevice)
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw TestFailure("\(program) \(arguments): \(text)") }
    return text
  }

  /// A folder of its own: whoever runs this test may hold the lock of the usual one.
  private static let scratch = Vectors.root.appending(path: ".build/client-example").path

  @Test func theTargetStandsOnTheWordsAlone() throws {
    let text = try run("swift", ["package", "--scratch-path", Self.scratch, "dump-package"])
    let manifest = try #require(ValueReader.read(Array(text.utf8)[...]))
    func dependencies(_ name: String) throws -> [String] {
      let target = try #require(manifest["targets"]?.array?.first { $0["name"]?.string == name })
      return try #require(target["dependencies"]?.array).compactMap { $0.object?.values.first?.array?.first?.string }
    }
    #expect(try dependencies("WebViewGuardClient") == ["GuardModel"])
    #expect(try dependencies("GuardModel").isEmpty)
    let product = manifest["products"]?.array?.first { $0["name"]?.string == "WebViewGuardClient" }
    #expect(product?["targets"]?.array?.compactMap(\.string) == ["WebViewGuardClient", "GuardModel"])
  }

  @Test func theExampleLinksThePlatformAlone() async throws {
    let package = Vectors.root.appending(path: "clients/swift/example").path
    let options = ["--package-path", package, "--scratch-path", Self.scratch, "-c", "release", "--static-swift-stdlib"]
    _ = try run("swift", ["build", "-j", "2"] + options)
    let folder = try run("swift", ["build", "--show-bin-path"] + options)
    let program = folder.trimmingCharacters(in: .whitespacesAndNewlines) + "/ask"
    let needed = try run("readelf", ["-d", program]).split(separator: "\n").filter { $0.contains("(NEEDED)") }
    #expect(!needed.isEmpty)
    for line in needed { #expect(Self.platform.contains { line.contains("[" + $0) }, "\(line)") }
    // Nor was anything of the daemon's linked into it.
    let symbols = try run("nm", ["--defined-only", "--demangle", program])
    for word in ["NIOCore", "simdjson", "pcre2_", "sqlite3_", "yaml_parser", "FoundationEssentials", "GuardProtocol"] {
      #expect(!symbols.contains(word), "\(word)")
    }
    #expect(symbols.contains("WebViewGuardClient") || symbols.contains("18WebViewGuardClient"))
    try await asksARealDaemon(program)
  }

  private func asksARealDaemon(_ program: String) async throws {
    let daemon = try RealDaemon()
    let said = try run(
      program, ["--socket", daemon.place.socket, "https://docs.contoso.com/d/42", "https://example.net/"])
    #expect(
      said == """
        https://docs.contoso.com/d/42 allow internal
        https://example.net/ redirect external
          opens https://example.net/ with com.contoso.Browser.desktop

        """)
    daemon.kill()
    let away = try run(program, ["--socket", daemon.place.socket, "https://docs.contoso.com/"])
    #expect(
      away.hasSuffix(
        """
        the guard is away; the contract says closed
        https://docs.contoso.com/ block noAnswer
          says The protection of your organization's data does not answer. Try again in a moment.

        """))
  }
}
