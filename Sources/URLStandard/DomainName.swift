internal import Bytes
private import CICU

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

/// The form of an ASCII domain for people; nil when one of its labels stands for nothing that may be in a domain.
///
///     domainToUnicode("xn--bcher-kva.example")  // "bücher.example"
///     domainToUnicode("xn--a")                  // nil
///
/// Only for showing. Trap: different names can look alike, so nothing is ever compared in this form.
///
/// Source: URL Standard, section 3.3, domain to Unicode with beStrict false.
package func domainToUnicode(_ name: String) -> String? {
  InternationalName.unicode(Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) }
}

/// The IDNA mappings of Unicode 17 for code points that older tables forbid or map in another way.
///
/// ICU 72 knows Unicode 15.0. Since then 72 of its code points have changed their status: characters that were
/// forbidden for the sake of IDNA2003, and the capital sharp s. All but one are mapped or removed, and mapping is done
/// code point by code point before anything else, so doing it here first gives today's result with any ICU. Not
/// reached: U+1806, valid today and forbidden for ICU 72; and the additions of later versions of Unicode. Hosts with
/// those are refused, which is the strict side.
///
/// Source: UTS 46, revision 33 and later, IdnaMappingTable.txt.
enum MappingUpdate {
  /// Rewrites `name`, which is valid UTF-8.
  static func apply(to name: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(name.count)
    for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
      if let mapped = mapped(scalar) { output.append(contentsOf: String(mapped).utf8) }
    }
    return output
  }

  /// The mapping of `scalar`; nil when it is removed; itself when nothing has changed for it.
  private static func mapped(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x04C0: "\u{04CF}"  // Cyrillic palochka
    case 0x10A0...0x10C5: Unicode.Scalar(scalar.value + 0x1C60)  // Georgian capitals (asomtavruli)
    case 0x1E9E: "\u{00DF}"  // capital sharp s
    case 0x2132: "\u{214E}"  // turned capital f
    case 0x2183: "\u{2184}"  // reversed roman numeral one hundred
    case 0x2F868: "\u{36FC}"  // corrected CJK compatibility ideographs
    case 0x2F874: "\u{5F53}"
    case 0x2F91F: "\u{243AB}"
    case 0x2F95F: "\u{7AEE}"
    case 0x2F9BF: "\u{45D7}"
    case 0x115F, 0x1160, 0x3164, 0xFFA0: nil  // Hangul fillers
    case 0x17B4, 0x17B5, 0x180E: nil  // Khmer inherent vowels, Mongolian vowel separator
    case 0x2061...0x2063, 0x206A...0x206F: nil  // invisible operators, deprecated format characters
    case 0x1D173...0x1D17A: nil  // musical format characters
    default: scalar
    }
  }
}

/// Unicode ToASCII (UTS 46) by ICU, with the URL Standard's options: CheckBidi and CheckJoiners, not transitional;
/// CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength off.
// INVARIANT: `handle` is set once and never closed, and ICU documents a UIDNA as immutable after opening and safe for
// use by several threads at once; hence unchecked.
struct InternationalName: @unchecked Sendable {
  private let handle: OpaquePointer

  /// Maximum length, in bytes of UTF-8, of a name that ICU is asked about; a longer one counts as no domain. It is
  /// eight times the limit of the domain name system (253 bytes; RFC 1035, section 2.3.4).
  ///
  /// ICU's work grows with the square of the number of labels: it took 18 ms for the 20,000 of one URL.
  static let maximumLength = 2_048

  /// Nil when ICU could not be opened: then no international name is valid.
  private static let processor = cicu_idna_open().map { InternationalName(handle: $0) }

  /// Appends the ASCII form of `name`, which is valid UTF-8; false when there is none.
  static func write(_ name: [UInt8], to output: inout [UInt8]) -> Bool {
    guard let processor, name.count <= maximumLength else { return false }
    let start = output.count
    var room = name.count * 2 + 64
    while let length = processor.write(name, to: &output, at: start, room: room) {
      if length <= room {
        output.truncate(to: start + length)
        return !processor.hidesPrefix(output, from: start)
      }
      room = length
    }
    return false
  }

  /// Lets ICU write into `room` bytes from `start` on. Returns how many it needs, nil when the name is no domain.
  private func write(_ name: [UInt8], to output: inout [UInt8], at start: Int, room: Int) -> Int? {
    guard let nameLength = Int32(exactly: name.count), let capacity = Int32(exactly: room) else { return nil }
    output.truncate(to: start)
    output.append(contentsOf: repeatElement(0, count: room))
    let length = name.withUnsafeBytes { name in
      output.withUnsafeMutableBytes { output in
        cicu_idna_to_ascii(
          handle, name.baseAddress?.assumingMemoryBound(to: CChar.self), nameLength,
          output.baseAddress?.assumingMemoryBound(to: CChar.self).advanced(by: start), capacity)
      }
    }
    return length >= 0 ? Int(length) : nil
  }

  /// The Unicode form of an ASCII `name`; nil when one of its labels stands for no valid one.
  static func unicode(_ name: [UInt8]) -> [UInt8]? {
    guard let processor, let nameLength = Int32(exactly: name.count) else { return nil }
    var room = name.count * 4 + 64
    while let capacity = Int32(exactly: room) {
      var output = [UInt8](repeating: 0, count: room)
      let length = name.withUnsafeBytes { name in
        output.withUnsafeMutableBytes { output in
          cicu_idna_to_unicode(
            processor.handle, name.baseAddress?.assumingMemoryBound(to: CChar.self), nameLength,
            output.baseAddress?.assumingMemoryBound(to: CChar.self), capacity)
        }
      }
      guard length >= 0 else { return nil }
      if length <= capacity { return Array(output.prefix(Int(length))) }
      room = Int(length)
    }
    return nil
  }

  /// True when a label, decoded, begins with `xn--` again. Revision 33 of UTS 46 forbids that (validity criterion 4);
  /// ICU 72 does not know the rule and reports such a label like any with hyphens in third and fourth place.
  ///
  /// The encoded form begins with the ASCII characters of the decoded one, so it must begin with `xn--xn--`; and with
  /// the hyphens in place only `x` and `n` can come before them.
  private func hidesPrefix(_ domain: [UInt8], from start: Int) -> Bool {
    domain[start...].split(separator: ASCII.dot).contains { label in
      label.starts(with: Self.doublePrefix.utf8)
        && label.withUnsafeBytes { bytes in
          cicu_idna_hides_hyphens(
            handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(truncatingIfNeeded: bytes.count))
        }
    }
  }

  private static let doublePrefix = "xn--xn--"
}

/// Versions of the ICU that reads international names here.
package enum UnicodeLibrary {
  /// ICU's version, such as `72.1`.
  package static var version: String { versions.library }
  /// The version of Unicode that it knows, such as `15.0`.
  package static var unicodeVersion: String { versions.unicode }

  private static let versions: (library: String, unicode: String) = {
    var library = [CChar](repeating: 0, count: Int(CICU_VERSION_CAPACITY))
    var unicode = library
    cicu_versions(&library, &unicode)
    return (text(library), text(unicode))
  }()

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
