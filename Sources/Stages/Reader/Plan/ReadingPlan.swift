import Pipeline

/// The table of what is plain: for each place of a line what a value means, which rule it obeys,
/// and what its objects and arrays hold. The canonical forms are described in data-model 3.1 and
/// 3.2.
struct ReadingPlan: ~Copyable {
  private(set) var containers = PlainList<Container>()
  private(set) var places = PlainList<PlanPlace>()
  /// The names of the fields of each container, and the place of each.
  private(set) var rows: [[(names: [StaticString], place: UInt16)]] = []
  /// The container of a line, and its place.
  private var root = 0
  private(set) var line = PlanPlace()
  /// Kinds of lines that mappings describe.
  private(set) var mapped: [MappedPlan] = []
  /// Plans with the same one have the same containers.
  private(set) var identity: UInt64
  /// By container: where it is in a mapped line.
  private var origins: [MappedOrigin] = []
  /// The place of an attribute of a foreign event; 0 = not made yet.
  private var foreign = 0
  /// The containers that the root is or becomes.
  private var records: [Int] = []

  /// A plan for the lines of the dialects that are read.
  init(readsV1: Bool, readsV2: Bool) {
    identity = (readsV1 ? 1 : 0) | (readsV2 ? 2 : 0)
    // Nothing is plain at place 0 and in container 0.
    _ = add(PlanPlace())
    _ = add(Container())
    let tags = list(
      of: PlanPlace(.v2Tag, keeps: true), atMost: Limits.tags, end: .tags, keeps: true)
    let nested = nestedAttributes(.attributes)
    root = add(Container())
    let v2 = add(Container(end: .recordV2))
    let v1 = add(Container(end: .recordV1))
    if readsV2 { describeV2(v2, nested, tags) }
    if readsV1 { describeV1(v1, tags) }
    let time = PlanPlace.time(.time)
    records = [root, v1, v2]
    for container in records { field(container, ["time"], time) }
    line = .object(root)
  }

  private mutating func describeV2(
    _ record: Int, _ nested: (object: Int, array: Int), _ tags: Int
  ) {
    let identifiers = add(Container())
    field(root, ["identifiers"], .object(identifiers, as: .identifiers), becomes: record)
    field(identifiers, ["custom_id"], .customID)
    field(identifiers, ["installation_id"], .installationID)
    field(
      record, ["attributes"],
      .object(operations(.operations, .v2Operation, .v2OperationItem), as: .operations))
    let event = add(Container(end: .event))
    field(record, ["events"], .array(list(of: .object(event)), as: .events))
    field(event, ["id"], .eventID)
    field(event, ["duplicate"], PlanPlace(role: .duplicate, kinds: .text, limit: 2, keeps: true))
    field(event, ["name"], .eventName)
    field(event, ["time"], .time(.eventTime))
    let attributes = attributes(.eventAttributes, isV1: false, nested)
    field(attributes, ["$label"], .label)
    field(attributes, ["$tags"], .array(tags, as: .tags, keeps: true))
    field(event, ["attributes"], .object(attributes, as: .attributes))
  }

  private mutating func describeV1(_ record: Int, _ tags: Int) {
    let update = add(Container())
    field(update, ["overwrite"], PlanPlace(role: .overwrite, kinds: .false))
    field(
      update, ["values"], .object(operations(.values, .v1Operation, .v1OperationItem), as: .values))
    let attributes = attributes(.eventAttributes, isV1: true, (0, 0))
    for (container, becomes) in [(root, record), (record, 0)] {
      field(container, ["custom_id", "user_id"], .customID, becomes: becomes)
      field(container, ["installation_id", "install_id"], .installationID, becomes: becomes)
      field(container, ["id", "event_id"], .eventID, becomes: becomes)
      field(container, ["name"], .eventName, becomes: becomes)
      field(container, ["label"], .label, becomes: becomes)
      field(container, ["tags"], .array(tags, as: .tags, keeps: true), becomes: becomes)
      field(container, ["attributes"], .object(attributes, as: .attributes), becomes: becomes)
      field(container, ["update"], .object(update, as: .update), becomes: becomes)
    }
  }

  // MARK: - Mapped lines

  /// Adds the kinds of lines of a mapping.
  mutating func describe(_ mapping: Mapping, _ mappings: Mappings) {
    for kind in mapping.kinds.indices {
      guard let kind = MappedPlan(mapping, kind: kind, mappings.words, in: &self) else { continue }
      mapped.append(kind)
      identity = identity &* 31 &+ mapping.hash
    }
  }

  /// Adds a container of mapped lines.
  mutating func add(_ origin: MappedOrigin, _ keys: Container.Keys) -> Int {
    let container = add(Container(keys: keys, most: UInt16(Limits.v2.attributes)))
    while origins.count <= container { origins.append(MappedOrigin()) }
    origins[container] = origin
    return container
  }

  /// The place of an attribute of a foreign event: its objects have foreign keys, too.
  mutating func foreignValue() -> Int {
    if foreign > 0 { return foreign }
    let (object, array) = nestedAttributes(.foreign)
    var value = PlanPlace(.v2String, mayEscape: true)
    (value.object, value.array) = (object, array)
    foreign = add(value)
    return foreign
  }

  /// The step of a name in a container of mapped lines.
  func mappedStep(_ name: UInt16, _ names: InternTable, _ container: Int) -> Step {
    let origin = origins[container]
    return mapped[Int(origin.kind)].step(name, names, from: origin, in: self)
  }

