package import Pipeline

/// Reads the lines of a state (SPEC 8) into registers for the shards that own the keys.
///
/// The format, design constraints first:
/// 1. It holds all mergeable truth and nothing that is forgotten, so that equal truth gives equal
///    bytes, whatever happened on the way.
/// 2. One line is one key; the lines of a part are sorted by the bytes of the key text.
/// 3. A line begins with `key`; the other members, and those of every object, are sorted by bytes.
///    Times are integers, milliseconds since 1970. Empty parts are left out.
/// 4. What is implied is not written: `first` when it is `last`, `count` of an event when it is 1.
///
/// ```
/// {"key":"custom:ID","attributes":{KEY:ATTRIBUTE},"clear":T,"events":{NAME:EVENT},
///  "first":T,"last":T,"touched":true}
/// {"key":"install:ID",… the same …,"link":{"custom_id":ID,"time":T}}
/// {"key":"event:NAME","count":N,"dialects":{"v1":N},"duplicates":N,"first":T,"last":T}
/// {"key":"anonymous:HEX","name":NAME,"time":T}
///
/// ATTRIBUTE = {"add":{ITEM:T},"form":"date"|"url","remove":{ITEM:T},"set":VALUE,"time":T,"unset":true}
/// EVENT     = {"count":N,"first":T,"ids":{HEX:T},"last":T,"value":{…}}
/// ```
/// `touched` marks a key that nothing was seen of and that still has a state (a link-only record).
/// `form` is left out for plain keys. `set` or `unset` stand with `time`, never both; an attribute
/// of which only items are known has neither. HEX are the 32 digits of the fingerprint of an event
/// id, kept only with `--dedupe-days`.
///
/// A reader belongs to one thread; several readers may share the lines of a part.
package struct StateReader: ~Copyable {
  /// The greatest count a line may hold; sums of many parts still fit an integer.
  package static let maximumCount = 1 << 48

  let path: String
  let header: StateHeader
  let shards: Int
  var eventNames: NameCache
  var attributeKeys: NameCache
  var line = 0

  /// A reader of lines of the part at `path` for `shards` shards.
  package init(path: String, header: StateHeader, names: RunNames, shards: Int) {
    self.path = path
    self.header = header
    self.shards = shards
    eventNames = NameCache(of: names.events)
    attributeKeys = NameCache(of: names.attributes)
  }

  /// Reads the line number `line` (1-based, the header being 1) whose root object is the entry
  /// `root` of `tape`, and appends its registers to the slice of the shard that owns its key.
  ///
  /// - Throws: `Failure` of kind corrupt when the line does not fit the format; what was appended
  ///   before stays in the slices.
  package mutating func read(
    root: Int, of tape: Tape, line: Int, into slices: [StateSlice]
  ) throws(Failure) {
    precondition(slices.count == shards, "one slice per shard")
    self.line = line
    guard tape[root].kind == .object, Int(tape[root].next) > root + 1,
      tape.bytes(at: root + 1) == "key", tape[root + 2].kind == .string
    else { throw corrupt("the line does not begin with a key") }
    let key = tape.bytes(at: root + 2)
    let hash = XXH64.hash(key)
    guard Int(hash % UInt64(header.partitions)) == header.partition else {
      throw corrupt("the key belongs to another partition")
    }
    let first = root + 3
    let end = Int(tape[root].next)
    if let name = rest(of: key, after: "event:") {
      let owner = slices[ShardRoute.shard(of: hash, count: shards)]
      try readTotal(name, first..<end, of: tape, into: owner)
    } else if let digits = rest(of: key, after: "anonymous:") {
      guard let id = StateNumber.fingerprint(digits) else { throw corrupt("the id is no hash") }
      let owner = slices[ShardRoute.shard(of: id.low, count: shards)]
      try readAnonymous(id, first..<end, of: tape, into: owner)
    } else {
      let isInstallation = rest(of: key, after: "install:") != nil
      guard isInstallation || rest(of: key, after: "custom:") != nil else {
        throw corrupt("the key is of no known kind")
      }
      let owner = slices[ShardRoute.shard(of: hash, count: shards)]
      let entry = StateEntry(
        kind: .seen, keyStart: owner.bytes.count, keyLength: key.count, keyHash: hash)
      owner.bytes.append(key)
      try readKey(
        entry, isInstallation: isInstallation, first..<end, of: tape, into: owner)
    }
  }

  private func rest(of key: ByteView, after prefix: StaticString) -> ByteView? {
    let prefix = ByteView(prefix)
    return key.starts(with: prefix) && key.count > prefix.count
      ? key.dropFirst(prefix.count) : nil
  }

  private mutating func readTotal(
    _ name: ByteView, _ members: Range<Int>, of tape: Tape, into slice: StateSlice
  ) throws(Failure) {
    var entry = StateEntry(kind: .total, name: try eventName(name), time: -1, last: -1)
    var place = members.lowerBound
    while place < members.upperBound {
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "count" {
        entry.count = try count(value, tape)
      } else if member == "duplicates" {
        entry.duplicates = try count(value, tape)
      } else if member == "first" {
        entry.time = try time(value, tape)
      } else if member == "last" {
        entry.last = try time(value, tape)
      } else if member == "dialects" {
        try readDialects(entry.name, value, of: tape, into: slice)
      } else {
        throw corrupt("a total has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    if entry.time < 0 { entry.time = entry.last }
    guard entry.last >= 0, entry.last >= entry.time else {
      throw corrupt("a total lacks its times")
    }
    slice.entries.append(entry)
  }

  private func readDialects(
    _ name: UInt32, _ object: Int, of tape: Tape, into slice: StateSlice
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("dialects are no object") }
    var place = object + 1
    while place < Int(tape[object].next) {
      let text = tape.bytes(at: place).text
      guard let dialect = Dialect.allCases.first(where: { $0.name == text }) else {
        throw corrupt("a dialect is not known")
      }
      slice.entries.append(
        StateEntry(
          kind: .dialect, dialect: dialect, name: name, count: try count(place + 1, tape)))
      place = Int(tape[place].next)
    }
  }

  private mutating func readAnonymous(
    _ id: Fingerprint, _ members: Range<Int>, of tape: Tape, into slice: StateSlice
  ) throws(Failure) {
    var entry = StateEntry(kind: .id, time: -1, id: id)
    var hasName = false
    var place = members.lowerBound
    while place < members.upperBound {
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "name", tape[value].kind == .string {
        entry.name = try eventName(tape.bytes(at: value))
        hasName = true
      } else if member == "time" {
        entry.time = try time(value, tape)
      } else {
        throw corrupt("an anonymous id has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    guard hasName, entry.time >= 0 else { throw corrupt("an anonymous id is incomplete") }
    slice.entries.append(entry)
  }
}
