import Pipeline

/// The members of one line of dialect `realm`: those of the library, and metadata, which is all the
/// others (dialects 6). Tape indices of values, none for what is absent or null; of repeated
/// members the last counts.
///
/// Reused from line to line. Belongs to one ``DialectReader``; one thread at a time.
final class RealmLine {
  private(set) var id: Node = .none
  private(set) var timestamp: Node = .none
  private(set) var activity: Node = .none
  private(set) var event: Node = .none
  private(set) var data: Node = .none
  private var userID: Node = .none
  private var deviceID: Node = .none
  /// Tape indices of the keys of the metadata.
  private var metadata = PlainList<Node>()

  /// What a name is at the root of a line: the lowest bits of its meaning. Above them stands what
  /// it is to the search for ids.
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

  /// Reads the object at tape index `object`. `search` notes what may say whose the line is;
  /// `cache` remembers what names mean. Complexity: O(members).
  func read(_ object: Int, of tape: Tape, _ search: IdentitySearch, _ cache: NameInfoCache<UInt32>)
  {
    (id, timestamp, activity, event, data, userID, deviceID) = (
      .none, .none, .none, .none, .none, .none, .none
    )
    metadata.recycle()
    search.begin()
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let entry = tape[key]
      let info = cache.info(of: entry.number, in: tape) {
        let name = tape.bytes(entry)
        return Name(name).rawValue | IdentitySearch.info(of: name, search.keys)
          << Self.identityShift
      }
      let kind = tape[key + 1].kind
      let node = kind == .null ? .none : Node(key + 1)
      let identity = info >> Self.identityShift
      switch Name(rawValue: info & Self.nameBits) {
      case .id: id = node
      case .timestamp: timestamp = node
      case .activity: activity = node
      case .event: event = node
      case .data: data = node
      case .database, .known: break
      case .userID: userID = node
      case .deviceID: deviceID = node
      case .metadata, nil:
        // A number of somebody is told by its digits; what has a fraction, or is no number, is no
        // id.
        if identity > 0, kind == .integer { relabel(key + 1, in: tape) }
        search.note(key, info: identity, of: tape)
        metadata.append(Node(key))
      }
      key = Int(entry.next)
    }
  }

  /// Tape index of what names the event: `event`, or `activity` where that is empty. None when
  /// nothing does.
  func name(of tape: Tape) -> Node {
    let isEmpty = !event.exists || tape[event].kind == .string && tape[event].length == 0
    return isEmpty ? activity : event
  }

  /// Gives the record the ids of the envelope, else those that stand in the metadata.
  func identify(_ record: inout RecordEntry, _ root: RootFields, _ draft: ForeignDraft) {
    ForeignEnvelope(root, userID: userID, deviceID: deviceID).identify(&record, draft)
    draft.scratch.search.identify(&record, draft, at: FieldPath(root: ""))
  }

  /// Adds the activity, which stays whatever else there is, and all metadata that is no id of the
  /// record, to the object in the making.
  func addMetadata(of record: RecordEntry, to draft: ForeignDraft) {
    let tape = draft.tape
    if activity.exists { addMember(activity.index - 1, to: draft, staysFirst: true) }
    for position in metadata.indices {
      let key = metadata[position].index
      if !draft.scratch.search.hasTaken(key, of: tape, for: record) { addMember(key, to: draft) }
    }
  }

  /// Metadata is text: a number or boolean becomes the text in which it was written.
  private func addMember(_ key: Int, to draft: ForeignDraft, staysFirst: Bool = false) {
    var path = FieldPath(root: "")
    switch draft.tape[key + 1].kind {
    case .object, .array:
      path.push(key: key)
      draft.lose(.badMetadata, at: path)
      return
    case .integer, .double, .true, .false:
      // What names the event has to be text, and is refused.
      if Node(key + 1) != name(of: draft.tape) { relabel(key + 1, in: draft.tape) }
    default: break
    }
    draft.addMember(key, names: 1, at: path)
    if staysFirst { draft.keepFirst() }
  }

  private func relabel(_ node: Int, in tape: Tape) {
    tape[node].kind = .string
    tape[node].flags &= TapeEntry.decoded
  }
}

/// Where lines of dialect `realm` are read: scratch memory, reused from line to line. Belongs to
/// one ``DialectReader``; one thread at a time.
final class RealmScratch {
  let line = RealmLine()
  /// What the payload tells that is looked at.
  var write = RealmWrite()
  var changed = ChangedProperties()
  /// Texts of names of classes and of properties, each for one array.
  var types = PlainList<TapeEntry>()
  var names = PlainList<TapeEntry>()

  /// Begins a payload, and gives back what an unusual one before it needed.
  func recycle() {
    write.recycle()
    types.removeAll()
    names.removeAll()
  }
}