  /// The roles that a field of a record with that name may have.
  func roles(ofRecordField name: String) -> [Role] {
    var roles: [Role] = []
    for container in records {
      for row in rows[container] where row.names.contains(where: { "\($0)" == name }) {
        if let role = Role(rawValue: UInt8(places[Int(row.place)].role)) { roles.append(role) }
      }
    }
    return roles
  }

  // MARK: - Attributes and operations

  /// An object of attributes: texts, numbers, booleans, typed values; in v2 also `nested`.
  private mutating func attributes(
    _ keys: Container.Keys, isV1: Bool, _ nested: (object: Int, array: Int)
  ) -> Int {
    let limits = isV1 ? Limits.v1 : .v2
    var plain = PlanPlace(isV1 ? .v1String : .v2String, mayEscape: true)
    (plain.object, plain.array) = nested
    var container = Container(keys: keys, most: UInt16(limits.attributes))
    container.item = UInt16(add(plain))
    for form in KeyForm.typed { _ = add(isV1 && !form.isInV1 ? PlanPlace() : PlanPlace(form)) }
    return add(container)
  }

  /// The objects and arrays in attributes of a v2 event (data-model 7), the deepest ones first.
  private mutating func nestedAttributes(_ keys: Container.Keys) -> (object: Int, array: Int) {
    var nested = (object: 0, array: 0)
    for _ in 0..<Limits.nesting {
      let object = attributes(keys, isV1: false, nested)
      let text = PlanPlace(.v2Item, mayEscape: true)
      let array = list(of: text, atMost: Limits.array)
      // Right behind the place of its items.
      _ = add(.object(object))
      containers[array].hasObjectItem = true
      nested = (object, array)
    }
    return nested
  }

  /// The object of operations on a profile (data-model 9).
  private mutating func operations(
    _ keys: Container.Keys, _ rule: TextRule, _ item: TextRule
  ) -> Int {
    var value = PlanPlace(rule, keeps: true)
    let (items, changes) = collections(of: PlanPlace(item, keeps: true))
    (value.array, value.object) = (items, changes)
    var topics = PlanPlace(.topics, keeps: true)
    (topics.array, topics.object) = collections(of: PlanPlace(.topic, keeps: true))
    var collection = PlanPlace(.collection, keeps: true)
    (collection.array, collection.object) = (items, changes)
    var container = Container(keys: keys)
    container.item = UInt16(add(value))
    for form in KeyForm.typed { _ = add(PlanPlace(form, or: .null, keeps: true)) }
    let native = PlanPlace(
      rule: .native, kinds: [.text, .null], limit: Limits.v2.string, keeps: true)
    for place in [native, topics, collection] { _ = add(place) }
    return add(container)
  }

  /// An array of items, and an object with such arrays to add and to remove.
  private mutating func collections(of item: PlanPlace) -> (items: Int, changes: Int) {
    let items = list(of: item, atMost: Limits.array, keeps: true)
    let changes = add(Container(keeps: true))
    field(changes, ["$add"], .array(items, as: .added, keeps: true))
    field(changes, ["$remove"], .array(items, as: .removed, keeps: true))
    return (items, changes)
  }

  // MARK: - Adding rows

  private mutating func field(
    _ container: Int, _ names: [StaticString], _ place: PlanPlace, becomes: Int = 0
  ) {
    var place = place
    for inner in [place.object, place.array] where inner > 0 {
      precondition(containers[inner].keeps == place.keeps, "a place and its value differ")
    }
    place.becomes = becomes
    rows[container].append((names, UInt16(add(place))))
  }

  private mutating func list(
    of item: PlanPlace, atMost most: Int = Int(UInt16.max), end: Container.End = .nothing,
    keeps: Bool = false
  ) -> Int {
    var container = Container(end: end, keeps: keeps, most: UInt16(most))
    container.item = UInt16(add(item))
    return add(container)
  }

  private mutating func add(_ container: Container) -> Int {
    precondition(containers.count < LearntSteps.containers, "a plan has too many containers")
    containers.append(container)
    rows.append([])
    return containers.count - 1
  }

  /// Adds a place, which knows how its object is read.
  mutating func add(_ place: PlanPlace) -> Int {
    precondition(
      place.limit == 0 || place.kinds.contains(.text), "only a place of texts has their limit")
    var place = place
    if place.object > 0 {
      place.keys = containers[place.object].keys
      place.isEvent = containers[place.object].end == .event
    }
    places.append(place)
    return places.count - 1
  }
}

extension PlanPlace {
  fileprivate static var customID: PlanPlace { PlanPlace(.customID, as: .customID, keeps: true) }
  fileprivate static var installationID: PlanPlace {
    PlanPlace(.installationID, as: .installationID, keeps: true)
  }
  fileprivate static var eventID: PlanPlace { PlanPlace(.eventID, as: .id, keeps: true) }
  fileprivate static var label: PlanPlace { PlanPlace(.v2Label, as: .label, keeps: true) }

  fileprivate static var eventName: PlanPlace {
    PlanPlace(role: .name, kinds: .text, limit: Detection.notificationName - 1, keeps: true)
  }

  fileprivate static func time(_ role: Role) -> PlanPlace {
    PlanPlace(rule: role == .time ? .time : .eventTime, role: role, kinds: .time)
  }

  fileprivate static func object(_ container: Int, as role: Role = .none) -> PlanPlace {
    PlanPlace(role: role, object: container)
  }

  fileprivate static func array(_ container: Int, as role: Role, keeps: Bool = false) -> PlanPlace {
    PlanPlace(role: role, keeps: keeps, array: container)
  }
}
