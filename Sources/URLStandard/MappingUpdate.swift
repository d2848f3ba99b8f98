/// What the IDNA mapping table of Unicode 17 says of code points that older tables forbid or map in another way.
///
/// ICU 72 knows Unicode 15.0. Of the code points that already existed then, 72 have another status today: characters
/// that were forbidden for the sake of IDNA2003, and the capital sharp s. All but one are mapped or removed, and
/// mapping is done code point by code point before anything else, so doing it here first gives today's result with
/// any ICU. Not reached: U+1806, valid today and forbidden for ICU 72; and what later versions of Unicode added.
/// Hosts with those are refused, which is the strict side.
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

  /// What `scalar` is mapped to; nil when it is removed; itself when nothing has changed for it.
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
