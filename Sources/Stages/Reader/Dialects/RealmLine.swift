import Pipeline

/// The members of one line of dialect `realm`: those of the library, and metadata, which is all the others
/// (DIALECTS 2.2). Tape indices of values, -1 = absent or null; of repeated members the last counts.
struct RealmLine {
  private(set) var id: Int32 = -1
  private(set) var timestamp: Int32 = -1
  private(set) var activity: Int32 = -1
  private(set) var event: Int32 = -1
  private(set) var data: Int32 = -1
  private var search: IdentitySearch
  private let root: RootMembers
  private var userID: Int32 = -1
  private var deviceID: Int32 = -1
  private let scratch: RealmScratch

  /// What a name is at the root of a line: the lowest bits of its meaning. Above them stands what it is to the search
  /// for ids.
  private enum Name: UInt32 {
    case metadata, id, timestamp, activity, event, data
    /// About the database, not about the event.
    case database
    /// An id of the envelope that all readers know, and those that only foreign lines have.
    case known, userID, deviceID

    init(_ name: ByteView) {
      switch name {
      case "_id": self = .id
      case "timestamp": self = .timestamp
      case "activity": self = .activity
      case "event": self = .event
      case "data": self = .data
      case "_partition", "realm_id": self = .database
      case "custom_id", "user_id", "installation_id", "install_id": self = .known
      case "userId": self = .userID
      case "device_id": self = .deviceID
      default: self = .metadata
      }
    }
  }

  private static let nameBits: UInt32 = 0xFF
  private static let identityShift: UInt32 = 8

  /// A line with the members `root`, of which those that `keys` names may say whose it is.
  init(_ root: RootMembers, _ keys: IdentityKeys, scratch: RealmScratch) {
    self.root = root
    search = IdentitySearch(keys)
    self.scratch = scratch
    scratch.recycle()
  }

  /// Reads the object at tape index `object`; `memo` remembers what names mean. Complexity: O(members).
  mutating func read(_ object: Int, of tape: Tape, _ memo: NameMemo<UInt32>) {
    let keys = search.keys
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let entry = tape[key]
      let meaning = memo.meaning(of: entry.number, in: tape) {
        let name = tape.bytes(entry)
        return Name(name).rawValue | IdentitySearch.meaning(of: name, keys) << Self.identityShift
      }
      let node = tape[key + 1].kind == .null ? -1 : Int32(key + 1)
      switch Name(rawValue: meaning & Self.nameBits) {
      case .id: id = node
      case .timestamp: timestamp = node
      case .activity: activity = node
      case .event: event = node
      case .data: data = node
      case .database: break
      case .known: relabel(key + 1, in: tape)
      case .userID:
        relabel(key + 1, in: tape)
        userID = node
      case .deviceID:
        relabel(key + 1, in: tape)
        deviceID = node
      case .metadata, nil:
        relabel(key + 1, in: tape)
        search.note(key, meaning: meaning >> Self.identityShift, of: tape)
        scratch.metadata.append(Int32(key))
      }
      key = Int(entry.next)
    }
  }

  /// Tape index of what names the event: `event`, or `activity` where that is empty. -1 = nothing.
  func name(of tape: Tape) -> Int32 {
    let isEmpty = event < 0 || tape[Int(event)].kind == .string && tape[Int(event)].length == 0
    return isEmpty ? activity : event
  }

  /// Gives the record the ids of the envelope, else those that stand in the metadata.
  func identify(_ record: inout RecordEntry, _ draft: ForeignDraft) {
    ForeignEnvelope(root, userID: userID, deviceID: deviceID).identify(&record, draft)
    search.identify(&record, draft, at: FieldPath(root: ""))
  }

  /// Adds the activity, and all metadata that is no id of the record, to the object in the making.
  func addMetadata(of record: RecordEntry, to draft: ForeignDraft) {
    if activity >= 0 {
      // What names the event has to be text, else it is as metadata is.
      if name(of: draft.tape) != activity { relabel(Int(activity), in: draft.tape) }
      addMember(Int(activity) - 1, to: draft)
    }
    for place in scratch.metadata.indices {
      let key = scratch.metadata[place]
      if !search.hasTaken(key + 1, for: record) { addMember(Int(key), to: draft) }
    }
  }

  private func addMember(_ key: Int, to draft: ForeignDraft) {
    var path = FieldPath(root: "")
    switch draft.tape[key + 1].kind {
    case .object, .array:
      path.push(key: key)
      draft.lose(.badMetadata, at: path)
    default: draft.addMember(key, names: 1, at: path)
    }
  }

  /// Metadata is text: a number or boolean becomes the text in which it was written.
  private func relabel(_ node: Int, in tape: Tape) {
    switch tape[node].kind {
    case .integer, .double, .true, .false:
      tape[node].kind = .string
      tape[node].flags &= TapeEntry.decoded
    default: break
    }
  }
}

/// Where lines of dialect `realm` are read: scratch memory, reused from line to line. Belongs to one
/// ``DialectReader``; one thread at a time.
final class RealmScratch {
  /// Tape indices of the keys of the metadata.
  var metadata = PlainList<Int32>()
  /// What the payload tells that is looked at.
  var write = RealmWrite()
  var changed = ChangedProperties()
  /// Texts of names of classes and of properties, each for one array.
  var types = PlainList<TapeEntry>()
  var names = PlainList<TapeEntry>()

  /// Gives back what an unusual line needed; only between lines.
  func recycle() {
    metadata.recycle()
    write.recycle()
    types.removeAll()
    names.removeAll()
  }
}
