/// The organisation as notices of apps show it, by the policy's `texts`: each value may be missing.
///
///     Organization(name: "Contoso", contact: "the help desk", contactLink: "mailto:help@contoso.com")
///
/// The attack: a link or a colour that a page takes for markup. The policy's reader lets only `https:`, `mailto:` and `tel:`
/// links pass, and colours of six digits; clients check that again.
package struct Organization: Sendable, Hashable {
  /// Its name, standing alone.
  package var name: String?
  /// The person to ask, in a sentence.
  package var contact: String?
  /// Where that person is reached.
  package var contactLink: String?
  /// The colour of buttons on a light page, `#rrggbb`, and on a dark one.
  package var color: String?
  package var darkColor: String?

  package init(
    name: String? = nil, contact: String? = nil, contactLink: String? = nil, color: String? = nil,
    darkColor: String? = nil
  ) {
    (self.name, self.contact, self.contactLink) = (name, contact, contactLink)
    (self.color, self.darkColor) = (color, darkColor)
  }
}
