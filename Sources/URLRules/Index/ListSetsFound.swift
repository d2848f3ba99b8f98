/// The sets of host lists that a decision's two URLs are in, looked up once.
struct ListSetsFound {
  /// The set of the URL that is judged.
  let url: UInt32
  /// The set of the page or hop that led here.
  let from: UInt32
}
