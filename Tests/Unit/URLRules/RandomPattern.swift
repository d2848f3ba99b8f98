import TestSupport

/// A random pattern that knows texts it is likely to be found in.
struct RandomPattern {
  indirect enum Piece {
    /// Text of the pattern, with the bytes that may stand for it.
    case text(String, samples: [String])
    case group(open: String, branches: [[Piece]])
    case repeated(Piece, quantifier: String, times: ClosedRange<Int>)
  }

  let pieces: [Piece]

  /// A scheme, a host, the end of the host, and a path: what may be filed under the host.
  init(ofURLs random: inout SeededGenerator) {
    var pieces: [Piece] = []
    if random.oneIn(6) { pieces.append(.text("(?i)", samples: [""])) }
    let (text, samples) = random.one(
      of: Array(Self.heads[0..<3]) + Array(Self.heads[0..<3]) + [random.one(of: Self.heads)])
    pieces.append(.text(text, samples: samples))
    pieces += Self.host(&random)
    if random.oneIn(2) { pieces.append(.text("v1/", samples: ["v1/"])) }
    self.pieces = random.oneIn(3) ? pieces : pieces + Self.sequence(depth: 1, &random)
  }

  /// With a scheme and a host in front, or whatever else.
  init(_ random: inout SeededGenerator) {
    var pieces: [Piece] = []
    if random.oneIn(6) { pieces.append(.text(random.one(of: ["(?i)", "(?s)", "(?m)", "(?x)"]), samples: [""])) }
    if !random.oneIn(3) {
      let (text, samples) = random.one(of: Self.heads)
      pieces.append(.text(text, samples: samples))
      if !random.oneIn(3) { pieces += Self.host(&random) }
    }
    pieces += Self.sequence(depth: 2, &random)
    self.pieces = pieces
  }

  var text: String { Self.text(pieces) }

  /// A text made to be matched; often it is.
  func sample(_ random: inout SeededGenerator) -> String { Self.sample(pieces, &random) }

  private static let heads: [(String, [String])] = [
    ("^https?://", ["http://", "https://"]), ("^https://", ["https://"]), ("^http://", ["http://"]),
    ("^(?:https?:)?//", ["https://", "//"]), ("https?://", ["https://", "see=http://"]), ("://", ["https://"]),
    ("^https?:\\/\\/", ["https://"]), ("^(http|https)://", ["http://", "https://"]),
    ("^\\w+://", ["https://", "x1://"]),
    ("^[a-z]+://", ["https://", "foo://"]), ("^(?:https?://)?", ["https://", ""]), ("^", [""]), ("\\A", [""]),
    ("^.*", ["https://x.example/", ""]), (".*", ["https://x.example/", ""]), ("^https?://(?!evil)", ["https://"]),
    ("^(?=https)https://", ["https://"]), ("\\bhttps://", ["https://"]),
  ]

  private static let hosts: [(String, [String])] = [
    ("[^/]+", ["x.example", "x.example:8443"]), ("[a-z0-9.-]+", ["cdn.example"]), ("[^/]*[.]", ["a.b.", "."]),
    ("(?:[^/]+[.])?", ["", "www.", "a.b."]), ("(?:[a-z0-9-]+\\.)*", ["", "a.", "a.b."]), ("([^/]*\\.)?", ["", "www."]),
    ("(?:www|m)[.]", ["www.", "m."]), ("[a-z]+[.]", ["cdn."]), (".+[.]", ["a/b.", "www."]),
    ("(?:.*[.])?", ["", "x/y."]),
    ("www\\.", ["www."]), ("", [""]), ("[^.]+[.]", ["www.", "x/y."]), ("(?:[^/]+[.:])?", ["www.", "x:"]),
    ("(?:[a-z]+)?", ["", "evil"]), ("(?:www[.]|my)?", ["www.", "my"]),
  ]
  private static let names: [(String, [String])] = [
    ("contoso[.]com", ["contoso.com"]), ("contoso\\.com", ["contoso.com"]),
    ("contoso.com", ["contoso.com", "contosoxcom"]),
    ("cdn[.]contoso[.]com", ["cdn.contoso.com"]), ("intranet", ["intranet"]), ("1[.]2[.]3[.]4", ["1.2.3.4"]),
    ("[.]3[.]4", [".3.4"]), ("\\Qcontoso.com\\E", ["contoso.com"]), ("x-y[.]example", ["x-y.example"]),
    ("(?i:CONTOSO)[.]com", ["contoso.com"]), ("Contoso[.]com", ["Contoso.com"]), ("contoso[.]com[.]", ["contoso.com."]),
  ]
  private static let hostEnds: [(String, [String])] = [
    ("/", ["/"]), ("[/:]", ["/", ":8443/"]), ("[:/]", ["/", ":80/"]), (":8443/", [":8443/"]),
    ("(?::[0-9]+)?/", ["/", ":1/"]),
    ("(?:/|$)", ["/"]), ("(?:/.*)?$", ["/x", ""]), ("(?:/x|:)?/", ["/x/", "/", ":/"]),
    ("(?:/|)", ["/", ".evil"]), ("(?::[0-9]+)?", ["", "x"]), ("(?:[/:?]|$)", ["/", ":80/"]),
    ("", ["", "/", ".evil.example/"]), ("/?", ["/", ""]), ("\\b", ["/"]), ("[^a-z]", ["/", ":"]),
    ("/+", ["/", "//"]), ("(?=/)", ["/"]),
  ]

