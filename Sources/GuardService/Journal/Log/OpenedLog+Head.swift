internal import DecisionLog
internal import Platform

/// Whether a record that was written is still there.
extension OpenedLog {
  /// False when the log ends before it, or has another record in its place. A record of a file that is gone cannot be looked
  /// at and counts as gone.
  func holds(_ head: LogHead) -> Bool {
    guard head.seq > 0, head.seq <= tail.head.seq else { return head == .start }
    if let file = closed.first(where: { $0.head.seq >= head.seq }) {
      return file.head.seq == head.seq ? file.head.hash == head.hash : finds(head, in: directory.place(of: file.name))
    }
    return tail.head.seq == head.seq ? tail.head.hash == head.hash : finds(head, in: directory.active)
  }

  private func finds(_ head: LogHead, in path: String) -> Bool {
    do throws(SystemError) {
      let file = try LogFile.openForReading(path)
      var search = HeadSearch(for: head.seq)
      var place = 0
      while search.found == nil, let piece = try file.piece(from: place) {
        search.read(piece.span)
        place += piece.count
      }
      return search.found == head
    } catch {
      return false
    }
  }
}
