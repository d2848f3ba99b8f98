import Foundation
import GuardModel
import GuardService
import PolicyEngine
import Testing

/// Posture files: what is believed of them, and what is not. Ledger CD-01.
@Suite struct PostureFilesTests {
  private let folder = PostureFolder()
  private var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }

  private func reading(at time: UInt64? = nil) -> PostureFiles.Reading {
    PostureFiles(directory: folder.path).read(at: time ?? now)
  }

  /// The one problem, without the path.
  private func problem(at time: UInt64? = nil) -> String? {
    let reading = reading(at: time)
    #expect(reading.problems.count < 2, "\(reading.problems)")
    return reading.problems.first?.replacingOccurrences(of: folder.path, with: "DIR")
  }

  /// The form that custom compliance scripts print, and an end.
  @Test func aFileStatesFacts() throws {
    let end = folder.end(days: 2)
    try folder.write("intune.json", #"{"validUntil":"\#(end)","Encrypted":true,"Tries":3,"Level":"low","Load":0.5}"#)
    let until = try #require(RFC3339.milliseconds(end))
    #expect(
      reading()
        == .of([
          "Encrypted": Fact(.truth(true), until: until), "Tries": Fact(.number(3), until: until),
          "Level": Fact(.text("low"), until: until), "Load": Fact(.number(0.5), until: until),
        ]))
  }

  @Test func noDirectoryIsNoFact() {
    #expect(PostureFiles(directory: folder.path + "/none").read(at: now) == PostureFiles.Reading())
  }

  /// A link that leads nowhere, and a file, are no directory.
  @Test func anotherThingInItsPlaceIsToldOf() throws {
    try folder.write("a.json", "{}")
    #expect(PostureFiles(directory: folder.path + "/a.json").read(at: now).problems.count == 1)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "nowhere")
    #expect(PostureFiles(directory: folder.path + "/link").read(at: now).problems.count == 1)
  }

  @Test(arguments: [
    ("", "is no JSON object"), ("{", "is no JSON object"), ("[]", "is no JSON object"), ("true", "is no JSON object"),
    (#"{"A":true}"#, "does not say until when it holds: write `validUntil` as in RFC 3339"),
    (#"{"validUntil":1,"A":true}"#, "does not say until when it holds: write `validUntil` as in RFC 3339"),
    (#"{"validUntil":"tomorrow","A":true}"#, "does not say until when it holds: write `validUntil` as in RFC 3339"),
    (#"{"validUntil":"2999-01-01T00:00:00Z","A":true}"#, "wants to hold for more than seven days"),
    (#"{"validUntil":"$END","A":null}"#, "states `A`, which is no text, number or truth value"),
    (#"{"validUntil":"$END","A":[true]}"#, "states `A`, which is no text, number or truth value"),
    (#"{"validUntil":"$END","A":{"B":true}}"#, "states `A`, which is no text, number or truth value"),
    (#"{"validUntil":"$END","a b":true}"#, "states a fact whose name no condition can ask for"),
    (#"{"validUntil":"$END","":true}"#, "states a fact whose name no condition can ask for"),
    (#"{"validUntil":"$END","a\n":true}"#, "states a fact whose name no condition can ask for"),
    (#"{"validUntil":"$END","diskEncrypted":true}"#, "states `diskEncrypted`, which the daemon finds out itself"),
    (#"{"validUntil":"$END","policyAge":0}"#, "states `policyAge`, which the daemon finds out itself"),
  ])
  func aFaultIsNamed(_ text: String, _ fault: String) throws {
    try folder.write("a.json", text.replacingOccurrences(of: "$END", with: folder.end(days: 1)))
    #expect(problem() == "`DIR/a.json` \(fault)")
    #expect(reading().facts.isEmpty)
  }

  /// Who may write the file, or put another one in its place, says what he likes.
  @Test func whatOthersMayWriteIsNotBelieved() throws {
    let text = #"{"validUntil":"\#(folder.end(days: 1))","A":true}"#
    try folder.write("a.json", text, mode: 0o666)
    #expect(
      problem() == "`DIR/a.json` has mode 0666, so its group and others may write it; run `chmod go-w DIR/a.json`")
    try folder.write("a.json", text)
    #expect(reading().facts.count == 1)
    #expect(chmod(folder.path, 0o777) == 0)
    #expect(reading().facts.isEmpty && reading().problems.count == 1)
    #expect(chmod(folder.path, 0o755) == 0)
    #expect(chmod(folder.base, 0o777) == 0)
    #expect(reading().facts.isEmpty && reading().problems.count == 1, "the directory above")
    #expect(chmod(folder.base, 0o755) == 0)
    guard geteuid() == 0 else { return }
    #expect(chown(folder.path + "/a.json", 4242, 4242) == 0)
    #expect(reading().facts.isEmpty && problem()?.contains("belongs to uid 4242") == true)
    #expect(chown(folder.path + "/a.json", 0, 0) == 0 && chown(folder.path, 4242, 4242) == 0)
    #expect(reading().facts.isEmpty && reading().problems.isEmpty == false)
  }

  /// A link is not followed, and a pipe does not make the daemon wait.
  @Test(.timeLimit(.minutes(1))) func whatIsNoRegularFileIsNotRead() throws {
    try folder.write("elsewhere", #"{"validUntil":"\#(folder.end(days: 1))","A":true}"#)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/a.json", withDestinationPath: "elsewhere")
    #expect(problem() == "`DIR/a.json` is no regular file")
    unlink(folder.path + "/a.json")
    #expect(mkfifo(folder.path + "/a.json", 0o600) == 0)
    #expect(problem() == "`DIR/a.json` is no regular file")
    unlink(folder.path + "/a.json")
    try FileManager.default.createDirectory(atPath: folder.path + "/a.json", withIntermediateDirectories: false)
    #expect(problem() == "`DIR/a.json` is no regular file" && reading().facts.isEmpty)
  }

  @Test func aScriptPrintsAFewLines() throws {
    let end = folder.end(days: 1)
    let head = #"{"validUntil":"\#(end)","A":true,"B":""#
    let fitting = head + String(repeating: "x", count: 65_536 - head.utf8.count - 2) + #""}"#
    try folder.write("a.json", fitting)
    #expect(problem() == "`DIR/a.json` states `B`, which is no text, number or truth value", "a long text is no fact")
    #expect(reading().facts.keys.sorted() == ["A"])
    try folder.write("a.json", fitting + " ")
    #expect(problem() == "`DIR/a.json` is longer than 65536 bytes" && reading().facts.isEmpty)
  }

  /// Half a file, and names that begin with a dot, as files have that are about to be renamed.
  @Test func unfinishedFilesAreNotRead() throws {
    try folder.write(".new.json", "{")
    try folder.write("a.json.tmp", "{")
    #expect(reading() == PostureFiles.Reading())
  }

  @Test func ofAThousandFilesSomeAreRead() throws {
    for number in 0..<1000 {
      try folder.write("\(1000 + number).json", #"{"validUntil":"\#(folder.end(days: 1))","A\#(number)":true}"#)
    }
    #expect(problem() == "`DIR` has more than 64 files; the others are not read")
    #expect(reading().facts.count == 64 && reading().facts["A63"] != nil)
  }

  @Test func factsAreLimited() throws {
    let members = (0..<300).map { #""A\#($0)":\#($0)"# }.joined(separator: ",")
    try folder.write("a.json", #"{"validUntil":"\#(folder.end(days: 1))",\#(members)}"#)
    #expect(problem() == "`DIR` states more than 256 facts" && reading().facts.count == 256)
  }

  // MARK: Times

  /// A word holds at most seven days from the moment it was written, not from when it is read.
  @Test func aWordOfLongAgoIsNotBelievedLater() throws {
    try folder.write("a.json", #"{"validUntil":"\#(folder.end(days: 7, minus: 60))","A":true}"#)
    #expect(reading().facts.count == 1)
    try folder.touch("a.json", days: -1)
    #expect(problem() == "`DIR/a.json` wants to hold for more than seven days")
    try folder.touch("a.json", days: 1)
    #expect(problem() == "`DIR/a.json` was changed in the future" && reading().facts.isEmpty)
  }

  /// An old file says until when it was known; a newer one that holds goes before it, in any order of names.
  @Test(arguments: [("a.json", "b.json"), ("b.json", "a.json")])
  func aWordWhoseTimeIsOverHidesNoOther(_ old: String, _ new: String) throws {
    try folder.write(old, #"{"validUntil":"\#(folder.end(days: -1))","A":false}"#)
    let over = try #require(reading().facts["A"])
    #expect(over.until.map { $0 < now } == true && reading().problems.isEmpty)
    try folder.write(new, #"{"validUntil":"\#(folder.end(days: 1))","A":true}"#)
    let fact = try #require(reading().facts["A"])
    #expect(fact.value == .truth(true) && fact.others.isEmpty && fact.until.map { $0 > now } == true)
    #expect(reading().problems.isEmpty)
  }

  /// No file can hide the bad word of another: every word counts, until the first of them is over.
  @Test func filesThatContradictEachOtherBothCount() throws {
    try folder.write("a.json", #"{"validUntil":"\#(folder.end(days: 3))","A":true,"B":1}"#)
    try folder.write("b.json", #"{"validUntil":"\#(folder.end(days: 1))","A":false,"B":1}"#)
    let fact = try #require(reading().facts["A"])
    #expect(fact.value == .truth(true) && fact.others == [.truth(false)])
    #expect(fact.until == RFC3339.milliseconds(folder.end(days: 1)))
    #expect(problem() == "`DIR/b.json` contradicts `DIR/a.json` about `A`")
    #expect(
      reading().facts["B"]?.until == RFC3339.milliseconds(folder.end(days: 3)), "they agree: the later end counts")
    #expect(reading(at: now + 2 * 86_400_000).facts["A"]?.others == [])
  }

  /// A key that stands twice in one file contradicts itself.
  @Test func aKeyMayStandTwice() throws {
    try folder.write("a.json", #"{"validUntil":"\#(folder.end(days: 1))","A":true,"A":false}"#)
    let reading = reading()
    #expect(reading.facts["A"].map { [$0.value] + $0.others } != [.truth(true)], "the bad word is not lost")
    #expect(!reading.problems.isEmpty)
  }
}

extension PostureFiles.Reading {
  fileprivate static func of(_ facts: [String: Fact]) -> Self {
    var reading = Self()
    reading.facts = facts
    return reading
  }
}

/// A posture directory of a test, below one that others may not write.
final class PostureFolder {
  let base: String
  let path: String
  /// One for all ends, so that they can be compared.
  private let start = Date()

  init() {
    // /tmp is sticky, so that the way is fine.
    base = "/tmp/wvg-posture-\(UInt32.random(in: 0 ... .max))"
    path = base + "/posture.d"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    chmod(base, 0o755)
    chmod(path, 0o755)
  }

  deinit { try? FileManager.default.removeItem(atPath: base) }

  func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
    try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
    chmod(path + "/" + name, mode)
  }

  /// A time as it stands in a file.
  func end(days: Double, minus seconds: Double = 0) -> String {
    let formatter = ISO8601DateFormatter()
    return formatter.string(from: start + days * 86_400 - seconds)
  }

  func touch(_ name: String, days: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date() + days * 86_400], ofItemAtPath: path + "/" + name)
  }
}
