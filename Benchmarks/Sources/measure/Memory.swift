import Glibc

/// What this process holds of memory.
enum Memory {
  /// Resident bytes, also those that were freed and not given back.
  static func resident() throws(MeasureError) -> Int {
    let fields = try Corpus(path: "/proc/self/statm").text(0).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { throw .cannotRead("/proc/self/statm") }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
