import FuzzSupport
import GuardModel
import GuardProtocol
import JSONText

/// What holds of every stream of bytes that a client may send. The first two bytes choose the longest frame and the pieces.
enum FramesProperties {
  private static let maximumFrames = 24

  static func check(_ bytes: [UInt8]) {
    var choices = ByteReader(Array(bytes.prefix(2)))
    let maximum = choices.one(of: [4096, 64, 8, 0])
    let stream = Array(bytes.dropFirst(2))
    let whole = splitPlainly(stream, maximum)
    require(split(stream, maximum, piece: choices.below(23) + 1) == whole, "pieces make no difference")
    var apps = FrameReader(.guardSocket)
    var administrators = FrameReader(.adminSocket)
    for frame in whole.frames.prefix(maximumFrames) {
      checkJSON(frame)
      check(frame, &apps, .guardSocket)
      check(frame, &administrators, .adminSocket)
    }
  }

  // MARK: Frames

  private struct Frames: Equatable {
    var frames: [[UInt8]] = []
    var isTooLong = false
  }

  private static func split(_ stream: [UInt8], _ maximum: Int, piece: Int) -> Frames {
    var splitter = FrameSplitter(maximumLength: maximum)
    var buffer: [UInt8] = []
    var rest = stream[...]
    var result = Frames()
    while true {
      switch splitter.next(in: buffer.span) {
      case .frame(let range): result.frames.append(Array(buffer[range]))
      case .tooLong:
        result.isTooLong = true
        return result
      case .incomplete:
        guard !rest.isEmpty else { return result }
        if piece % 2 == 0 { buffer.removeFirst(splitter.discard()) }
        buffer += rest.prefix(piece)
        rest = rest.dropFirst(piece)
      }
    }
  }

  /// Everything up to a NUL, unless it is too long; then nothing behind it counts.
  private static func splitPlainly(_ stream: [UInt8], _ maximum: Int) -> Frames {
    var parts = stream.split(separator: 0, omittingEmptySubsequences: false)
    let last = parts.removeLast()
    var result = Frames()
    for part in parts {
      guard part.count <= maximum else { break }
      result.frames.append(Array(part))
    }
    result.isTooLong = result.frames.count < parts.count || last.count > maximum
    return result
  }

  // MARK: JSON

  private static func checkJSON(_ frame: [UInt8]) {
    let tree = try? JSONTree(parsing: frame.span)
    guard let reference = ReferenceJSON.read(frame) else {
      return require(tree == nil, "the parser takes `\(text(frame))`, which is no JSON")
    }
    if reference.depth > JSONParser.maximumDepth + 1 { return require(tree == nil, "too deep is refused") }
    // Whether the innermost object or array at the limit is counted depends on what is in it.
    guard reference.depth < JSONParser.maximumDepth else { return }
    require(tree == reference.tree, "`\(text(frame))` is \(reference.tree), not \(String(describing: tree))")
    let again = try? JSONTree(parsing: reference.tree.text())
    require(again == reference.tree, "what is written reads as itself: \(reference.tree.text())")
  }

  // MARK: Calls

  private static func check(_ frame: [UInt8], _ reader: inout FrameReader, _ served: InterfaceSet) {
    let found = reader.read(frame)
    var fresh = FrameReader(served)
    require(found == fresh.read(frame), "what came before makes no difference to `\(text(frame))`")
    guard let reference = ReferenceJSON.read(frame), reference.depth < JSONParser.maximumDepth else { return }
    guard case .object = reference.tree else { return require(found == .unreadable, "a message is an object") }
    require(found != .unreadable, "an object is a message: `\(text(frame))`")
    if let method = found.method {
      require(reference.tree["method"]?.string == method, "`\(method)` is what `\(text(frame))` calls")
    }
    if let isOneway = found.isOneway {
      require((reference.tree["oneway"] == .bool(true)) == isOneway, "who wants no reply gets none: `\(text(frame))`")
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
