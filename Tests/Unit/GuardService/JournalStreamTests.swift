import Foundation
import GuardService
import Logging
import Testing

/// Messages for systemd's journal.
@Suite struct JournalStreamTests {
  @Test(
    arguments: [
      (.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2),
    ] as [(Logger.Level, Int)])
  func eachLevelHasItsPriority(_ level: Logger.Level, _ priority: Int) {
    #expect(JournalStream.marked("a", level) == "<\(priority)>a")
  }

  @Test func eachLineHasIt() { #expect(JournalStream.marked("a\n\nb", .error) == "<3>a\n<3>\n<3>b") }

  @Test func itIsTheJournalWhereDeviceAndInodeAgree() throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    var status = stat()
    try #require(fstat(descriptor, &status) == 0)
    #expect(JournalStream.isJournal(descriptor, stated: "\(status.st_dev):\(status.st_ino)"))
    for stated in [nil, "", "\(status.st_dev)", "\(status.st_dev):\(status.st_ino + 1)", "x:y", "1:2:3"] {
      #expect(!JournalStream.isJournal(descriptor, stated: stated), "\(stated ?? "nothing")")
    }
    #expect(!JournalStream.isJournal(-1, stated: "1:2"))
  }
}
