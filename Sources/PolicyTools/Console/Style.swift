internal import Glibc

/// Colours, for terminals only.
///
///     Style(isColoured: true).bad("block")    // the word in red; the word alone where no colour is wanted
package struct Style: Sendable, Hashable {
  private let isColoured: Bool

  /// No colours either when `NO_COLOR` is set (no-color.org), or when the terminal says that it is a dumb one.
  init(isColoured: Bool) {
    let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
    self.isColoured = isColoured && !isUnwanted && !isDumb
  }

  package func bad(_ text: String) -> String { coloured(text, "31") }
  package func good(_ text: String) -> String { coloured(text, "32") }
  package func doubtful(_ text: String) -> String { coloured(text, "33") }
  func heading(_ text: String) -> String { coloured(text, "1") }

  private func coloured(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
