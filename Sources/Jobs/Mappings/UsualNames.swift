/// How usual a path is for a field of a mapping.
enum UsualNames {
  case time, name, person, installation, event, attributes

  /// The usual ends of paths in words, the most certain first.
  private var ends: [String] {
    switch self {
    case .time:
      [
        "event time", "event timestamp", "timestamp", "occurred at", "time", "ts", "date time",
        "created at", "created", "published", "date", "at", "when", "dt", "utc",
      ]
    case .name:
      [
        "event name", "event type", "event", "event key", "action name", "action type", "action",
        "activity", "verb id", "verb", "operation", "type", "kind", "name", "label", "topic",
        "method", "command", "message type", "what", "msg",
      ]
    case .person:
      [
        "user id", "customer id", "custom id", "member id", "distinct id", "player id", "uid",
        "account id", "user key", "user name", "user login", "user email", "user", "actor id",
        "actor login", "actor", "customer", "profile id", "contact id", "author id",
        "author login", "sender id", "sender", "login", "email", "principal id", "arn", "sub",
        "author", "performer",
      ]
    case .installation:
      [
        "device id", "installation id", "install id", "anonymous id", "visitor id", "client id",
        "user pseudo id", "cookie id", "device uuid", "session id", "session", "visit id",
      ]
    case .event:
      [
        "event id", "message id", "insert id", "event uuid", "uuid", "guid", "id",
      ]
    case .attributes:
      [
        "properties", "attributes", "event properties", "parameters", "params", "data", "payload",
        "props", "fields", "segmentation", "details", "event data", "context",
      ]
    }
  }

  /// Words that say that a path is for something else.
  private var others: Set<String> {
    switch self {
    case .time:
      [
        "birth", "end", "ended", "expires", "expiry", "expiration", "install", "joined", "last",
        "modified", "next", "previous", "processed", "received", "registered", "registration",
        "sent", "server", "signup", "updated", "upload", "user", "account", "customer", "profile",
      ]
    case .name:
      [
        "account", "actor", "app", "author", "browser", "campaign", "city", "country", "customer",
        "device", "file", "first", "host", "last", "location", "os", "page", "product", "screen",
        "user", "content", "item",
      ]
    default: []
    }
  }

  /// Least fit of a path whose name alone says what it is.
  static let certain = 0.9

  /// 1 for the most usual path, less for others, 0 for one that is not usual.
  func fit(_ path: [String]) -> Double {
    // Names such as `$date` are of the form of a value.
    let words = path.filter { $0 != "*" && !$0.hasPrefix("$date") && $0 != "$oid" }
      .map(Self.words)
    let all = words.joined()
    let last = words.last?.joined() ?? ""
    let rank = ends.firstIndex { end in
      let end = end.split(separator: " ").map(String.init)
      // A `createdDate` is a time, but an `itemType` or a `screenName` is no event.
      return last == end.joined()
        || (self == .time || end.count > 1) && all.suffix(end.count).elementsEqual(end)
    }
    guard let rank else { return 0 }
    let fit = 1 - Double(rank) / Double(2 * ends.count)
    guard all.contains(where: others.contains) else { return fit }
    return self == .time ? fit / 4 : 0
  }

  /// The words of a name in lower case: `eventType`, `event_type`.
  private static func words(_ name: String) -> [String] {
    var words: [String] = []
    var isInWord = false
    var isInCapitals = false
    for character in name {
      let isCapital = character.isUppercase
      if isInWord && (!isCapital || isInCapitals) && (character.isLetter || character.isNumber) {
        words[words.count - 1] += character.lowercased()
      } else if character.isLetter || character.isNumber {
        words.append(character.lowercased())
      }
      isInWord = character.isLetter || character.isNumber
      isInCapitals = isCapital
    }
    return words
  }
}
