package import JSONText

/// The answer to a call: the parameters of its reply.
package protocol Reply {
  /// Writes the members of the parameters object, in the order of the interface file, without those that are null.
  func writeParameters(to writer: inout JSONWriter)
}

/// The reply of a method that has nothing to say.
package struct EmptyReply: Reply, Sendable, Hashable {
  package init() {}

  package func writeParameters(to writer: inout JSONWriter) {}
}

extension JSONWriter {
  /// Writes a reply and its NUL.
  ///
  ///     writer.answer(EmptyReply())                     // {"parameters":{}} and a NUL
  ///     writer.answer(monitorReply, continues: true)    // more replies follow
  package mutating func answer(_ reply: some Reply, continues: Bool = false) {
    beginObject()
    key("parameters")
    beginObject()
    reply.writeParameters(to: &self)
    endObject()
    member("continues", ifTrue: continues)
    endObject()
    endDocument(0)
  }

  /// Writes an error reply and its NUL. Never for a oneway call.
  package mutating func answer(_ error: some CallError) {
    beginObject()
    member("error", error.qualifiedName)
    key("parameters")
    beginObject()
    error.writeParameters(to: &self)
    endObject()
    endObject()
    endDocument(0)
  }
}

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
