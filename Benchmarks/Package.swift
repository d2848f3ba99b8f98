// swift-tools-version: 6.2
import PackageDescription

/// The settings of the main package: what is measured here is compiled as it is there.
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

/// A package of its own, so that nothing of it reaches users. The modules are links to the main package's: `package`
/// access ends at a package's border.
let package = Package(
  name: "benchmarks",
  targets: [
    .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "CICU", linkerSettings: [.linkedLibrary("icuuc")]),
    .target(name: "CPCRE2", linkerSettings: [.linkedLibrary("pcre2-8")]),
    .target(name: "CYAML", linkerSettings: [.linkedLibrary("yaml")]),
    .target(name: "CMemory"),
    .target(name: "CFiles"),
    .target(name: "CPSL", linkerSettings: [.linkedLibrary("psl")]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CAllocationCounter"),
    library("Bytes"),
    library("URLStandard", ["Bytes", "CICU"]),
    library("GuardModel", ["Bytes"]),
    library("Digests", ["Bytes", "CCrypto"]),
    library("Platform", ["CFiles"]),
    library("URLRules", ["Bytes", "URLStandard", "GuardModel", "CMemory", "CPCRE2", "CPSL"]),
    library("PolicyEngine", ["Bytes", "URLRules", "URLStandard", "GuardModel"]),
    library(
      "PolicyFiles",
      [
        "Bytes", "PolicyEngine", "URLRules", "URLStandard", "GuardModel", "CYAML", "CZlib", "Digests", "Platform",
      ]),

    // Does one kind of work in rounds and tells what each took.
    .executableTarget(
      name: "measure",
      dependencies: [
        "PolicyFiles", "PolicyEngine", "URLRules", "URLStandard", "GuardModel", "CPCRE2", "CAllocationCounter",
      ],
      swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)
