import Pipeline

/// What the names of members mean in auto events (dialects 7), found out once per name: at the root
/// of the line, in `data`, in the described parts, and in `additional_ids`.
///
/// ```
/// position at the root 8 | part of `data` 5 | part of `scroll_info` 5 | is `type` 1 | identity 7
/// 0 = none, root: 255
/// ```
/// Made for one line; the memory is the reader's.
struct PulseNames {
  /// What a line has at its root.
  enum Field: UInt8, DialectField {
    case eventType, timestamp, background, subSIDs, data, userID, deviceID, date

    var name: StaticString {
      switch self {
      case .eventType: "event_type"
      case .timestamp: "timestamp"
      case .background: "is_background"
      case .subSIDs: "sub_sids"
      case .data: "data"
      case .userID: "userId"
      case .deviceID: "device_id"
      case .date: "date"
      }
    }
  }

  private static let dataShift: UInt32 = 8
  private static let scrollShift: UInt32 = 13
  private static let typeShift: UInt32 = 18
  private static let identityShift: UInt32 = 19
  private static let partBits: UInt32 = 31

  private let cache: NameInfoCache<UInt32>
  /// Which members of `additional_ids` say whose the event is.
  let keys: IdentityKeys

  init(_ cache: NameInfoCache<UInt32>, _ keys: IdentityKeys) {
    self.cache = cache
    self.keys = keys
  }

  private static func info(of name: ByteView, _ keys: IdentityKeys) -> UInt32 {
    func part(of parent: PulsePart?) -> UInt32 {
      PulsePart(name, of: parent).map { UInt32($0.rawValue) + 1 } ?? 0
    }
    return Field.index(of: name) | part(of: nil) << dataShift | part(of: .scrollInfo)
      << scrollShift
      | (name == "type" ? 1 << typeShift : 0)
      | IdentitySearch.info(of: name, keys) << identityShift
  }

  @inline(__always)
  private func info(of key: TapeEntry, in tape: Tape) -> UInt32 {
    cache.info(of: key.number, in: tape) { Self.info(of: tape.bytes(key), keys) }
  }

  /// Takes the members out of those of the root that nobody knows.
  func take(from root: RootFields, of tape: Tape) -> DialectFields<Field> {
    root.take(Field.self, of: tape, cache) { Self.info(of: $0, keys) }
  }

  /// The part that the member with this key is: of `data` when `parent` is nil, else of that part.
  @inline(__always)
  func part(_ key: TapeEntry, of parent: PulsePart?, in tape: Tape) -> PulsePart? {
    let info = info(of: key, in: tape)
    let number: UInt32
    switch parent {
    case nil: number = info >> Self.dataShift & Self.partBits
    case .scrollInfo: number = info >> Self.scrollShift & Self.partBits
    case .element: return info >> Self.typeShift & 1 == 0 ? nil : .elementType
    case .gestureParams: return info >> Self.typeShift & 1 == 0 ? nil : .gestureType
    default: return nil
    }
    return number == 0 ? nil : PulsePart(rawValue: UInt8(truncatingIfNeeded: number &- 1))
  }

  /// Has `search` note the ids among the members of the object at `node`.
  func note(_ node: Int, of tape: Tape, in search: IdentitySearch) {
    search.begin()
    tape.forEachMember(of: node) { key in
      search.note(key, info: info(of: tape[key], in: tape) >> Self.identityShift, of: tape)
    }
  }
}
