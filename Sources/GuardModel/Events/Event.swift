internal import Bytes

/// The frame that a navigation concerns. Engines do not always tell the page from a frame inside it.
public enum Frame: UInt8, Sendable, Hashable, CaseIterable {
  case unknown = 0
  case main
  case sub
  /// None: the page loads a part of itself, such as an image, a script or a socket.
  case resource

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .main: "main"
    case .sub: "sub"
    case .resource: "resource"
    }
  }
}

/// One question of an app, with all its statements.
///
/// The texts lie one behind the other in a single buffer that is kept between questions, so that reading a message into
/// an event that was used before allocates nothing. A text that the app left out has the slot `nil`.
///
///     var event = Event(.navigate)
///     event.viewer = event.append("E")
///     event.url = event.append("https://docs.contoso.com/d/42")
package struct Event: Sendable, Hashable {
  package var kind: EventKind
  private var text = GrowingBytes()

  /// The viewer's name, as the app registered it.
  package var viewer: TextSlot?
  /// The URL the navigation goes to, as the engine wrote it.
  package var url: TextSlot?
  /// The URL of the page or hop that led here.
  package var from: TextSlot?
  /// The app's own id for one thing the user did.
  package var action: TextSlot?
  /// The request method; absent counts as GET.
  package var method: TextSlot?
  /// The display of the selection, such as `:0`.
  package var display: TextSlot?
  /// The MIME types on offer, comma separated, for the log.
  package var formats: TextSlot?
  /// The account that owns the data, if that is not the viewer's own; `""` is none.
  package var owner: TextSlot?
  /// The word of the file's label, and of the table of files without one, about the owner.
  package var labelOwner = FileOwnerClaim.none
  package var keptOwner = FileOwnerClaim.none
  /// The URL that the file was downloaded from (`user.xdg.origin.url`).
  package var origin: TextSlot?
  /// The account that the place belongs to; without it, the place is unmanaged (ledger SL-03).
  package var locationAccount: TextSlot?
  /// The path of the file, as the app opened it.
  package var path: TextSlot?
  /// The other program: an app of the policy, or the name of a desktop file.
  package var peer: TextSlot?
  /// The account that the other program acts for; without it, the program is unmanaged.
  package var peerAccount: TextSlot?

  package var frame = Frame.unknown
  /// A server redirect inside a navigation.
  package var hop = Ternary.unknown
  /// Whether a person's click or key led to it.
  package var gesture = Ternary.unknown
  /// The engine says: no load, only a move inside the document.
  package var isSameDocument = false
  /// The navigation would open a new window; `viewer` is its opener.
  package var opensWindow = false

  package var selection = Selection.unknown
  package var isCut = false
  /// Length of the text in Unicode scalars; nil when the app cannot tell. Content is never sent.
  package var length: Int?
  package var offersPlainText = true
  /// `ClipboardChanged`: whether the asking app itself owns the selection now.
  package var selfOwned = Ternary.unknown
  package var clip = ClipClaim.none
  /// `ClipboardChanged`: the copy that the app saw happen; nil when it names none, or not one of our proposals.
  package var proposal: ProposalID?

  /// The place that data goes to or comes from.
  package var location = Location.other
  /// Saved where it came from, or opened where it is edited: nothing moves.
  package var isInPlace = false
  package var channel = Channel.unknown
  package var capture = CaptureKind.unknown
  /// The result of the app's content scanner for a copy.
  package var inspection = Inspection.none

  /// Copy and paste: in the page, or in the program's own fields around it.
  package var surface = Surface.content
  /// `Share`, `Save`, `Open`: asks whether the app may show the sheet or dialogue in which a person then chooses.
  package var isChooser = false
  /// A question for drawing a menu: it has no effect, and no record.
  package var isProbe = false

  /// Copy, `ClipboardChanged`: the app will get no answer, so that its question or report only raises protection.
  package var isWithheld = false

  /// The abilities of the program that the asking connection lacks. The attack: a part of the program that joined it, and that
  /// wraps no clips, is answered as one that does, and every program reads the clip.
  package var lacking: ClientFeatures = []
  /// Notes unreadable parts, such as a word that only a newer daemon knows.
  package var notes: DecisionNotes = []
  /// The connection's scope identity.
  package var scope = Identity.absent
  /// Milliseconds since 1970, as the shell saw them: the engine has no clock.
  package var time: UInt64 = 0

  package init(_ kind: EventKind = .unknown) { self.kind = kind }

  /// Forgets everything but the buffer's capacity.
  package mutating func reset(to kind: EventKind) {
    var fresh = Event(kind)
    swap(&fresh.text, &text)
    fresh.text.removeAll()
    self = fresh
  }

  /// The same event with a buffer of its own, no larger than its texts: to be kept.
  package func compacted() -> Event {
    var copy = self
    copy.text = GrowingBytes(copying: text.span)
    return copy
  }

  /// Copies bytes behind the others; returns their slot.
  package mutating func append(_ bytes: Span<UInt8>) -> TextSlot {
    let start = text.count
    text.append(copying: bytes)
    return TextSlot(lower: Int32(start), upper: Int32(text.count))
  }

  package mutating func append(_ string: String) -> TextSlot { append(string.utf8.span) }

  /// Bytes of all its texts.
  package var textCount: Int { text.count }

  /// The bytes of a slot.
  @_lifetime(borrow self)
  package func bytes(_ slot: TextSlot) -> Span<UInt8> {
    text.span.extracting(Int(slot.lower)..<Int(slot.upper))
  }

  /// The text of a slot, for people: invalid UTF-8 becomes U+FFFD.
  package func string(_ slot: TextSlot?) -> String? {
    guard let slot else { return nil }
    return bytes(slot).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}

/// The range of one text of an event in its buffer.
package struct TextSlot: Sendable, Hashable {
  package var lower: Int32
  package var upper: Int32

  package init(lower: Int32, upper: Int32) {
    self.lower = lower
    self.upper = upper
  }

  /// A range beyond what 32 bits hold is cut there.
  package init(_ range: Range<Int>) {
    self.init(lower: Int32(clamping: range.lowerBound), upper: Int32(clamping: range.upperBound))
  }

  /// Bytes.
  package var count: Int { Int(upper - lower) }

  package var range: Range<Int> { Int(lower)..<Int(upper) }
}

/// The owner of a file by its label or by the table. The shell reads labels; the engine gets an account's name.
///
/// It speaks only of owners that are managed: no label says that a file is nobody's.
package enum FileOwnerClaim: Sendable, Hashable {
  /// There is no label, or the table does not have the file.
  case none
  /// The bytes of a label, or the facts of a file, that nobody looked at yet. They count as `unknown`.
  case unread(TextSlot)
  /// A managed owner that nobody can name: the label is forged, broken, another person's or another machine's.
  case unknown
  case account(TextSlot)

  package var isNone: Bool { if case .none = self { true } else { false } }

  fileprivate var account: TextSlot? { if case .account(let slot) = self { slot } else { nil } }
}

extension Event {
  /// Something says of a file whose it is, beside the app's word.
  package var hasFileOwner: Bool { !labelOwner.isNone || !keptOwner.isNone || origin != nil }

  /// The account that the label names, else the table's.
  package var namedFileOwner: TextSlot? { labelOwner.account ?? keptOwner.account }
}

/// A truth that may not be known. Engines do not always tell, and a rule that lacks its context cannot be decided.
///
/// The zero value is `unknown`, the one that never makes an answer weaker.
package enum Ternary: UInt8, Sendable, Hashable {
  case unknown = 0
  case no
  case yes

  package init(_ known: Bool) { self = known ? .yes : .no }

  /// `Ternary(nil)` is `unknown`.
  package init(_ value: Bool?) {
    guard let value else {
      self = .unknown
      return
    }
    self = value ? .yes : .no
  }
}
