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

/// A program whose `main` is libFuzzer's.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name + "Fuzzer",
    dependencies: dependencies + ["FuzzSupport", "Reference", "URLRules", "URLStandard", "GuardModel"],
    swiftSettings: settings)
}

let package = Package(
  name: "fuzzing",
  targets: [
    // The modules under test: links to `../Sources`, so that they are instrumented and `package` names are seen.
    .target(name: "CICU", linkerSettings: [.linkedLibrary("icuuc")]),
    .target(name: "CPCRE2", linkerSettings: [.linkedLibrary("pcre2-8")]),
    .target(name: "CYAML", linkerSettings: [.linkedLibrary("yaml")]),
    .target(name: "CMemory"),
    .target(name: "CPSL", linkerSettings: [.linkedLibrary("psl")]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    library("URLStandard", ["CICU"]),
    library("URLRules", ["URLStandard", "GuardModel", "CMemory", "CPCRE2", "CPSL"]),
    library("GuardModel"),
    library("PolicyEngine", ["URLRules", "URLStandard", "GuardModel"]),
    library("PolicyFiles", ["PolicyEngine", "URLRules", "URLStandard", "GuardModel", "CYAML", "CZlib", "Crypto"]),
    // Stands in for swift-crypto, which takes minutes to build; digests are not under test here.
    library("Crypto"),

    // The slow and obvious implementations of `../Tests/TestSupport`, again as links.
    library("Reference", ["URLRules", "URLStandard", "GuardModel"]),
    // How a property fails, and what bytes are turned into.
    library("FuzzSupport", ["Reference", "URLRules", "URLStandard", "GuardModel"]),

    fuzzer("URLParser"),
    fuzzer("URLPattern"),
    fuzzer("URLFilter"),
    fuzzer("Regex"),
    fuzzer("RuleFile", ["PolicyFiles"]),
    fuzzer("List", ["PolicyFiles"]),
    fuzzer("RuleSet"),
  ],
  cxxLanguageStandard: .cxx17
)
