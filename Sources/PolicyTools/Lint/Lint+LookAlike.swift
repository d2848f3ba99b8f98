internal import PolicyFiles
internal import URLRules
internal import URLStandard

extension Lint {
  /// A host of an internal rule that looks like another host of internal rules: most likely a mistake in writing, and a
  /// name that another party may own.
  ///
  /// Registrable domains with the same suffix are compared, those of five letters and more. Numbers may differ.
  static let lookAlike = Lint(.lookAlike) { rules in
    let sites = NamedSite.all(in: rules)
    let alike = NamedSite.alike(sites)
    return sites.enumerated().compactMap { index, site in
      let like = alike[index]?.sorted().first { $0 != index && site.isMistaken(for: sites[$0], isLater: $0 < index) }
      guard let like else { return site.mixed(rules) }
      return site.finding("which looks like \(sites[like].shown)", rules)
    }
  }
}

/// A registrable domain that internal rules name.
private struct NamedSite {
  /// In the form of the parser.
  let site: String
  /// As people see it, up to its suffix.
  let label: String
  /// The label in the letters it seems to be written in.
  let skeleton: String
  let suffix: Substring
  /// The first rule that names it, and how many do.
  let linted: LintedRule
  var uses = 1

  private static let shortest = 5
  /// Maximum names with a difference in the same place that are compared with each other.
  private static let maximumOthers = 16

  static func all(in rules: LintedRules) -> [NamedSite] {
    var places: [String: Int] = [:]
    var sites: [NamedSite] = []
    for linted in rules.inForce where linted.isInternal {
      for key in linted.rule.condition.positiveMatchers.flatMap({ $0.keys ?? [] }) {
        guard let name = key.host, let record = URLRecord("https://\(name)/"),
          let site = rules.suffixes.site(of: record)
        else { continue }
        if let place = places[site] {
          sites[place].uses += 1
        } else if let named = NamedSite(site, linted) {
          places[site] = sites.count
          sites.append(named)
        }
      }
    }
    return sites
  }

  private init?(_ site: String, _ linted: LintedRule) {
    guard let dot = site.firstIndex(of: ".") else { return nil }
    label = (domainToUnicode(site) ?? site).split(separator: ".").first.map(String.init) ?? ""
    guard label.unicodeScalars.count >= Self.shortest else { return nil }
    skeleton = Confusables.skeleton(label)
    suffix = site[dot...]
    self.site = site
    self.linted = linted
  }

  /// The name in backticks, with how it is written where that differs.
  var shown: String {
    site.utf8.starts(with: "xn--".utf8) ? "\((label + suffix).quoted) (\(site.quoted))" : site.quoted
  }

  /// For each name, by its place, those that have a key in common with it.
  static func alike(_ sites: [NamedSite]) -> [Int: Set<Int>] {
    let keyed = sites.enumerated().flatMap { index, site in site.keys.map { (key: $0, index: index) } }
      .sorted { ($0.key, $0.index) < ($1.key, $1.index) }
    var alike: [Int: Set<Int>] = [:]
    var start = 0
    while start < keyed.count {
      let end = keyed[start...].firstIndex { $0.key != keyed[start].key } ?? keyed.count
      if end - start > 1 {
        let others = keyed[start..<end].prefix(maximumOthers).map(\.index)
        for site in keyed[start..<end] { alike[site.index, default: []].formUnion(others) }
      }
      start = end
    }
    return alike
  }

  /// Keys that two look-alike names share: a number for the skeleton, and for it with any one letter left out. Others
  /// may have one in common, too, which costs a comparison.
  private var keys: Set<UInt64> {
    let letters = Array(skeleton.unicodeScalars.prefix(63))
    return Set(
      (-1..<letters.count).map { leftOut in
        // FNV-1a, 64 bits.
        var key: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ letter: Unicode.Scalar) { key = (key ^ UInt64(letter.value)) &* 0x100_0000_01B3 }
        for index in letters.indices where index != leftOut { add(letters[index]) }
        suffix.unicodeScalars.forEach(add)
        return key
      })
  }

  /// Whether this is the one of two that was written by mistake: the disguised one, else the one that is named less
  /// often, or later.
  func isMistaken(for other: NamedSite, isLater: Bool) -> Bool {
    guard suffix == other.suffix else { return false }
    let isLess = uses < other.uses || (uses == other.uses && isLater)
    if skeleton == other.skeleton {
      return (skeleton == label) == (other.label == skeleton) ? isLess : skeleton != label
    }
    guard isLess else { return false }
    let letters = Array(label.unicodeScalars)
    let otherLetters = Array(other.label.unicodeScalars)
    guard !Self.differInDigits(letters, otherLetters) else { return false }
    return Suggestion.editDistance(letters, otherLetters) == 1 || Self.areSwapped(letters, otherLetters)
  }

  /// `cdn1` and `cdn2` are no mistake.
  private static func differInDigits(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Bool {
    let isDigit = { (scalar: Unicode.Scalar) in ("0"..."9").contains(scalar) }
    return one.filter { !isDigit($0) } == other.filter { !isDigit($0) }
  }

  private static func areSwapped(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Bool {
    guard one.count == other.count, let place = one.indices.first(where: { one[$0] != other[$0] }) else { return false }
    guard place + 1 < one.count, one[place] == other[place + 1], one[place + 1] == other[place] else { return false }
    return one[(place + 2)...] == other[(place + 2)...]
  }

  /// A finding for a name in letters of several scripts.
  func mixed(_ rules: LintedRules) -> Diagnostic? {
    guard Confusables.isMixed(label[...]) else { return nil }
    return finding(
      "with letters of several scripts: it reads like \(Confusables.skeleton(label + suffix).quoted)", rules)
  }

  func finding(_ words: String, _ rules: LintedRules) -> Diagnostic? {
    let plain = RuleQuestion(url: "https://\(site)/")
    let questions = linted.questions.filter { rules.areOneSite($0.webParts?.host ?? "", site) }
    let others = linted.questions.compactMap { $0.with(host: site) }
    guard let witness = (questions + others + [plain]).lazy.compactMap(rules.internalWitness).first else { return nil }
    return rules.finding(
      .lookAlike, linted, "names \(shown), \(words)", hint: "correct it, if it is not your own", witness)
  }
}

extension IndexKey {
  /// The host that it names.
  fileprivate var host: String? {
    switch self {
    case .host(let name, _, _): String(decoding: name, as: UTF8.self)
    case .url(let href): URLRecord(String(decoding: href, as: UTF8.self))?.hostname
    case .list, .network, .text: nil
    }
  }
}

/// Letters that people take for others.
///
///     Confusables.skeleton("cоntoso.com")     // with a Cyrillic o: contoso.com
///     Confusables.skeleton("c0ntoso.corn")    // contoso.com
///
/// A short table of characters used against names: not that of Unicode (UTS 39), which would call many honest names
/// alike.
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
