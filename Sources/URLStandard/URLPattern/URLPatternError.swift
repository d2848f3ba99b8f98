/// Why a text is no URL pattern, and where.
///
///     "https://x.example/:id/:id"    ->  pathname, 23: the group name `id` is used twice
///     "/inbox"                       ->  0: a pattern without a base begins with the scheme, as in `https://`
///
/// Chromium throws a `TypeError` for the same texts.
package struct URLPatternError: Error, Hashable, CustomStringConvertible {
  /// The component with the error; nil for an error of the whole pattern.
  package var component: URLComponent?
  /// Byte offset in the author's text: the constructor string, or the component of a dictionary.
  package var offset: Int
  package var description: String

  package init(_ description: String, component: URLComponent? = nil, offset: Int = 0) {
    self.component = component
    self.offset = offset
    self.description = description
  }

  /// The same error as one of `component`, its place moved by `distance` bytes.
  package func moved(by distance: Int, in component: URLComponent) -> URLPatternError {
    URLPatternError(description, component: component, offset: max(0, offset + distance))
  }
}
