// swift-tools-version: 6.2
import PackageDescription

/// One array for every target of ours: language mode 6, strict imports, warnings are errors.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// A C library's module map and the thinnest shim, below Sources/Shims.
func shim(_ name: String, _ library: String? = nil) -> Target {
  .target(
    name: name, path: "Sources/Shims/\(name)", linkerSettings: library.map { [.linkedLibrary($0)] })
}

/// Tests are compiled without optimisation, in release too: that takes half as long. What they compare with, in
/// `TestSupport`, is optimised. Their declarations are compiled once: a driver that emits the module apart would expand the
/// macros of each test twice.
let unoptimised: SwiftSetting = .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])

/// A suite of the module that its name begins with, below Tests/Unit, or of whole programs at another path.
func suite(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestSupport"],
    path: path ?? "Tests/Unit/\(name.dropLast("Tests".count))", swiftSettings: settings + [unoptimised])
}

let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
]
/// A loop and channels in memory, which do only what a test tells them.
let embedded: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
]
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
  name: "webviewguard",
  products: [
    .executable(name: "webviewguard", targets: ["webviewguard"]),
    // For embedders: the client, and the words that it speaks.
    .library(name: "WebViewGuardClient", targets: ["WebViewGuardClient", "GuardModel"]),
    // For those that seal data: needs libcrypto, which the client alone does not.
    .library(name: "WebViewGuardSealing", targets: ["WebViewGuardSealing"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // C libraries.
    shim("CCrypto", "crypto"),
    shim("CICU", "icuuc"),
    shim("CPCRE2", "pcre2-8"),
    shim("CSimdJSON", "simdjson"),
    shim("CYAML", "yaml"),
    shim("CMemory"),
    shim("CPSL", "psl"),
    shim("CSQLite", "sqlite3"),
    shim("CZlib", "z"),
    shim("CLinux"),
    shim("CBus"),
    shim("CFiles"),
    shim("CEncryption"),
    shim("CInterfaces"),
    shim("CTrial"),

    // ASCII, digits, UTF-8 and comparing, as single bytes and spans: nothing generic.
    library("Bytes"),
    // Text -> URL record, as browsers read it.
    library("URLStandard", ["Bytes", "CICU"]),
    // A rule set compiled to indexes: URL record + context -> verdict + rule.
    library("URLRules", ["Bytes", "URLStandard", "GuardModel", "CMemory", "CPCRE2", "CPSL"]),
    // The words of the design as plain types.
    library("GuardModel", ["Bytes"]),
    // State x event -> decision. Pure.
    library("PolicyEngine", ["Bytes", "URLRules", "URLStandard", "GuardModel"]),
    // Files, locks, users, clocks, Unix addresses: the one home of system calls.
    library("Platform", ["CFiles"]),
    // Message buses, by libsystemd's sd-bus, loaded when it is first needed.
    library("Bus", ["CBus", "Platform"]),
    // Directories of an account and everything in them, removed as their user, against hostile programs of that user.
    library("DataRemoval", ["CFiles", "GuardModel", "Platform"]),
    // What an app links to ask the daemon: on the words and the platform alone.
    library("WebViewGuardClient", ["GuardModel", "Platform"]),
    // Data that knows its owner: sealed and opened with keys of the daemon.
    library("WebViewGuardSealing", ["Bytes", "Digests", "GuardModel", "Platform", "Secrets", "WebViewGuardClient"]),
    // JSON text <-> values: one reader and one writer for wire, log and command line.
    library("JSONText", ["Bytes", "CSimdJSON"]),
    // SHA-256 and HMAC, by libcrypto.
    library("Digests", ["Bytes", "CCrypto"]),
    // Bytes that nobody else may learn, keys derived of them, and AES-256-GCM, by libcrypto.
    library("Secrets", ["Bytes", "CCrypto"]),
    // The keys of accounts, at rest in files and in use for one object: made, rotated, destroyed.
    library("AccountKeys", ["Bytes", "Digests", "Platform", "Secrets"]),
    // Directories whose files can be read only while their account may work: fscrypt, gocryptfs; disks, verified.
    library("AccountDirectories", ["AccountKeys", "CEncryption", "Platform", "Secrets"]),
    // YAML on disk -> policy, or every diagnostic at once.
    library(
      "PolicyFiles",
      [
        "Bytes", "PolicyEngine", "URLRules", "URLStandard", "GuardModel", "CYAML", "CZlib", "Digests", "Platform",
      ]),
    // External rules as the static rules of an engine: for the daemon's apps, and for administrators.
    library(
      "RuleExport",
      ["Bytes", "PolicyFiles", "PolicyEngine", "URLRules", "URLStandard", "GuardModel", "JSONText"]),
    // varlink frames and messages <-> GuardModel.
    library("GuardProtocol", ["Bytes", "GuardModel", "JSONText", "CInterfaces", "CMemory"], exclude: ["Interfaces"]),
    // Record format, redaction, chain, as bytes; reader and verifier.
    library("DecisionLog", ["Bytes", "GuardModel", "JSONText", "Digests"]),
    // The administrator's desk: lint, test, explain, compare, replay, export, check. The daemon never sees it.
    library(
      "PolicyTools",
      [
        "Bytes", "PolicyFiles", "PolicyEngine", "URLRules", "URLStandard", "GuardProtocol", "DecisionLog", "GuardModel",
        "JSONText", "Platform",
      ]),
    // The shell: everything that can block or fail.
    library(
      "GuardService",
      [
        "Bytes", "PolicyFiles", "PolicyEngine", "RuleExport", "URLRules", "URLStandard", "GuardProtocol", "DecisionLog",
        "GuardModel", "JSONText", "Platform", "Bus", "AccountKeys", "Secrets", "CLinux", "CSQLite", log,
      ] + nio),
    // The browser extension's host: native messages <-> questions to the daemon.
    library("NativeHost", ["WebViewGuardClient", "WebViewGuardSealing", "GuardModel", "Platform"]),
    // One binary, one file per verb.
    .executableTarget(
      name: "webviewguard",
      dependencies: [
        "GuardService", "PolicyTools", "NativeHost", "Bus", "DataRemoval", "AccountDirectories", "WebViewGuardClient",
        "WebViewGuardSealing", "AccountKeys", "Secrets", "PolicyFiles", "PolicyEngine", "RuleExport", "URLRules",
        "URLStandard", "GuardProtocol", "DecisionLog", "GuardModel", "JSONText", "Platform", "CTrial", log,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], exclude: ["Trial/ways.json"], swiftSettings: settings),

    // Answers the oracle's questions about URL patterns; see Tests/Oracle/README.md.
    .executableTarget(
      name: "pattern-reader", dependencies: ["TestSupport", "URLRules", "URLStandard", "GuardModel", "JSONText"],
      path: "Tests/Oracle/PatternReader", swiftSettings: settings),

    // What the suites share: data locator, seeded generators, slow and obvious reference implementations.
    .target(
      name: "TestSupport",
      dependencies: ["PolicyEngine", "URLRules", "URLStandard", "GuardModel", "JSONText", "Platform"],
      path: "Tests/Support/TestSupport", swiftSettings: settings),
    // The daemon's core on a loop in memory, for suites and fuzzers.
    .target(
      name: "EmbeddedGuard", dependencies: ["GuardService", "PolicyEngine", "PolicyFiles", log] + embedded,
      path: "Tests/Support/EmbeddedGuard", swiftSettings: settings),
    .target(name: "CAllocationCounter", path: "Tests/Support/CAllocationCounter"),
    // What the fuzzers share; the suite asks their properties of every input that they kept.
    .target(
      name: "FuzzSupport", dependencies: ["TestSupport", "URLRules", "URLStandard", "GuardModel"],
      path: "Fuzzing/Sources/FuzzSupport", swiftSettings: settings),
    suite(
      "CorpusTests",
      [
        "FuzzSupport", "PolicyTools", "PolicyFiles", "GuardProtocol", "JSONText", "URLRules", "URLStandard",
        "GuardModel",
      ]),
    suite("BytesTests", ["Bytes"]),
    suite("URLStandardTests", ["URLStandard"]),
    suite(
      "URLRulesTests",
      [
        "Bytes", "PolicyTools", "RuleExport", "URLRules", "URLStandard", "GuardModel", "CPCRE2", "CAllocationCounter",
      ]),
    suite("PolicyEngineTests", ["PolicyEngine", "URLRules", "URLStandard", "GuardModel", "CAllocationCounter"]),
    suite("DigestsTests", ["Digests"]),
    suite("AccountKeysTests", ["AccountKeys", "CCrypto", "Platform", "Secrets"]),
    suite("AccountDirectoriesTests", ["AccountDirectories", "AccountKeys", "Platform", "Secrets"]),
    suite("PlatformTests", ["Platform"]),
    suite("BusTests", ["Bus", "Platform"]),
    suite("DataRemovalTests", ["DataRemoval", "GuardModel"]),
    suite("JSONTextTests", ["Bytes", "JSONText"]),
    suite("GuardProtocolTests", ["Bytes", "GuardProtocol", "GuardModel", "JSONText", "CAllocationCounter"]),
    suite("WebViewGuardClientTests", ["WebViewGuardClient", "GuardModel"]),
    suite(
      "WebViewGuardSealingTests",
      [
        "WebViewGuardSealing", "WebViewGuardClient", "Digests", "GuardModel", "JSONText", "Platform",
        "CAllocationCounter",
      ]),
    suite("NativeHostTests", ["NativeHost", "WebViewGuardClient", "GuardModel"]),
    suite("DecisionLogTests", ["Bytes", "DecisionLog", "Digests", "GuardModel", "JSONText"]),
    suite("PolicyFilesTests", ["PolicyTools", "PolicyFiles", "PolicyEngine", "URLRules", "URLStandard", "GuardModel"]),
    suite(
      "GuardServiceTests",
      [
        "AccountKeys", "Bytes", "EmbeddedGuard", "GuardService", "GuardProtocol", "DecisionLog", "PolicyFiles",
        "PolicyEngine", "URLRules", "GuardModel", "JSONText", "Platform", "Bus", log,
      ] + embedded),
    suite(
      "CommandTests", path: "Tests/System/Commands",
      [
        "webviewguard", "PolicyTools", "PolicyFiles", "PolicyEngine", "RuleExport", "GuardProtocol", "DecisionLog",
        "GuardModel", "JSONText", "URLRules", "URLStandard",
      ]),
    suite(
      "AcceptanceTests", path: "Tests/System/Acceptance",
      [
        "PolicyTools", "PolicyFiles", "JSONText", "DecisionLog", "GuardModel", "GuardService", "WebViewGuardClient",
        "Platform", "webviewguard",
      ]),
  ],
  cxxLanguageStandard: .cxx17
)

/// The targets of these names, and all of ours that they stand on.
func reach(_ names: [String], in targets: [Target]) -> Set<String> {
  var found: Set<String> = []
  var waiting = names
  while let name = waiting.popLast() {
    guard let target = targets.first(where: { $0.name == name }), found.insert(name).inserted else { continue }
    for case .byNameItem(let below, _) in target.dependencies { waiting.append(below) }
  }
  return found
}

// `WEBVIEWGUARD_SUITES=URLRulesTests,JSONTextTests swift test` builds these suites, and what they stand on, and no more.
if let suites = Context.environment["WEBVIEWGUARD_SUITES"] {
  let wanted = reach(suites.split(separator: ",").map(String.init), in: package.targets)
  package.targets.removeAll { !wanted.contains($0.name) }
  package.products.removeAll { !wanted.contains($0.name) }
}
