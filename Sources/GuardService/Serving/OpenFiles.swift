internal import Glibc

/// The number of files this process may have open.
enum OpenFiles {
  /// Raises the limit to the most that the system allows: connections are capped by our own quotas, and a daemon that
  /// cannot accept spins.
  static func allowAll() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }

  /// Number of connections that leaves enough files for everything else: administrators, log, state, configuration.
  static var roomForConnections: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return max(1, Int(clamping: limit.rlim_cur) - reserve)
  }

  /// Files that are not connections of apps: 64 of administrators, and as many again.
  private static let reserve = 128

  /// Whether no further file can be opened.
  static var isExhausted: Bool {
    let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor < 0 else {
      close(descriptor)
      return false
    }
    return errno == EMFILE || errno == ENFILE
  }
}
