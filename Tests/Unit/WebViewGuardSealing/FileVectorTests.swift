import Foundation
import GuardModel
import TestSupport
import Testing
import WebViewGuardClient
import WebViewGuardSealing

/// The vectors that all clients share: clients/vectors/files.json.
@Suite struct FileVectorTests {
  private let vectors: GuardValue

  init() throws { vectors = try Self.vectors("files") }

  private static func vectors(_ name: String) throws -> GuardValue {
    let file = URL(filePath: Repository.root).appending(path: "clients/vectors/\(name).json")
    return try #require(ValueReader.read(Array(try Data(contentsOf: file))[...]))
  }

  @Test func noNameOfADownloadTurnsLettersRound() throws {
    let cases = try #require(Self.vectors("names")["cases"]?.array)
    #expect(cases.count > 10)
    for one in cases {
      let suggested = try #require(one["suggested"]?.string)
      #expect(GuardFiles.downloadName(suggested) == one["kept"]?.string, "\(one.text)")
    }
  }

  private func rows(_ name: String) throws -> [GuardValue] { try #require(vectors[name]?.array) }

  @Test func eachErrorOfTheDaemonHasItsNumber() throws {
    let rows = try rows("errors")
    #expect(rows.count > 10)
    for row in rows {
      let word = try #require(row["error"]?.string)
      #expect(FileProtectionError.code(ofRefusal: word).rawValue == row["code"]?.integer, "\(word)")
    }
  }

  @Test func eachAnswerHasItsMeaning() throws {
    let rows = try rows("answers")
    #expect(rows.count > 10)
    for row in rows {
      let reply = try #require(row["reply"]?.object)
      let owner = try? OwnerOfFile(reading: reply)
      #expect((owner == nil) == (row["owner"] == nil), "\(row.text)")
      guard let owner, let wanted = row["owner"]?.array else { continue }
      #expect(owner.standing.rawValue == wanted[0].string, "\(row.text)")
      #expect(owner.account == wanted[1].string, "\(row.text)")
      #expect(owner.mustEncrypt == wanted[2].bool, "\(row.text)")
    }
  }
}
