internal import Platform

/// The systemd unit of a process, read from its control group.
package enum ProcessUnit {
  /// `contoso-kiosk.service` for a process in `/system.slice/contoso-kiosk.service`; nil outside units.
  package static func unit(of pid: Int32) -> String? {
    guard pid > 0, let text = SmallFile.text(at: "/proc/\(pid)/cgroup", maximum: 16_384) else { return nil }
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[1].isEmpty || fields[1] == "name=systemd" else { continue }
      if let unit = unit(inPath: fields[2]) { return unit }
    }
    return nil
  }

  /// The innermost service or scope of a control group path.
  package static func unit(inPath path: Substring) -> String? {
    path.split(separator: "/").last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }.map(String.init)
  }
}
