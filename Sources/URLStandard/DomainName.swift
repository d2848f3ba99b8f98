/// The domain parser of the URL Standard, not strict (section 3.3).
enum DomainName {
  /// Appends the ASCII form of `domain`, which is valid UTF-8; false when it is no domain.
  ///
  /// Since June 2026 an all-ASCII domain is only lower-cased: it is valid even where its `xn--` labels are not. One
  /// with other characters goes through UTS 46 as a whole, and fails as a whole.
  static func write(_ domain: [UInt8], to output: inout [UInt8]) -> Bool {
    let start = output.count
    if isASCII(domain.span) {
      output.append(lowercasing: domain.span)
    } else {
      guard domain.count <= InternationalName.maximumLength,
        InternationalName.write(MappingUpdate.apply(to: domain), to: &output)
      else { return false }
    }
    return output.count > start && holdsNoForbiddenByte(output.span.extracting(start..<output.count))
  }

  private static func isASCII(_ domain: Span<UInt8>) -> Bool {
    for index in domain.indices where domain[index] >= 0x80 { return false }
    return true
  }

  private static func holdsNoForbiddenByte(_ domain: Span<UInt8>) -> Bool {
    for index in domain.indices where ByteClass(of: domain[index]).contains(.forbiddenDomain) { return false }
    return true
  }
}

/// The ASCII form of a domain as it stands in the host of a URL; nil when it is not a domain.
///
///     domainToASCII("Bücher.Example")  // "xn--bcher-kva.example"
///     domainToASCII("xn--a")           // "xn--a"
///     domainToASCII("a b")             // nil
///     domainToASCII("10.1")            // "10.1": addresses are not looked for
///
/// For the host names of rules, so that they are compared with URLs in one and the same form.
///
/// Source: URL Standard, section 3.3, domain parser with beStrict false.
package func domainToASCII(_ name: String) -> String? {
  var output: [UInt8] = []
  return DomainName.write(Array(name.utf8), to: &output) ? String(decoding: output, as: UTF8.self) : nil
}

/// What people see of an ASCII domain; nil when one of its labels stands for nothing that may be in a domain.
///
///     domainToUnicode("xn--bcher-kva.example")  // "bücher.example"
///     domainToUnicode("xn--a")                  // nil
///
/// Only for showing. Trap: names that look alike are not told apart by looking, so nothing is ever compared in this
/// form.
///
/// Source: URL Standard, section 3.3, domain to Unicode with beStrict false.
package func domainToUnicode(_ name: String) -> String? {
  InternationalName.unicode(Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) }
}
