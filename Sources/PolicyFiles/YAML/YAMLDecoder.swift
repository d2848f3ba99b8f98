/// How one kind of value is read from a node: a type, its limits, and what is said when the file has something else.
///
///     reader.required("port", .int(in: 1...65_535))
///     reader.required("mode", .choice(of: Mode.self))
///     reader.optional("hosts", .oneOrMany(of: .nonEmptyString))
///     reader.required("tls", .mapping(TLS.init))            // init?(_ reader: inout MappingReader)
///     root.decode(.mapping(Policy.init), into: &diagnostics)
///
/// Decoders are values: small ones are put together to larger ones, and new ones are added in an extension.
/// A decoder that returns nil has reported why. That is the one rule to keep when writing one.
package struct YAMLDecoder<Value> {
  /// What it wants, with an article, as in "expected a list, found nothing".
  package let expectation: String

  private let read: (YAMLNode, inout Diagnostics) -> Value?

  /// - Parameter read: Returns the value; or reports what is wrong, and returns nil. It never sees a refused node.
  package init(_ expectation: String, _ read: @escaping (YAMLNode, inout Diagnostics) -> Value?) {
    self.expectation = expectation
    self.read = read
  }

  /// The value of `node`, or nil when it has been reported, here or when the file was read.
  package func decode(_ node: YAMLNode, into diagnostics: inout Diagnostics) -> Value? {
    node.isRefused ? nil : read(node, &diagnostics)
  }
}

extension YAMLNode {
  /// What `decoder` makes of this node; nil when it has reported a problem.
  package func decode<Value>(_ decoder: YAMLDecoder<Value>, into diagnostics: inout Diagnostics) -> Value? {
    decoder.decode(self, into: &diagnostics)
  }
}

extension Diagnostics {
  /// Reports that `node` is not what was expected: "expected a list, found the number `8080`".
  ///
  /// Without a hint, a node that is null is told to get a value or go.
  package mutating func wrongType(
    _ node: YAMLNode, expected: String, hint: @autoclosure () -> String? = nil
  ) {
    let usual = node.isNull ? "give it a value, or remove the key" : nil
    error(.wrongType, at: node.location, "expected \(expected), found \(node.found)", hint: hint() ?? usual)
  }
}
