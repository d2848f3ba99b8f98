// swift-tools-version: 6.2
import PackageDescription

/// A program that links the client and nothing else of webviewguard, and one that seals data as well. In a package of your own, name the repository:
/// `.package(url: "…/webviewguard", from: "…")`.
let package = Package(
  name: "ask",
  dependencies: [.package(name: "webviewguard", path: "../../..")],
  targets: [
    .executableTarget(
      name: "ask",
      dependencies: [.product(name: "WebViewGuardClient", package: "webviewguard")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "seal",
      dependencies: [
        .product(name: "WebViewGuardClient", package: "webviewguard"),
        .product(name: "WebViewGuardSealing", package: "webviewguard"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
