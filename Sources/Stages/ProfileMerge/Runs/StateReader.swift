package import Pipeline

/// Reads the lines of a state (data-model 13).
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
/// {"key":"anonymous:HEX20","name":NAME,"source":HEX12,"time":T}       time left out: it has none
/// {"key":"custom:ID","at":{"place":PLACE,"time":T},"attributes":{KEY:ATTRIBUTE},"clear":T,
///  "events":{NAME:EVENT},"first":T,"last":T,"touched":true}
/// {"key":"install:ID",… the same …,"consent":{"opted_out":true|false,"time":T},"erase":T,
///  "erased":[HEX32],"latest_link":LINK,"link":LINK,"unlinked":true}
///
/// ATTRIBUTE = {"add":{ITEM:T},"form":"date"|"url","remove":{ITEM:T},"set":VALUE,"time":T,
///              "unset":true}
/// EVENT     = {"count":N,"first":T,"ids":{HEX32:T|null},"last":T,"untimed":N,"value":{…}}
/// LINK      = {"custom_id":ID,"time":T}
/// PLACE     = {"latitude":N,"longitude":N,"accuracy":N}
/// ```
/// `touched` marks a key that nothing was seen of and that still has a state (a link-only record).
/// `form` is left out for plain keys. `set` or `unset` stand with `time`, never both; an attribute
/// of which only items are known has neither. HEX20 are 80 bits of the fingerprint of an event id,
/// HEX12 the input it came with (``InputSourceID``), HEX32 both; kept only with `--dedupe-days`.
/// `erase` is the latest erase mark, and `erased` hashes of the names of events that it was about
/// (``KeyRegisters/erased(_:of:)``). `link` is the one that counts, the earliest, and `latest_link`
/// the latest, if it is another; with `unlinked` a link was erased, and `link` is the latest, if
/// there is one (``InstallationLinks``). PLACE is written as it is published. `untimed` tells how
/// many of the `count` events have no time (dialects 5); if all of them, there is neither `first`
/// nor `last`. The id of such an event has no time, either.
///
/// A reader belongs to one thread; several readers may share the lines of a part.
package struct StateReader: ~Copyable {
  /// The greatest count a line may hold; sums of many parts still fit an integer.
  package static let maximumCount = 1 << 48

  let path: String
  let header: StateHeader
  private let keepsIDs: Bool
  /// How many names of each kind there are, when no more may come.
  let knownNames: (events: Int, attributes: Int)
  var eventNames: NameCache
  var attributeKeys: NameCache
  var line = 0
  /// The records of the line.
  var records = ByteBuffer(capacity: 1 << 12)
  /// The key texts of the people that the line's link and its latest link name.
  var person = ByteBuffer()
  var latestPerson = ByteBuffer()
  /// A value as it is written in outputs.
  var value = ByteBuffer()

  /// A reader of lines of the part at `path`. Without `keepsIDs` ids are passed over: without
  /// `--dedupe-days` the scope of an id is one run (data-model 12). With `known` no other names may
  /// stand in the lines.
  package init(
    path: String, header: StateHeader, names: RunNames, keepsIDs: Bool,
    known: SnapshotNames? = nil
  ) {
    knownNames = (known?.events.count ?? .max, known?.attributes.count ?? .max)
    self.path = path
    self.header = header
    self.keepsIDs = keepsIDs
    eventNames = NameCache(of: names.events)
    attributeKeys = NameCache(of: names.attributes)
  }

  /// Reads the line number `line` (1-based, the header being 1) whose root object is the entry
  /// `root` of `tape`; nil for an id that is passed over. The state is valid until the next line is
  /// read.
  ///
  /// - Throws: `Failure` of kind corrupt when the line does not fit the format.
  package mutating func read(root: Int, of tape: Tape, line: Int) throws(Failure) -> KeyState? {
    self.line = line
    guard tape[root].kind == .object, Int(tape[root].next) > root + 1,
      tape.bytes(at: root + 1) == "key", tape[root + 2].kind == .string
    else { throw corrupt("the line does not begin with a key") }
    let key = tape.bytes(at: root + 2)
    guard KeyHash.partition(XXH64.hash(key), of: header.partitions) == header.partition else {
      throw corrupt("the key belongs to another partition")
    }
    let members = root + 3..<Int(tape[root].next)
    guard let section = KeySection(of: key), section.id(of: key).count > 0 else {
      throw corrupt("the key is of no known kind")
    }
    records.removeAll()
    if section == .anonymous {
      return keepsIDs ? try readAnonymous(key, members, of: tape) : nil
    }
    return try readKey(key, section, members, of: tape)
  }

  /// Reads the members of a total.
  func readTotal(
    _ name: UInt32, _ members: Range<Int>, of tape: Tape
  ) throws(Failure) -> StateTotal {
    var total = StateTotal(name: name)
    var seen = Seen(first: -1, last: -1)
    var place = members.lowerBound
    while place < members.upperBound {
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "count" {
        total.total.count = try count(value, tape)
      } else if member == "duplicates" {
        total.total.duplicates = try count(value, tape)
      } else if member == "first" {
        seen.first = try time(value, tape)
      } else if member == "last" {
        seen.last = try time(value, tape)
      } else if member == "profiles" {
        total.profiles = try count(value, tape)
      } else if member == "dialects" {
        total.dialects = try readDialects(value, of: tape)
      } else if member == "source_names" {
        guard let names = SourceNames(of: tape, at: value) else {
          throw corrupt("source names are no sorted list of a few names")
        }
        total.sourceNames = names
      } else {
        throw corrupt("a total has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    // Events without time are counted and never seen.
    if total.isEmpty || seen.first >= 0 || seen.last >= 0 {
      total.total.seen = try times(seen, of: "a total")
    }
    return total
  }

  private func readDialects(
    _ object: Int, of tape: Tape
  ) throws(Failure) -> [(dialect: Dialect, count: Int)] {
    guard tape[object].kind == .object else { throw corrupt("dialects are no object") }
    var dialects: [(dialect: Dialect, count: Int)] = []
    try tape.forEachMember(of: object) { place throws(Failure) in
      let text = tape.bytes(at: place).text
      guard let dialect = Dialect(named: text) else {
        throw corrupt("a dialect is not known")
      }
      dialects.append((dialect, try count(place + 1, tape)))
    }
    return dialects
  }

  private mutating func readAnonymous(
    _ key: ByteView, _ members: Range<Int>, of tape: Tape
  ) throws(Failure) -> KeyState {
    var digits = ByteBuffer()
    digits.append(KeySection.anonymous.id(of: key))
    var time = EventTime.absent
    var name: UInt32?
    var place = members.lowerBound
    while place < members.upperBound {
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "name", tape[value].kind == .string {
        name = try eventName(tape.bytes(at: value))
      } else if member == "source", tape[value].kind == .string {
        digits.append(tape.bytes(at: value))
      } else if member == "time" {
        time = try self.time(value, tape)
      } else {
        throw corrupt("an anonymous id has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    guard let id = StateNumber.eventID(digits.view) else {
      throw corrupt("the id is no hash")
    }
    guard let name, time >= 0 else { throw corrupt("an anonymous id is incomplete") }
    Mutation(id, isEarlier: true, name: name, time: time).append(to: &records)
    var state = KeyState(key: key)
    state.records = records.view
    return state
  }

  /// Appends the ids of the object `ids` of events with the name `name`.
  mutating func readIDs(
    of name: UInt32, _ ids: Int, _ tape: Tape
  ) throws(Failure) {
    guard keepsIDs else { return }
    try tape.forEachMember(of: ids) { place throws(Failure) in
      guard let id = StateNumber.eventID(tape.bytes(at: place)) else {
        throw corrupt("an event id is no hash")
      }
      let isUntimed = tape[place + 1].kind == .null
      let time = isUntimed ? EventTime.absent : try time(place + 1, tape)
      Mutation(id, isEarlier: true, name: name, time: time).append(to: &records)
    }
  }
}
