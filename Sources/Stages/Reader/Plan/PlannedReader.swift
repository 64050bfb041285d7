import Pipeline

/// Reads lines that are plain throughout along a ``ReadingPlan``, in one pass and without a tape
/// of all values (docs/design/architecture.md, Fast paths).
///
/// A line that is read here is valid, and its record is identical to the result of reader,
/// validator and migration. Nothing is rejected here: for anything that is not plain all changes
/// are undone, and the line takes the slow path. One thread at a time.
final class PlannedReader {
  struct NotPlain: Error {}

  let plan: ReadingPlan
  private let maxLine: Int
  let placeholders: Placeholders
  /// Whether attributes and tags are needed in canonical form.
  let writesAttributes: Bool
  /// The times of events that are valid and selected.
  let accepted: ClosedRange<Int>
  /// For each mapping that may describe a plain line: the roles that its required fields may have.
  private let claims: [[[Role]]]
  /// The keys of the objects that are open, those of the innermost last: of a mapped line, at most
  /// ``MappedPaths/longest`` with ``mostKeys`` each, and attributes.
  var keys = SlotTable<UInt16>(
    repeating: 0, count: PlannedReader.mostKeys * MappedPaths.longest * 2)
  /// The kind of lines that is tried first, and the one that was tried after it.
  private var expected = 0
  private var other = 0
  /// Number of keys of the objects around the one that is read.
  var outerKeys = 0
  /// Most keys of a plain object.
  static let mostKeys = 256
  /// The beginning of the block, and its end.
  private var source: TokenCursor?
  private var sourceEnd = 0
  /// Where the source is valid UTF-8 up to, from a line on that was read.
  private var validEnd = 0
  /// Number of backslashes of canonical escapes in the line.
  private var escapes = 0
  /// The container that the root has become, once a field has told the form of the record.
  private(set) var root = 0
  /// By role: the value on the tape, or that there is one.
  var nodes = [64 of Node](repeating: .none)
  /// The times of the event and of the record.
  var eventTime = 0
  var recordTime = 0
  var attributeCount = 0
  /// Edits of attributes whose source is not in canonical form.
  var edits = PlainList<AttributeEdit>()
  var timesRead = Timestamp.Reader()
  let names: ForeignNames
  var timesWritten = Timestamp.Writer()
  let fold = KeyFold()

  /// A reader for `rules`; nil if it would read no line.
  init?(_ rules: Rules, _ names: ForeignNames, writesAttributes: Bool) {
    (self.names, self.writesAttributes) = (names, writesAttributes)
    maxLine = rules.maxLine
    placeholders = rules.placeholders
    let first = max(Rules.earliestTime, rules.notBefore ?? .min, rules.since ?? .min)
    let last = min(Rules.endOfTime - 1, rules.notAfter ?? .max, rules.until.map { $0 - 1 } ?? .max)
    let readsV1 = rules.dialect == nil || rules.dialect == .v1
    let readsV2 = rules.dialect == nil || rules.dialect == .v2
    guard readsV1 || readsV2 || rules.dialect?.isMapped ?? false, first <= last else { return nil }
    accepted = first...last
    var plan = ReadingPlan(readsV1: readsV1, readsV2: readsV2)
    for mapping in rules.mappings.all where rules.describesAlone(mapping) {
      plan.describe(mapping, rules.mappings)
    }
    claims = rules.mappings.all.flatMap(\.requiredFields)
      .map { fields in fields.map { plan.roles(ofRecordField: $0) } }
      .filter { !$0.contains([]) }
    self.plan = plan
  }

  func begin(_ block: Block, _ batch: RecordBatch) {
    batch.steps.begin(plan.identity)
    names.begin(batch.tape)
    source = block.bytes.isEmpty ? nil : TokenCursor(block, batch.tape.names)
    sourceEnd = block.bytes.count
    validEnd = 0
  }

