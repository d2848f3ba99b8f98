internal import GuardModel
internal import URLRules
internal import URLStandard

/// A name that an app chose from the configuration, and where that stands now.
enum Choice: Sendable, Hashable {
  case none
  case index(Int32)
  /// Named once, gone since a reload: judged as strictly as what nobody registered.
  case missing
}

/// One web view, or a container of some, as its app registered it.
struct Viewer: Sendable {
  var name: [UInt8]
  var className: String?
  var viewerClass = Choice.none
  var kind = ViewerKind.embedded
  var parent: Int32?
  /// The viewer that opened this one; counts as its parent when there is none.
  var opener: Int32?
  /// The window it is in; nil takes its parent's.
  var window: [UInt8]?
  var tag = WebViewPolicy.unset
  var ruleSetName: String?
  var ruleSet = Choice.none
  /// What it shows, reduced as rules see it; nil is unknown.
  var document: URLRecord?
  /// URLs lately answered external here; none of them may become the document.
  var externals = RecentURLs()
  /// It shows a page that enforcing would not have opened.
  var isAdvised = false
  /// So does the window that it opened last.
  var opensAdvised = false
  /// How many others have it as parent or opener.
  var dependents = 0
  /// Forgotten by its app, kept for those that inherit from it.
  var isGhost = false

  /// No viewer at all: room for the next.
  var isVacant = false

  static let vacant = {
    var viewer = Viewer(name: [])
    viewer.isVacant = true
    return viewer
  }()

  /// Bytes that it takes, about: never far less than the truth.
  var byteCount: Int { Self.emptyBytes + 2 * name.count + (window?.count ?? 0) + (document?.bytes.count ?? 0) }

  /// What a viewer takes without its texts: its place, its name's, the last external URLs, the names of the policy.
  static let emptyBytes = 1024

  var holdsOnly: Bool { kind == .container || kind == .window }
}

/// Hashes of the URLs that were answered external last.
struct RecentURLs: Sendable {
  private var hashes: [Int] = []
  private var next = 0

  static let capacity = 32

  mutating func insert(_ record: borrowing URLRecord) {
    let hash = Self.hash(record)
    guard !hashes.contains(hash) else { return }
    if hashes.isEmpty { hashes.reserveCapacity(Self.capacity) }
    if hashes.count < Self.capacity {
      hashes.append(hash)
    } else {
      hashes[next] = hash
      next = (next + 1) % Self.capacity
    }
  }

  /// The URL was answered internal since.
  mutating func remove(_ record: borrowing URLRecord) {
    guard !hashes.isEmpty else { return }
    let hash = Self.hash(record)
    if let index = hashes.firstIndex(of: hash) { hashes[index] = 0 }
  }

  func contains(_ record: borrowing URLRecord) -> Bool {
    !hashes.isEmpty && hashes.contains(Self.hash(record))
  }

  private static func hash(_ record: borrowing URLRecord) -> Int {
    var hasher = Hasher()
    record.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize() | 1
  }
}
