/// The keys that auto events get beside those of their own (dialects 7).
enum PulseWord: UInt8, DraftedWord {
  case isBackground, subSIDs, key, sid

  var text: StaticString {
    switch self {
    case .isBackground: "is_background"
    case .subSIDs: "sub_sids"
    case .key: "key"
    case .sid: "sid"
    }
  }
}
