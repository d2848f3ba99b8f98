internal import Glibc

/// How many files this process may have open.
enum OpenFiles {
  /// Takes what the system allows at most: connections are capped by our own quotas, and a daemon that cannot accept
  /// spins.
  static func allowAll() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }
}
