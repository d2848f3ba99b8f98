/// A place that data is saved to or opened from (ledger SL-05, OL-03).
///
/// One enumeration for both directions, and names on the wire, never numbers: the SDK gives like-named places different
/// numbers in each direction (D-17).
public enum Location: UInt8, Sendable, Hashable, CaseIterable {
  /// An untrusted place: the Downloads folder, a USB stick, an unknown host.
  case other = 0
  case oneDriveForBusiness
  case sharePoint
  case box
  case dropbox
  case googleDrive
  case iManage
  case egnyte
  /// A place of the organisation that has no name here, reached with an account of it (SL-09).
  case accountDocument
  /// Storage that only the app itself reads; files that a person sees in a file manager are `other` (SL-07, OL-05).
  case localStorage
  /// Existing pictures, and the storage for new ones (SL-08, OL-04).
  case photoLibrary
  /// A picture that the camera takes now; it cannot be saved to.
  case camera

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .other: "other"
    case .oneDriveForBusiness: "oneDriveForBusiness"
    case .sharePoint: "sharePoint"
    case .box: "box"
    case .dropbox: "dropbox"
    case .googleDrive: "googleDrive"
    case .iManage: "iManage"
    case .egnyte: "egnyte"
    case .accountDocument: "accountDocument"
    case .localStorage: "localStorage"
    case .photoLibrary: "photoLibrary"
    case .camera: "camera"
    }
  }

  /// Pictures belong to no account: a given one is ignored (SL-08, OL-04, D-16).
  package var takesAccount: Bool { self != .photoLibrary && self != .camera }
}

/// Some locations: `LocationSet([.sharePoint, .box]).contains(.box)` is true.
package struct LocationSet: OptionSet, Sendable, Hashable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package init(_ locations: some Sequence<Location>) {
    self.init(rawValue: locations.reduce(0) { $0 | 1 << UInt16($1.rawValue) })
  }

  package func contains(_ location: Location) -> Bool { rawValue & 1 << UInt16(location.rawValue) != 0 }

  /// In the order of the enumeration.
  package var locations: [Location] { Location.allCases.filter(contains) }

  /// The places that a policy may except from a block on saving (ledger SL-13).
  package static let listableForSave = LocationSet([
    .oneDriveForBusiness, .sharePoint, .box, .photoLibrary, .iManage, .egnyte, .localStorage,
  ])
  /// The places that a policy may except from a block on opening: the services of OL-08 that are set from the start,
  /// and the exceptions for saving.
  package static let listableForOpen = listableForSave.union(openDefault)
  /// The default exceptions from a block on opening (OL-08, D-30).
  package static let openDefault = LocationSet([.oneDriveForBusiness, .sharePoint, .camera, .photoLibrary])
}
