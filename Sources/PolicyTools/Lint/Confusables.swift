internal import PolicyFiles

/// Letters that people take for others.
///
///     Confusables.skeleton("cоntoso.com")     // with a Cyrillic o: contoso.com
///     Confusables.skeleton("c0ntoso.corn")    // contoso.com
///
/// A short table of what is used against names: not that of Unicode (UTS 39), which would call many honest names alike.
enum Confusables {
  /// A text in the letters it seems to be written in; `rn` is seen as `m`, `vv` as `w`, `0` as `o`, `1` as `l`.
  static func skeleton(_ text: String) -> String {
    var seen = ""
    for scalar in text.lowercased().unicodeScalars {
      if scalar == "-" { continue }
      seen.unicodeScalars.append(latin[scalar] ?? scalar)
    }
    return seen.replacing("rn", with: "m").replacing("vv", with: "w")
  }

  /// Whether letters of several scripts stand in one label, of which the others look Latin.
  static func isMixed(_ label: Substring) -> Bool {
    let hasLatin = label.unicodeScalars.contains { ("a"..."z").contains($0) }
    return hasLatin && label.unicodeScalars.contains { $0.value > 0x7F && latin[$0] != nil }
  }

  private static let latin: [Unicode.Scalar: Unicode.Scalar] = {
    let pairs: [(String, String)] = [
      ("0", "o"), ("1", "l"), ("ı", "i"), ("ɑ", "a"), ("ɡ", "g"),
      // Cyrillic.
      ("а", "a"), ("с", "c"), ("ԁ", "d"), ("е", "e"), ("һ", "h"), ("і", "i"), ("ј", "j"), ("ӏ", "l"), ("о", "o"),
      ("р", "p"), ("ԛ", "q"), ("ѕ", "s"), ("ѵ", "v"), ("ԝ", "w"), ("х", "x"), ("у", "y"), ("к", "k"), ("т", "t"),
      // Greek.
      ("α", "a"), ("ε", "e"), ("ι", "i"), ("κ", "k"), ("ν", "v"), ("ο", "o"), ("ρ", "p"), ("τ", "t"), ("υ", "u"),
      ("χ", "x"), ("ω", "w"),
    ]
    var table: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (from, to) in pairs {
      if let from = from.unicodeScalars.first, let to = to.unicodeScalars.first { table[from] = to }
    }
    return table
  }()
}
