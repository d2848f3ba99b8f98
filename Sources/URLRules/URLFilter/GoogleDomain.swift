/// The domains under which Google answers as itself: `google.com`, `google.co.uk`, `google.de` and so on.
///
/// `google.nope` is somebody else's, and so is `google.com.evil.example`: the list is closed.
///
/// Source: the top-level domains that Chromium counts as Google's (components/google/core/common), as of 2026.
enum GoogleDomain {
  /// Whether `host` is `google.` and one of Google's top-level domains, or the same with `www.` before it.
  static func isGoogle(_ host: String, allowingWWW: Bool) -> Bool {
    var name = host[...]
    if name.hasSuffix(".") { name = name.dropLast() }
    if allowingWWW, name.hasPrefix("www.") { name = name.dropFirst(4) }
    return name.hasPrefix("google.") && topLevelDomains.contains(String(name.dropFirst(7)))
  }

  private static let topLevelDomains: Set<String> = Set(
    plain.split(separator: " ").map { String($0) }
      + underCo.split(separator: " ").map { "co.\($0)" }
      + underCom.split(separator: " ").map { "com.\($0)" })

  /// Directly `google.` and this.
  private static let plain = """
    ac ad ae af ag al am as at aw az ba be bf bg bi bj bm bn bo bs bt by ca cat cc cd cf cg ch ci cl cm \
    cn co com cv cz de dj dk dm do dz ec ee es eu fi fm fr ga gd ge gf gg gl gm gp gr gw gy hk hn hr ht \
    hu ie im in info io iq is it it.ao je jo jobs jp kg ki km kr kz la li lk lt lu lv ma md me mg mh mk \
    ml mn mr ms mu mv mw mx ne ne.jp net ng nl no nr nu off.ai org pf ph pk pl pn ps pt qa re ro rs ru \
    rw sc se sg sh si sk sl sm sn so sr st sz td tel tg tk tl tm tn to tt tw ua us uz vg vn vu ws yt
    """

  /// `google.co.` and this.
  private static let underCo = """
    ao bw ck cr gy hu id il im in je jp ke kr ls ma mz nz rs th tz ug uk uz ve vi za zm zw
    """

  /// `google.com.` and this.
  private static let underCom = """
    af ag ai ar au bd bh bi bn bo br by bz cn co cu cy do dz ec eg er et fj ge gh gi gp gr gt gy hk ht \
    iq jm jo kh kw kz lb lv ly mm mt mx my na nc nf ng ni np nr om pa pe pg ph pk pl pr ps pt py qa ru \
    sa sb sg sl sv tj tm tn tr tw ua uy vc ve vn
    """
}
