import FuzzSupport
import PolicyFiles
import URLStandard

/// What holds of every list file. The first byte, a digit, chooses the format; the rest is the file.
///
/// However the file comes, in one piece or in many, packed or not, its entries and its errors are the same. Pieces are
/// not shorter than the marks that files of other programs begin with.
enum ListProperties {
  static func check(_ bytes: [UInt8]) {
    let number = (bytes.first ?? 0x30) &- 0x30
    let text = Array(bytes.dropFirst())
    if number % 3 == 2 { return checkFilters(text) }
    let format: ListFormat = number % 3 == 1 ? .hosts : .domains
    let whole = ReadList(text, format)
    require((whole.file == nil) == whole.problems.contains(": error: "), "there is a list, or an error")
    checkPieces(text, format, whole)
    if let file = whole.file {
      require(file.entries == whole.hosts.count, "entries are counted")
      checkHosts(whole.hosts)
    }
  }

  private static func checkPieces(_ text: [UInt8], _ format: ListFormat, _ whole: ReadList) {
    let pieces = ReadList(text, format, pieces: 16)
    require(pieces.hosts == whole.hosts && pieces.problems == whole.problems, "pieces make the same list")
    guard !text.starts(with: [0x1F, 0x8B]) else { return }
    let packed = ReadList(Gzip.stored(text), format, pieces: 64)
    require(packed.hosts == whole.hosts && packed.problems == whole.problems, "a packed list is the same list")
  }

  /// Hosts are in the form of the URL parser.
  private static func checkHosts(_ hosts: [String]) {
    for host in hosts {
      require(URLRecord("https://" + host + "/")?.hostname == host, "`\(host)` is written as URLs have it")
    }
  }

  private static func checkFilters(_ text: [UInt8]) {
    var diagnostics = Diagnostics()
    var count = 0
    let reader = ListReader(files: PieceFiles(bytes: text, pieceSize: 4))
    let file = reader.readFilters(
      ListPlace(below: "", name: "l"),
      { filter, line in
        count += 1
        require(line >= 1 && !filter.isEmpty, "a filter has a line and a text")
        return filter.hasPrefix("x") ? ListLineProblem("it begins with x") : nil
      }, &diagnostics)
    require((file == nil) == diagnostics.hasErrors, "there is a list, or an error")
    if let file { require(file.entries + file.badLines >= count, "every filter is counted") }
  }
}
