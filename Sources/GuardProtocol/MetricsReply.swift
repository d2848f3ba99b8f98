package import JSONText

/// The reply to `Metrics`: text for Prometheus, format 0.0.4.
package struct MetricsReply: Reply, Sendable, Hashable {
  /// UTF-8.
  package var text: [UInt8]

  package init(text: [UInt8]) { self.text = text }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("text")
    writer.value(text.span)
  }
}
