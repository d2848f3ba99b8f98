package import JSONText

/// The reply to `GetInfo`.
package struct GetInfoReply: Reply, Sendable, Hashable {
  package var vendor: String
  package var product: String
  package var version: String
  package var url: String
  package var interfaces: InterfaceSet

  package init(vendor: String, product: String, version: String, url: String, interfaces: InterfaceSet) {
    self.vendor = vendor
    self.product = product
    self.version = version
    self.url = url
    self.interfaces = interfaces
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("vendor", vendor)
    writer.member("product", product)
    writer.member("version", version)
    writer.member("url", url)
    writer.member("interfaces", interfaces.interfaces.map(\.rawValue))
  }
}

/// The reply to `GetInterfaceDescription`: the file itself.
package struct GetInterfaceDescriptionReply: Reply, Sendable, Hashable {
  package let interface: Interface

  /// The description of an interface that the socket serves; any other is `InterfaceNotFound`.
  package init(_ call: GetInterfaceDescriptionCall, in served: InterfaceSet) throws(ServiceError) {
    guard let interface = Interface(rawValue: call.interface), served.contains(interface) else {
      throw .interfaceNotFound(shortened(call.interface.utf8.span))
    }
    self.interface = interface
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("description")
    writer.value(interface.file)
  }
}
