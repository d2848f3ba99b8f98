import PolicyFiles
import TestSupport
import Testing

/// Pieces, line ends, packing and limits: how the text of a list comes out of its file.
@Suite struct ListTextTests {
  private static let text = "a.example\r\n\u{FC}.example\n\n# c\nlast.example"
  private static let hosts = ["a.example", "xn--tda.example", "last.example"]

  @Test func piecesMayBeCutAnywhere() {
    let bytes = [0xEF, 0xBB, 0xBF] + Array(Self.text.utf8)
    for packed in [bytes, Gzip.stored(bytes)] {
      for size in 1...packed.count {
        let list = ReadList(packed, pieces: size)
        #expect(list.hosts == Self.hosts, "pieces of \(size) bytes")
        #expect(list.problems.isEmpty)
        #expect(list.file?.lines == 5)
        #expect(list.file?.unpackedBytes == bytes.count)
        #expect(list.file?.storedBytes == packed.count)
        #expect(list.file?.modified == 1_795_219_200)
      }
    }
  }

  @Test func membersBehindOneAnotherAreOneText() {
    let packed = Array(Self.text.utf8).split(separator: 0x2E, omittingEmptySubsequences: false)
      .flatMap { Gzip.stored(Array($0) + [0x2E]) }
    for size in [1, 7, 1 << 17] {
      #expect(ReadList(packed, pieces: size).hosts == ["a.example", "xn--tda.example", "last.example"])
    }
  }

  @Test func hashCoversTheFileAsItIsStored() {
    let plain = ReadList("a.example").file
    let packed = ReadList(Gzip.stored(Array("a.example".utf8))).file
    // sha256 of "a.example", computed by another program.
    let expected = "b8e7453371a024daae06f3164492c0afcde134c7747c155b3d83c20de341e855"
    #expect(plain?.hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == expected)
    #expect(packed?.hash.count == 32)
    #expect(packed?.hash != plain?.hash)
  }

  @Test func brokenGzipSaysWhere() {
    let whole = Gzip.stored(Array("a.example\nb.example\n".utf8))
    #expect(
      ReadList(Array(whole.dropLast(9))).problems == """
        l:2:1: error: the gzip data break off at byte 34 of the file [bad-gzip]
          hint: fetch the file again; `gzip --test` checks it
        """)
    for length in 2..<whole.count {
      let list = ReadList(Array(whole.prefix(length)))
      #expect(list.file == nil)
      #expect(list.problems.contains(": error: the gzip data break off at byte \(length) of the file [bad-gzip]"))
    }
    var wrongChecksum = whole
    wrongChecksum[whole.count - 8] ^= 1
    #expect(
      ReadList(wrongChecksum).problems == """
        l:3:1: error: the gzip data are damaged at byte 39 of the file [bad-gzip]
          hint: fetch the file again; `gzip --test` checks it
        """)
    var wrongLength = whole
    wrongLength[whole.count - 1] ^= 1
    #expect(ReadList(wrongLength).problems.contains("damaged at byte 43"))
    var wrongBlock = whole
    wrongBlock[10] = 7
    #expect(ReadList(wrongBlock).problems.contains("l:1:1: error: the gzip data are damaged at byte 11"))
    #expect(
      ReadList(whole + Array("x\n".utf8)).problems == """
        l:3:1: error: something stands behind the gzip data at byte 43 of the file [bad-gzip]
          hint: pack the file again
        """)
  }

  @Test func everyDamagedBitIsNoticedOrHarmless() {
    let whole = Gzip.stored(Array("a.example\nb.example\n".utf8))
    for bit in 0..<whole.count * 8 {
      var damaged = whole
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let list = ReadList(damaged)
      // Time, level and system are in no checksum and mean nothing; nor does the rest of the byte before a stored block.
      #expect(list.file == nil || (4 * 8..<10 * 8).contains(bit) || (83..<88).contains(bit) || bit == 24, "bit \(bit)")
      if list.file != nil { #expect(list.hosts == ["a.example", "b.example"]) }
    }
  }

  @Test(arguments: [
    ([0xFF, 0xFE, 0x61, 0], "l:1:1: error: file is encoded in UTF-16 [utf-16]\n  hint: save the file as UTF-8"),
    ([0xFE, 0xFF, 0, 0x61], "l:1:1: error: file is encoded in UTF-16 [utf-16]\n  hint: save the file as UTF-8"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], packed("xz")), ([0x28, 0xB5, 0x2F, 0xFD, 0x61], packed("zstd")),
    ([0x50, 0x4B, 3, 4], packed("zip")), (Array("BZh91AY&SY".utf8), packed("bzip2")),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], packed("7-Zip")),
    (Gzip.stored(Gzip.stored([0x61])), packed("gzip, a second time")),
  ])
  func otherPackingIsNamed(_ bytes: [UInt8], _ printed: String) {
    let rest = bytes.starts(with: Gzip.header) ? [] : Array("a.example\n".utf8)
    #expect(ReadList(bytes + rest).problems == printed)
  }

  private static func packed(_ program: String) -> String {
    "l:1:1: error: the file is packed with \(program) [wrong-packing]\n  hint: unpack it, or pack it with gzip, once"
  }

  @Test(.timeLimit(.minutes(10)))
  func gzipBombIsRefused() {
    let bomb = Gzip.zeros(ListLimits.maximumBytes)
    #expect(bomb.count < 2 << 20)
    #expect(
      ReadList(bomb).problems == """
        l:1:1: error: the text has more than the 268,435,456 bytes allowed [list-too-large]
        """)
  }

  @Test func bombThatBreaksOffIsOneUnreadLine() {
    let list = ReadList(Gzip.zeros(1 << 20))
    #expect(list.file == nil)
    #expect(list.problems.hasPrefix("l:1:1: error: the gzip data break off at byte"))
  }

  @Test(.timeLimit(.minutes(10)))
  func garbageIsGivenUp() {
    let list = ReadList(Array(repeatElement([0, 0x0A], count: 200_000).joined()))
    #expect(list.file == nil)
    #expect(list.problems.contains(": error: more than 100,000 bad lines; the rest is not read [list-too-large]"))
    #expect(list.problems.split(separator: "\n").count < 50)
  }

  @Test func randomBytesAreRefused() {
    var generator = SeededGenerator(seed: 3)
    let bytes = (0..<1 << 16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let list = ReadList(bytes)
    #expect(list.file == nil)
    #expect(list.problems.contains("[too-many-bad-lines]"))
  }

  @Test func listWithoutRoomIsRefused() {
    let list = ReadList(Array("a.example\nb.example\n".utf8), room: 1)
    #expect(list.file == nil)
    #expect(
      list.problems == "l:3:1: error: all lists together have too many names; the rest is not read [list-too-large]")
  }
}