  private static func host(_ random: inout SeededGenerator) -> [Piece] {
    [hosts, names, hostEnds].map { table in
      let (text, samples) = random.one(of: table)
      return .text(text, samples: samples)
    }
  }

  private static let atoms: [(String, [String])] = [
    ("ads", ["ads"]), ("track", ["track"]), ("/", ["/"]), ("[.]", ["."]), ("\\.js", [".js"]), (".", ["a", "/", "-"]),
    ("\\d", ["1", "7"]), ("\\w", ["a", "_"]), ("\\W", ["-", "/"]), ("\\s", [" "]), ("\\S", ["x"]), ("\\D", ["x"]),
    ("[a-f0-9]", ["a", "9"]), ("[^/]", ["a", "?"]), ("[?&]", ["?", "&"]), ("[]a]", ["]", "a"]), ("[^]a]", ["b"]),
    ("[[:alpha:]_-]", ["q", "-"]), ("[\\w.-]", ["a", "."]), ("[a\\]b]", ["]"]), ("\\x41", ["A"]), ("\\x{2f}", ["/"]),
    ("\\Qa.b*\\E", ["a.b*"]), ("utm_", ["utm_"]), ("%2[fF]", ["%2f", "%2F"]), ("id=", ["id="]), ("A", ["A"]),
    ("a", ["a"]),
    ("\\b", [""]), ("\\B", [""]), ("^", [""]), ("$", [""]), ("\\z", [""]), ("\\Z", [""]), ("\\A", [""]), ("\\K", [""]),
    ("\\G", [""]), ("(?#note)", [""]), ("(?i)", [""]), ("(?-i)", [""]), ("(?x) # c\n", [""]), (" ", [" ", ""]),
    ("#", ["#"]),
    ("\\R", ["x"]), ("\\N", ["x"]), ("\\h", [" "]), ("(?s).", ["x"]), ("[[:punct:]]", ["!"]), ("[\\d-]", ["3", "-"]),
    ("{", ["{"]), ("a{", ["a{"]), ("-", ["-"]), ("[+-.]", ["-", "."]), ("\\/", ["/"]), ("(?:)", [""]), ("()", [""]),
    ("\\1", ["", "a"]), ("é", ["é"]),
  ]
  private static let opens = [
    "(", "(", "(?:", "(?:", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?-i:", "(?s:", "(?<n>", "(?|", "(?x:",
    "(?^:", "(?'m'", "(?P<p>", "(?im-s:",
  ]
  private static let quantifiers: [(String, ClosedRange<Int>)] = [
    ("*", 0...3), ("+", 1...3), ("?", 0...1), ("{2}", 2...2), ("{1,3}", 1...3), ("{2,}", 2...4), ("{0}", 0...0),
    ("*?", 0...2), ("+?", 1...2), ("??", 0...1), ("*+", 0...3), ("++", 1...3), ("?+", 0...1), ("{0,2}", 0...2),
    ("{3,40}", 3...6),
  ]

  private static func sequence(depth: Int, _ random: inout SeededGenerator) -> [Piece] {
    (0..<(1 + random.below(4))).map { _ in piece(depth: depth, &random) }
  }

  private static func piece(depth: Int, _ random: inout SeededGenerator) -> Piece {
    let (text, samples) = random.one(of: atoms)
    var piece = Piece.text(text, samples: samples)
    if depth > 0, random.oneIn(3) {
      let branches = (0..<(1 + random.below(3))).map { _ in sequence(depth: depth - 1, &random) }
      piece = .group(open: random.one(of: opens), branches: branches)
    }
    guard random.oneIn(3) else { return piece }
    let (quantifier, times) = random.one(of: quantifiers)
    return .repeated(piece, quantifier: quantifier, times: times)
  }

  private static func text(_ pieces: [Piece]) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text, _): text
      case .group(let open, let branches): open + branches.map(text).joined(separator: "|") + ")"
      case .repeated(let inner, let quantifier, _): text([inner]) + quantifier
      }
    }.joined()
  }

  private static func sample(_ pieces: [Piece], _ random: inout SeededGenerator) -> String {
    var result = ""
    for piece in pieces {
      switch piece {
      case .text(_, let samples): result += random.one(of: samples)
      case .group(let open, let branches):
        // What a look-around wants is not taken; sometimes it is there because something else is.
        if ["(?=", "(?!", "(?<=", "(?<!"].contains(open), !random.oneIn(4) { break }
        result += sample(random.one(of: branches), &random)
      case .repeated(let inner, _, let times):
        for _ in 0..<(times.lowerBound + random.below(times.count)) { result += sample([inner], &random) }
      }
    }
    return result
  }
}

/// Small changes to texts and patterns.
enum Mutation {
  private static let bytes = Array(#"\^$.|?*+()[]{}-,:=!<>iaAZzbBdDwWsSQEx019/ #P'_&%"#.utf8)

  /// The text with one to three bytes put in, taken out, changed or doubled.
  static func text(_ text: String, _ random: inout SeededGenerator) -> String {
    var result = Array(text.utf8)
    for _ in 0...random.below(3) {
      let place = random.below(result.count + 1)
      switch random.below(4) {
      case 0: result.insert(random.one(of: bytes), at: place)
      case 1 where place < result.count: result.remove(at: place)
      case 2 where place < result.count: result[place] = random.one(of: bytes)
      default: result.insert(contentsOf: result[max(0, place - 3)..<place], at: place)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
