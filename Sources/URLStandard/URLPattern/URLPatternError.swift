/// Why a text is no URL pattern, and where.
///
///     "https://x.example/:id/:id"    ->  pathname, 23: the group name `id` is used twice
///     "/inbox"                       ->  0: a pattern without a base begins with the scheme, as in `https://`
///
/// Chromium throws a `TypeError` for the same texts.
package struct URLPatternError: Error, Hashable, CustomStringConvertible {
  /// The component that is wrong; nil when it is the whole.
  package var component: URLComponent?
  /// Byte offset in what the author wrote: the constructor string, or the component of a dictionary.
  package var offset: Int
  package var description: String

  package init(_ description: String, component: URLComponent? = nil, offset: Int = 0) {
    self.component = component
    self.offset = offset
    self.description = description
  }

  /// The same with the place seen from where the component's text begins.
  package func moved(by distance: Int, in component: URLComponent) -> URLPatternError {
    URLPatternError(description, component: component, offset: max(0, offset + distance))
  }
}