  /// Reads lines from `start` on, up to the first that is not plain, and returns their number:
  /// appends them with their records, and sets `start` to the line that must take the slow path.
  func readLines(from start: inout Int, into batch: RecordBatch) -> Int {
    guard let source else { return 0 }
    var count = 0
    while start < sourceEnd {
      let line = source.line(at: start)
      guard let end = readLine(line, as: expected, into: batch) ?? readOther(line, into: batch)
      else { break }
      start = end + 1
      count += 1
    }
    return count
  }

  /// Reads a line that is not of the kind that was met last as one of the others.
  private func readOther(_ line: TokenCursor, into batch: RecordBatch) -> Int? {
    guard !plan.mapped.isEmpty else { return nil }
    other = other < plan.mapped.count ? other + 1 : 0
    if other == expected { other = other < plan.mapped.count ? other + 1 : 0 }
    guard let end = readLine(line, as: other, into: batch) else { return nil }
    swap(&expected, &other)
    return end
  }

  /// Reads the line at the cursor and returns the position of its line feed; nil, with nothing
  /// changed, if it is not a plain line of that kind: 0 = of v1 and v2, others of mappings.
  private func readLine(_ line: TokenCursor, as kind: Int, into batch: RecordBatch) -> Int? {
    let tape = batch.tape
    let (entries, decoded) = (tape.count, tape.decoded.count)
    let (events, operations) = (batch.events.count, batch.operations.count)
    for role in 0..<(kind == 0 ? Role.count : PlanPlace.slots) { nodes[role] = .none }
    outerKeys = 0
    escapes = 0
    root = 0
    attributeCount = 0
    do throws(NotPlain) {
      guard line.byte == JSONByte.openBrace else { throw NotPlain() }
      let cursor =
        kind == 0
        ? try readFields(plan.line, line, into: batch)
        : try readMapped(plan.mapped[kind - 1].line, line, into: batch)
      let start = line.position
      guard let end = cursor.lineEnd, end.text - start <= maxLine,
        cursor.isPlain(from: start, to: end.text, escapes),
        validEnd >= end.text || isUTF8(start..<end.text, line)
      else { throw NotPlain() }
      if kind == 0 {
        if !claims.isEmpty, isClaimed { throw NotPlain() }
        try addRecord(start..<end.text, events, operations, into: batch)
      } else {
        try addRecord(plan.mapped[kind - 1], start..<end.text, into: batch)
      }
      return end.feed
    } catch {
      tape.truncate(to: entries)
      tape.decoded.truncate(to: decoded)
      names.forgetEvents()
      batch.events.truncate(to: events)
      batch.operations.truncate(to: operations)
      return nil
    }
  }

  /// Whether the line is UTF-8; bytes up to the next fault in the block are checked together.
  @inline(never)
  private func isUTF8(_ line: Range<Int>, _ cursor: TokenCursor) -> Bool {
    let rest = cursor.bytes(line.lowerBound..<sourceEnd)
    validEnd = line.lowerBound + rest.utf8Length
    return validEnd >= line.upperBound
  }

  /// Whether the line may be one that a mapping describes, which comes before v1 and v2.
  private var isClaimed: Bool {
    claims.contains { $0.allSatisfy { roles in roles.contains { self[$0].exists } } }
  }

  // MARK: - Objects and arrays

  /// Reads the object at the cursor, which stands at `place`, and returns the cursor behind it.
  @inline(__always)
  func readObject(
    _ place: PlanPlace, _ start: TokenCursor, into batch: RecordBatch
  ) throws(NotPlain) -> TokenCursor {
    // So no line nests deeper than the plan.
    if place.object == 0 { throw NotPlain() }
    if place.hasFields { return try readFields(place, start, into: batch) }
    switch place.keys {
    case .fields, .operations, .values: return try readOperations(place, start, into: batch)
    case .attributes, .foreign:
      return try readAttributes(place, start, isOfEvent: false, into: batch)
    case .eventAttributes, .mappedAttributes:
      return try readAttributes(place, start, isOfEvent: true, into: batch)
    case .mapped: return try readMapped(place, start, into: batch)
    }
  }

