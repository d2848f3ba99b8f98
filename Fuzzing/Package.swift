// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package under test.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
]
/// A loop and channels in memory, which do only what a test tells them.
let embedded: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
]
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// A program whose `main` is libFuzzer's.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name + "Fuzzer",
    dependencies: dependencies + ["FuzzSupport", "TestSupport", "URLRules", "URLStandard", "GuardModel"],
    swiftSettings: settings)
}

let package = Package(
  name: "fuzzing",
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // The modules under test: links to `../Sources`, so that they are instrumented and `package` names are seen.
    // `scripts/check-house` compares each target with the one of its name in `../Package.swift`.
    .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "CICU", linkerSettings: [.linkedLibrary("icuuc")]),
    .target(name: "CPCRE2", linkerSettings: [.linkedLibrary("pcre2-8")]),
    .target(name: "CYAML", linkerSettings: [.linkedLibrary("yaml")]),
    .target(name: "CMemory"),
    .target(name: "CFiles"),
    .target(name: "CPSL", linkerSettings: [.linkedLibrary("psl")]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CLinux"),
    .target(name: "CBus"),
    .target(name: "CInterfaces"),
    library("Bytes"),
    library("URLStandard", ["Bytes", "CICU"]),
    library("URLRules", ["Bytes", "URLStandard", "GuardModel", "CMemory", "CPCRE2", "CPSL"]),
    library("GuardModel", ["Bytes"]),
    library("PolicyEngine", ["Bytes", "URLRules", "URLStandard", "GuardModel"]),
    library(
      "PolicyFiles",
      [
        "Bytes", "PolicyEngine", "URLRules", "URLStandard", "GuardModel", "CYAML", "CZlib", "Digests", "Platform",
      ]),
    library("JSONText", ["Bytes", "CSimdJSON"]),
    .target(
      name: "GuardProtocol", dependencies: ["Bytes", "GuardModel", "JSONText", "CInterfaces", "CMemory"],
      exclude: ["Interfaces"], swiftSettings: settings),
    library("DecisionLog", ["Bytes", "GuardModel", "JSONText", "Digests"]),
    library(
      "RuleExport",
      ["Bytes", "PolicyFiles", "PolicyEngine", "URLRules", "URLStandard", "GuardModel", "JSONText"]),
    library(
      "PolicyTools",
      [
        "Bytes", "PolicyFiles", "PolicyEngine", "URLRules", "URLStandard", "GuardProtocol", "DecisionLog", "GuardModel",
        "JSONText", "Platform",
      ]),
    .target(
      name: "GuardService",
      dependencies: [
        "Bytes", "PolicyFiles", "PolicyEngine", "RuleExport", "URLRules", "URLStandard", "GuardProtocol", "DecisionLog",
        "GuardModel", "JSONText", "Platform", "Bus", "AccountKeys", "Secrets", "CLinux", "CSQLite", log,
      ] + nio,
      swiftSettings: settings),
    // The daemon's core without its threads and sockets.
    .target(
      name: "EmbeddedGuard", dependencies: ["GuardService", "PolicyEngine", "PolicyFiles", log] + embedded,
      swiftSettings: settings),
    library("Digests", ["Bytes", "CCrypto"]),
    library("Platform", ["CFiles"]),
    library("Bus", ["CBus", "Platform"]),
    library("Secrets", ["Bytes", "CCrypto"]),
    library("AccountKeys", ["Bytes", "Digests", "Platform", "Secrets"]),

    // The slow and obvious implementations of `../Tests/Support/TestSupport`, again as links.
    library("TestSupport", ["PolicyEngine", "URLRules", "URLStandard", "GuardModel", "JSONText", "Platform"]),
    // How a property fails, and what bytes are turned into.
    library("FuzzSupport", ["TestSupport", "URLRules", "URLStandard", "GuardModel"]),

    fuzzer("URLParser"),
    fuzzer("URLPattern"),
    fuzzer("URLFilter"),
    fuzzer("Regex"),
    fuzzer("RuleFile", ["PolicyTools", "PolicyFiles"]),
    fuzzer("List", ["PolicyFiles"]),
    fuzzer("RuleSet"),
    fuzzer("Frames", ["GuardProtocol", "JSONText"]),
    fuzzer("Calls", ["EmbeddedGuard", "GuardService", "GuardProtocol", "JSONText", "PolicyFiles"]),
  ],
  cxxLanguageStandard: .cxx17
)
