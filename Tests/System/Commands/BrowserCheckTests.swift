import Foundation
import Testing

import webviewguard

/// `doctor` and what browsers are told of native hosts.
@Suite struct BrowserCheckTests {
  private static let host = "org.webviewguard.host"
  private static let allowed = #"{"NativeMessagingUserLevelHosts": true}"#
  private static let forbidden = #"{"NativeMessagingUserLevelHosts": false}"#
  private static let well = ["ok: only root can say which native host the extension talks to"]

  /// A machine with the host manifests of the package, and these policies of Chromium, by file.
  private func told(_ policies: [String: String], firefox: String? = nil) throws -> [String] {
    let root = "/tmp/wvg-doctor-\(UInt32.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    func write(_ text: String, _ path: String) throws {
      let directory = (root + path as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try text.write(toFile: root + path, atomically: false, encoding: .utf8)
    }
    try write("", "/usr/bin/webviewguard-native-host")
    let manifest = #"{"name": "\#(Self.host)", "path": "/usr/bin/webviewguard-native-host"}"#
    try write(manifest, "/etc/chromium/native-messaging-hosts/\(Self.host).json")
    for (name, text) in policies { try write(text, "/etc/chromium/policies/managed/\(name)") }
    if let firefox {
      try write(manifest, "/usr/lib/mozilla/native-messaging-hosts/\(Self.host).json")
      try write(firefox, "/etc/firefox/policies/policies.json")
    }
    return BrowserCheck(root: root).told
  }

  @Test("H5: the policy of the package forbids hosts of users") func thePackagesPolicy() throws {
    guard geteuid() == 0 else { return }
    #expect(try told(["webviewguard.json": Self.forbidden]) == Self.well)
    let strict = """
      {"NativeMessagingUserLevelHosts": false, "NativeMessagingBlocklist": ["*"],
       "NativeMessagingAllowlist": ["\(Self.host)"]}
      """
    #expect(try told(["webviewguard.json": strict]) == Self.well)
    #expect(
      try told(["a.json": Self.forbidden, "b.json": #"{"HomepageLocation": "https://contoso.com/"}"#]) == Self.well)
  }

  @Test("H5: a machine without that policy has a problem") func withoutThePolicy() throws {
    guard geteuid() == 0 else { return }
    let problem = "problem: a user of Chromium can put a native host of his own before the system's: "
    #expect(try told([:]) == [problem + "no policy forbids it"])
    #expect(try told(["other.json": #"{"HomepageLocation": "x"}"#]) == [problem + "no policy forbids it"])
    #expect(try told(["webviewguard.json": Self.allowed]) == [problem + "no policy forbids it"])
    #expect(
      try told(["webviewguard.json": #"{"NativeMessagingUserLevelHosts": "false"}"#]).first?.hasPrefix(problem) == true)
    let both = try told(["a.json": Self.allowed, "webviewguard.json": Self.forbidden])
    #expect(both == [problem + "one policy forbids it, and another allows it"])
    // Browsers do not read hidden files.
    #expect(try told([".webviewguard.json": Self.forbidden]) == [problem + "no policy forbids it"])
  }

  @Test func aListThatForbidsTheHostItself() throws {
    guard geteuid() == 0 else { return }
    for list in [#"["*"]"#, #"["\#(Self.host)"]"#] {
      let policy = #"{"NativeMessagingUserLevelHosts": false, "NativeMessagingBlocklist": \#(list)}"#
      let found = try told(["webviewguard.json": policy])
      #expect(found.count == 1)
      #expect(found.first?.hasPrefix("problem: Chromium may not start the native host") == true)
    }
    let others = #"{"NativeMessagingUserLevelHosts": false, "NativeMessagingBlocklist": ["com.example.other"]}"#
    #expect(try told(["webviewguard.json": others]) == Self.well)
  }

  @Test func aPolicyThatCannotBeRead() throws {
    guard geteuid() == 0 else { return }
    let found = try told(["broken.json": "{", "webviewguard.json": Self.forbidden])
    #expect(
      found == ["warning: Chromium may not be able to read its policy `/etc/chromium/policies/managed/broken.json`"])
  }

  @Test("H5: Firefox has no such policy, and doctor says so where the extension is installed by policy")
  func firefox() throws {
    guard geteuid() == 0 else { return }
    let installed =
      #"{"policies": {"ExtensionSettings": {"guard@webviewguard.org": {"installation_mode": "force_installed"}}}}"#
    let found = try told(["webviewguard.json": Self.forbidden], firefox: installed)
    #expect(found.map { $0.prefix(8) } == ["warning:"])
    #expect(found.first?.contains("Firefox has no policy for it") == true)
    #expect(try told(["webviewguard.json": Self.forbidden], firefox: #"{"policies": {}}"#) == Self.well)
  }

  @Test func withoutTheExtensionNothingIsSaid() {
    #expect(BrowserCheck(root: "/nowhere").told.isEmpty)
  }
}