  private func readFields(
    _ place: PlanPlace, _ start: TokenCursor, into batch: RecordBatch
  ) throws(NotPlain) -> TokenCursor {
    var cursor = start
    cursor.position &+= 1
    var container = place.object
    let index = place.keeps ? open(.object, start.position, batch.tape) : -1
    repeat {
      let key = cursor.position &+ 1
      let name = cursor.name(in: batch.tape.names)
      if name == 0 { throw NotPlain() }
      var step = batch.steps[name, container]
      if step.action != .nothing {
        if step.action != .becomes {
          step = try act(on: step, name, key..<cursor.position &- 2, container, into: batch)
        }
        if step.action == .becomes {
          container = step.place.becomes
          root = container
        }
      }
      // Of one object no two fields have the same role, unless they are equal.
      if self[step.place].exists { throw NotPlain() }
      try readValue(step.place, &cursor, into: batch)
    } while cursor.pass(JSONByte.comma)
    guard cursor.close(JSONByte.closeBrace) else { throw NotPlain() }
    if index >= 0 {
      close(index, at: cursor.position, batch.tape)
      forget(.added ... .removed)
    }
    if place.isEvent { try addEvent(into: batch) }
    return cursor
  }

  /// Reads the attributes of an event, or an object among them, without entries on the tape.
  private func readAttributes(
    _ place: PlanPlace, _ start: TokenCursor, isOfEvent: Bool, into batch: RecordBatch
  ) throws(NotPlain) -> TokenCursor {
    var cursor = start
    cursor.position &+= 1
    if isOfEvent { edits.removeAll() }
    let container = place.object
    /// Bits of the keys so far: one that is not among them is new.
    var seen: UInt64 = 0
    let firstKey = outerKeys
    let most = Int(plan.containers[container].most)
    let isForeign = place.hasForeignKeys
    /// The keys, and those of them that are left out.
    var (count, omitted, text) = (0, 0, cursor.position)
    repeat {
      let key = cursor.position &+ 1
      let name = cursor.name(in: batch.tape.names)
      if name == 0 { throw NotPlain() }
      var step = batch.steps[name, container]
      if step.action != .nothing {
        step = try act(on: step, name, key..<cursor.position &- 2, container, into: batch)
        if step.action == .rootField || step.action == .taken {
          outerKeys = firstKey &+ count
          cursor = try readOther(step, key, isFirst: count == omitted, cursor, &text, into: batch)
          outerKeys = firstKey
          continue
        }
      }
      if count == most { throw NotPlain() }
      let bit: UInt64 = 1 &<< UInt64(step.identity & 63)
      if seen & bit != 0 {
        guard isNew(step.identity, among: firstKey..<firstKey &+ count) else { throw NotPlain() }
      }
      seen |= bit
      keys[firstKey &+ count] = step.identity
      count &+= 1
      if isForeign, let end = cursor.endOfNothing {
        if step.place.kinds.isEmpty { throw NotPlain() }
        omitted &+= 1
        // With the comma before it, or behind it.
        omit(omitted < count ? key &- 2..<end : key &- 1..<end &+ 1)
        cursor.position = end
      } else if cursor.byte == JSONByte.quote, step.place.rule == .text {
        try passText(step.place, &cursor)
      } else {
        outerKeys = firstKey &+ count
        try readValue(step.place, &cursor, into: batch)
        outerKeys = firstKey
      }
    } while cursor.pass(JSONByte.comma)
    // An object that becomes empty would be omitted itself.
    guard cursor.close(JSONByte.closeBrace), omitted == 0 || omitted < count else {
      throw NotPlain()
    }
    if isOfEvent {
      addAttributes(
        text..<max(text, cursor.position &- 1), count &- omitted, of: place, to: batch.tape)
    }
    return cursor
  }

  /// Leaves a part of the attributes out, whose key may have been renamed.
  @inline(never)
  private func omit(_ part: Range<Int>) {
    if let last = edits.indices.last, edits[last].start > part.lowerBound {
      edits.truncate(to: last)
    }
    edits.append(AttributeEdit(start: part.lowerBound, end: part.upperBound, text: .nothing))
  }

