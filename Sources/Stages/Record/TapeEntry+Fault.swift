import Pipeline

/// Values that a reader cannot convert: a null in the drafted record that holds the code. So it
/// behaves like other values: a later key of its name overwrites it, and it counts as an attribute.
/// The validator adds the reason, at its path.
extension TapeEntry {
  /// A value, not yet appended, that the validator rejects with `code`.
  static func fault(_ code: ReasonCode, expected: ExpectedType = .nothing) -> TapeEntry {
    TapeEntry(
      start: Int(code.rawValue), length: Int(expected.rawValue), next: 0, kind: .null,
      flags: TapeEntry.faulty)
  }

  /// The reason why the value could not be converted; nil for valid values.
  var fault: ReasonCode? {
    kind == .null && flags & TapeEntry.faulty != 0
      ? ReasonCode(rawValue: UInt8(truncatingIfNeeded: start)) : nil
  }

  /// The expected type of a value that could not be converted, for the message.
  var expectedType: ExpectedType {
    fault == nil ? .nothing : ExpectedType(rawValue: UInt8(truncatingIfNeeded: length)) ?? .nothing
  }
}

/// The expected type of a value that has another one.
enum ExpectedType: UInt8 {
  case nothing
  case event, flag, label, tag, tags
  case item, itemOrObject, itemChange, untypedDate, untypedURL, native, topics, texts, noNull, id
  /// The values of typed keys (dialects 2).
  case boolean, integer, number, text, date, url, array, object, collection
  /// Values of mappings, times, and the amount of a transaction.
  case noObject, aValue, typedKey, amount
  case timeNumber
  case otherThanSeconds, otherThanMilliseconds, otherThanMicroseconds, otherThanNanoseconds

  /// The second half of the message about `entry`: the likely mistake, or what is expected.
  func detail(insteadOf entry: TapeEntry) -> StaticString? {
    let isText = self == .label || self == .tag || self == .native || self == .id
    let isList = self == .tags || self == .topics || self == .texts
    switch entry.kind {
    case .integer where isText, .double where isText: return "this is a number: write it in quotes"
    case .true where isText, .false where isText: return "this is a boolean: write it in quotes"
    case .string where isList:
      return #"this looks like a list in one text: write an array, as ["a","b"]"#
    default: return detail
    }
  }

  var detail: StaticString? {
    switch self {
    case .nothing, .id, .texts: nil
    case .event: "an event is an object"
    case .flag: "it is true or false"
    case .label: "a label is a text"
    case .tag: "a tag is a text"
    case .tags: "tags are an array of texts"
    case .item: "an item is a text"
    case .itemOrObject: "an item is a text or an object"
    case .itemChange:
      #"an object here has "$add", "$remove" or both, each an array, and nothing else"#
    case .untypedDate: "a date is a text or a number, seconds since 1970"
    case .untypedURL: "a URL is a text"
    case .native: "a native attribute is a text"
    case .topics: "topics are an array of texts"
    case .noNull: "an absent part of an event is omitted, not null"
    case .boolean: "a key with .b has true or false"
    case .integer: "a key with .i has a number without fraction and exponent"
    case .number: "a key with .f has a number"
    case .text: "a key with .s has a text"
    case .date: "a key with .t has a number, milliseconds since 1970"
    case .url: "a key with .u has a text"
    case .array: "a key with .a has an array"
    case .object: "a key with .o has an object"
    case .collection: "a key with t. has an array of texts"
    case .noObject: "an attribute of a profile must not be an object"
    case .aValue: "an added item has a value other than null"
    case .typedKey:
      """
      it ends with a dot and the letter of the type of the value, one of b, i, f, s, t, u, a \
      and o
      """
    case .amount: "an amount is a number"
    case .timeNumber: "the mapping names a unit, so a time is a number; for text it names none"
    case .otherThanSeconds: #"the number looks like seconds: the mapping needs "unit":"s""#
    case .otherThanMilliseconds:
      #"the number looks like milliseconds: the mapping needs "unit":"ms""#
    case .otherThanMicroseconds:
      #"the number looks like microseconds: the mapping needs "unit":"us""#
    case .otherThanNanoseconds:
      #"the number looks like nanoseconds: the mapping needs "unit":"ns""#
    }
  }
}
