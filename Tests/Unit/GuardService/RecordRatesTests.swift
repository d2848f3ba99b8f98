import GuardModel
import Testing

import GuardService

/// What a page does by itself is recorded up to a rate, and counted beyond.
@Suite struct RecordRatesTests {
  private func count(_ rates: inout RecordRates, _ viewer: UInt64, _ times: Int, at time: UInt64) -> Int {
    (0..<times).count { _ in rates.take(viewer, at: time) == .recorded }
  }

  @Test func aBurstIsRecordedAndThenSoManyASecond() {
    var rates = RecordRates()
    let first = count(&rates, 1, 10_000, at: 0)
    #expect(first == 2000)
    for second in 1...100 as ClosedRange<UInt64> {
      let more = count(&rates, 1, 1000, at: second * 1000)
      #expect(more == 50)
    }
    let rested = count(&rates, 1, 10_000, at: 1_000_000)
    #expect(rested == 2000)
  }

  @Test func theFirstThatIsCountedIsTold() {
    var rates = RecordRates()
    _ = count(&rates, 1, 2000, at: 0)
    let answers = (0..<3).map { _ in rates.take(1, at: 0) }
    #expect(answers == [.firstCounted, .counted, .counted])
    let later = [rates.take(1, at: 20), rates.take(1, at: 20)]
    #expect(later == [.recorded, .firstCounted])
  }

  @Test func viewersDoNotTakeFromEachOther() {
    var rates = RecordRates()
    _ = count(&rates, 1, 5000, at: 0)
    let other = count(&rates, 2, 2000, at: 0)
    #expect(other == 2000)
  }

  /// Names are a client's to invent.
  @Test func moreViewersThanAreToldApartShareARate() {
    var rates = RecordRates()
    var recorded = 0
    for viewer in 1...40_000 as ClosedRange<UInt64> where rates.take(viewer, at: 0) == .recorded { recorded += 1 }
    #expect(recorded == 4096 + 2000)
  }

  @Test func aClockThatIsSetBackGivesNoRoom() {
    var rates = RecordRates()
    _ = count(&rates, 1, 2000, at: 1_000_000)
    let back = count(&rates, 1, 10, at: 0)
    #expect(back == 0)
  }

  @Test func onlyPartsOfPagesAreCounted() {
    for frame in [Frame.main, .unknown] {
      var event = Event(.navigate)
      event.frame = frame
      #expect(!RecordRates.isOfPage(event))
    }
    for kind in EventKind.allCases where kind != .navigate {
      var event = Event(kind)
      event.frame = .sub
      #expect(!RecordRates.isOfPage(event))
    }
    var event = Event(.navigate)
    event.frame = .resource
    #expect(RecordRates.isOfPage(event))
  }
}