  /// Reads the value of a key among the attributes that becomes none of them: label and tags, which
  /// are written before the attributes and so must precede them, and what a mapping reads. The
  /// first attributes begin at `text`.
  private func readOther(
    _ step: Step, _ key: Int, isFirst: Bool, _ before: TokenCursor, _ text: inout Int,
    into batch: RecordBatch
  ) throws(NotPlain) -> TokenCursor {
    var cursor = before
    if step.place.role == 0 || self[step.place].exists { throw NotPlain() }
    if step.action == .rootField {
      guard isFirst else { throw NotPlain() }
      try readValue(step.place, &cursor, into: batch)
    } else {
      try take(step.place, &cursor, into: batch)
      // A null is not noted, so it could repeat.
      guard self[step.place].exists else { throw NotPlain() }
    }
    if isFirst {
      edits.removeAll()
      text = cursor.position &+ 1
    } else {
      // With the comma before it.
      omit(key &- 2..<cursor.position)
    }
    return cursor
  }

  @inline(never)
  private func readOperations(
    _ place: PlanPlace, _ start: TokenCursor, into batch: RecordBatch
  ) throws(NotPlain) -> TokenCursor {
    var cursor = start
    cursor.position &+= 1
    fold.begin()
    repeat {
      let key = cursor.position &+ 1
      let name = cursor.name(in: batch.tape.names)
      if name == 0 { throw NotPlain() }
      let range = key..<cursor.position &- 2
      let operand = try readOperation(name, range, place.object, into: batch)
      try readValue(operand, &cursor, into: batch)
    } while cursor.pass(JSONByte.comma)
    guard cursor.close(JSONByte.closeBrace) else { throw NotPlain() }
    return cursor
  }

  @inline(__always)
  private func readValue(
    _ place: PlanPlace, _ cursor: inout TokenCursor, into batch: RecordBatch
  ) throws(NotPlain) {
    if cursor.byte == JSONByte.quote {
      try readText(place, &cursor, into: batch)
    } else if cursor.byte == JSONByte.openBrace {
      self[place] = Node(batch.tape.count)
      cursor = try readObject(place, cursor, into: batch)
    } else if cursor.byte == JSONByte.openBracket {
      self[place] = Node(batch.tape.count)
      cursor = try readArray(place, cursor, into: batch)
    } else {
      cursor.position = try readScalar(place, cursor, batch.tape)
    }
  }

  /// Reads the array at the cursor, which stands at `place`, and returns the cursor behind it.
  private func readArray(
    _ place: PlanPlace, _ start: TokenCursor, into batch: RecordBatch
  ) throws(NotPlain) -> TokenCursor {
    var cursor = start
    cursor.position &+= 1
    let row = plan.containers[place.array]
    let index = place.keeps ? open(.array, start.position, batch.tape) : -1
    // The first item decides.
    let hasObjects = row.hasObjectItem && cursor.byte == JSONByte.openBrace
    let item = plan.places[Int(row.item) &+ (hasObjects ? 1 : 0)]
    var count = 0
    repeat {
      if cursor.byte == JSONByte.quote {
        try readText(item, &cursor, into: batch)
      } else if cursor.byte == JSONByte.openBrace {
        cursor = try readObject(item, cursor, into: batch)
      } else {
        throw NotPlain()
      }
      count &+= 1
    } while cursor.pass(JSONByte.comma)
    guard cursor.close(JSONByte.closeBracket), count <= Int(row.most) else { throw NotPlain() }
    if index >= 0 { close(index, at: cursor.position, batch.tape) }
    if row.end == .tags, writesAttributes, !TagSet.storeUsual(Node(index), in: batch.tape) {
      TagSet.store(Node(index), in: batch.tape, with: fold)
    }
    return cursor
  }

  /// Appends the entry of a container, and returns its index.
  @inline(never)
  private func open(_ kind: TapeKind, _ start: Int, _ tape: Tape) -> Int {
    tape.append(TapeEntry(start: start, length: 0, next: 0, kind: kind))
  }

