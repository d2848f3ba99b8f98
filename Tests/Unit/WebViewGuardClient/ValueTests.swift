import Testing
import WebViewGuardClient

/// The reader believes nothing: what is not JSON to the letter is not read at all.
@Suite struct ValueTests {
  @Test(arguments: [
    (#"{"a":[1,-2,0.5,true,null,"x"]}"#, #"{"a":[1,-2,0.5,true,null,"x"]}"#),
    ("\t{ \"b\" : {} ,\n\"a\":[] }\r\n", #"{"a":[],"b":{}}"#),
    (#""A\u00e4\ud83d\ude00\n\"\\\/""#, "\"A\u{E4}\u{1F600}\\u000a\\\"\\\\/\""),
    ("9223372036854775807", "9223372036854775807"),
    ("1e3", "1000.0"),
  ])
  func readsAndWritesWhatIsJSON(text: String, written: String) {
    #expect(ValueReader.read(Array(text.utf8)[...])?.text == written)
  }

  @Test(arguments: [
    "", " ", "{", "[", "]", "{}}", "[1,]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1"b":2}"#, #"{a:1}"#,
    #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, "01", "1.", ".5", "-", "+1", "1e", "1e999", "0x1", "NaN", "Infinity",
    "tru", "nulll", "True", #"""#, #""\"#, #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#,
    "\"\n\"", "\"\t\"", "'a'", "\u{FEFF}{}", "{} {}", "[1 2]", "\u{0}",
  ])
  func refusesWhatIsNone(text: String) {
    #expect(ValueReader.read(Array(text.utf8)[...]) == nil)
  }

  @Test func refusesWhatIsNoUTF8() {
    #expect(ValueReader.read([0x22, 0xFF, 0x22]) == nil)
    #expect(ValueReader.read([0x22, 0xC0, 0x80, 0x22]) == nil)
    #expect(ValueReader.read([0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
  }

  @Test func refusesWhatIsTooDeep() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(ValueReader.read(Array(deep.utf8)[...]) == nil)
    let fits = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    #expect(ValueReader.read(Array(fits.utf8)[...]) != nil)
    #expect(ValueReader.read(Array(("[" + fits + "]").utf8)[...]) == nil)
  }

  @Test func readsEveryPrefixAndEveryChangedByteWithoutHarm() {
    let text = Array(#"{"parameters":{"decision":{"outcome":"allow","notes":["a","\u00e4"],"limit":12.5e1}}}"#.utf8)
    for end in text.indices { #expect(ValueReader.read(text[..<end]) == nil) }
    for index in text.indices {
      for byte in [0x00, 0x22, 0x5C, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8] {
        var changed = text
        changed[index] = byte
        _ = ValueReader.read(changed[...])
      }
    }
  }
}