  /// Ends the container with the entry at `index`, and the field whose value it is.
  @inline(never)
  private func close(_ index: Int, at end: Int, _ tape: Tape) {
    let next = UInt32(truncatingIfNeeded: tape.count)
    tape[index].length = UInt32(truncatingIfNeeded: end) &- tape[index].start
    tape[index].next = next
    if index > 0, tape[index - 1].kind == .key { tape[index - 1].next = next }
  }

  @inline(never)
  func isNew(_ identity: UInt16, among range: Range<Int>) -> Bool {
    !range.contains { keys[$0] == identity }
  }

  // MARK: - Values

  @inline(__always)
  private func readText(
    _ place: PlanPlace, _ cursor: inout TokenCursor, into batch: RecordBatch
  ) throws(NotPlain) {
    if place.rule == .text {
      let range = try passText(place, &cursor)
      if place.keeps { self[place] = keep(range, .string, batch.tape) }
    } else {
      // One that ends at an escaped quote has a backslash that is not counted.
      guard let range = cursor.text() else { throw NotPlain() }
      try readText(range, cursor, place, into: batch)
    }
  }

  /// Skips a text that has no rule but its limit.
  @inline(__always) @discardableResult
  private func passText(_ place: PlanPlace, _ cursor: inout TokenCursor) throws(NotPlain) -> Range<
    Int
  > {
    guard let range = cursor.text() else { throw NotPlain() }
    if isUsual(cursor.bytes(range), place.limit), !cursor.isEscaped(range) { return range }
    let unusual = try passUnusualText(place, range, cursor)
    cursor.position = unusual.upperBound &+ 1
    return unusual
  }

  /// The range of a text that is escaped, begins with a space or non-ASCII, or may be too long.
  @inline(never)
  private func passUnusualText(
    _ place: PlanPlace, _ range: Range<Int>, _ before: TokenCursor
  ) throws(NotPlain) -> Range<Int> {
    var (cursor, range) = (before, range)
    if cursor.isEscaped(range) {
      guard place.mayEscape, let text = cursor.escapedText(from: range.lowerBound) else {
        throw NotPlain()
      }
      range = text.range
      escapes += text.backslashes
    }
    guard isText(cursor.bytes(range), place) else { throw NotPlain() }
    return range
  }

  /// Reads a number, `true`, `false` or `null`, and returns the position behind it.
  @inline(never)
  private func readScalar(
    _ place: PlanPlace, _ before: TokenCursor, _ tape: Tape
  ) throws(NotPlain) -> Int {
    var cursor = before
    let kind: TapeKind
    (kind, cursor.position) = cursor.scalar()
    guard kind != .object, place.kinds.has(kind) else { throw NotPlain() }
    let range = before.position..<cursor.position
    if kind == .integer || kind == .double {
      switch place.rule {
      case .text:
        // An id in digits has the limit of its text.
        let most = place.kinds.contains(.double) ? PlainValue.most(of: kind) : place.limit
        guard range.count <= most else { throw NotPlain() }
      case .date:
        try noteDate(
          DecimalNumber.milliseconds(cursor.bytes(range), per: .seconds), at: range, place, tape)
        return cursor.position
      default:
        try note(time: DecimalNumber.milliseconds(cursor.bytes(range), per: .milliseconds), place)
        return cursor.position
      }
    }
    self[place] = place.keeps ? keep(range, kind, tape) : Node(0)
    return cursor.position
  }

  /// Appends a scalar with that text to the tape.
  @inline(__always)
  func keep(_ range: Range<Int>, _ kind: TapeKind, _ tape: Tape) -> Node {
    Node(
      tape.append(
        TapeEntry(
          start: range.lowerBound, length: range.count, next: tape.count &+ 1, kind: kind)))
  }

  /// Makes room for the roles of the next object.
  @inline(__always)
  func forget(_ roles: ClosedRange<Role>) {
    for role in roles.lowerBound.rawValue...roles.upperBound.rawValue { nodes[Int(role)] = .none }
  }

  subscript(place: PlanPlace) -> Node {
    @inline(__always) get { nodes[place.role & 63] }
    @inline(__always) set { nodes[place.role & 63] = newValue }
  }

  @inline(__always)
  subscript(role: Role) -> Node { nodes[Int(role.rawValue)] }
}
