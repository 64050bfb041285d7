import Pipeline

/// A kind of lines that a mapping describes, as far as they are plain: one event, whose values are
/// scalars at paths of fields, and at most one object of attributes.
final class MappedPlan {
  /// A condition, and the slot of its value.
  typealias Check = (condition: MappedCondition, slot: Int)

  let dialect: Dialect
  let kind: MappedKind
  private let words: MappedWords
  /// The conditions of the kinds before it, and its own. A line is of the first kind whose hold.
  private(set) var conditions: [[Check]] = []
  private(set) var line = PlanPlace()
  /// The slots of the paths of ids, the first one first.
  private(set) var (customIDs, installationIDs, eventIDs): ([Int], [Int], [Int]) = ([], [], [])
  /// The slot of each name; of a constant its text.
  private(set) var names: [(slot: Int, constant: [UInt8])] = []
  /// The slot of each time, and whether it may be text.
  private(set) var times: [(slot: Int, mayBeText: Bool)] = []
  private(set) var fields: [(key: [UInt8], slots: [Int])] = []
  /// The fields that the mapping adds to the attributes, as JSON.
  private(set) var constants: [[UInt8]] = []
  /// By point of the tree: the index of its place, and the slot of its value.
  private var places: [Int]
  private var slots: [Int]
  /// The slot given last.
  private var last = 0
  /// Whether an object of attributes is open, and whether no line would be read as it must be.
  private var (isInAttributes, isRefused) = (false, false)

  /// Describes a kind of lines in `plan`; nil if none would be plain.
  init?(_ mapping: Mapping, kind index: Int, _ words: MappedWords, in plan: inout ReadingPlan) {
    (dialect, kind, self.words) = (mapping.dialect, mapping.kinds[index], words)
    places = [Int](repeating: 0, count: kind.tree.points.count)
    slots = [Int](repeating: Self.none, count: places.count)
    guard Self.mayBePlain(kind) else { return nil }
    // Made first: the containers of the kind may be too many.
    _ = plan.foreignValue()
    let root = container(at: 0, .mapped, isWhole: false, in: &plan)
    let conditions =
      mapping.kinds[..<index].map { checks($0.rules.when) }
      + [checks(mapping.matches[0] + kind.rules.when)]
    guard root > 0, !conditions.contains(where: { $0 == nil }) else { return nil }
    self.conditions = conditions.compactMap(\.self)
    line = PlanPlace(object: root)
    line.keys = .mapped
    describe(kind.rules)
  }

  /// Notes where the values of the event are.
  private func describe(_ rules: MappedRules) {
    var slots = [Int](repeating: Self.none, count: kind.tree.count)
    for (point, entry) in kind.tree.points.enumerated()
    where entry.number >= 0 && self.slots[point] != Self.none {
      slots[Int(entry.number)] = self.slots[point]
    }
    customIDs = rules.customID.map { slots[$0.number] }
    installationIDs = rules.installationID.map { slots[$0.number] }
    eventIDs = rules.id.map { slots[$0[0].number] }
    names = rules.name.map { ($0.sources.first.map { slots[$0.number] } ?? -1, $0.constant) }
    times = rules.time.map { (slots[$0.sources[0].number], $0.units[0] == .auto) }
    fields = rules.event.fields.map { ($0.key, $0.sources.map { slots[$0.number] }) }
    constants = rules.constants.map { key, value in
      var text = ByteBuffer()
      text.appendJSONString(String(decoding: key, as: UTF8.self))
      text.append(JSONByte.colon)
      if value.kind == .string {
        text.appendJSONString(String(decoding: value.text, as: UTF8.self))
      } else {
        text.append(contentsOf: value.text)
      }
      return text.view.array
    }
  }

  private static func mayBePlain(_ kind: MappedKind) -> Bool {
    let (rules, root) = (kind.rules, kind.tree.points[0])
    let keys = rules.event.fields.map(\.key) + rules.constants.map(\.key)
    return rules.effect == .event && !kind.hasList
      && rules.profile.fields.isEmpty && rules.profile.attributes.allSatisfy { !$0.isList }
      && !rules.changesConsent && rules.label.isEmpty && rules.tags.isEmpty
      && kind.tree.conversions.isEmpty && !kind.tree.points.contains(where: \.isJSON)
      && rules.pairs.isEmpty && rules.placeholders == nil
      && !rules.time.isEmpty && rules.id.allSatisfy { $0.count == 1 }
      && rules.name.allSatisfy { $0.sources.count < 2 && $0.prefixes.isEmpty }
      && rules.event.attributes.allSatisfy { !$0.isList }
      && rules.time.allSatisfy { $0.sources.count == 1 && $0.isPlain }
      && rules.constants.allSatisfy { $0.value.kind != .double }
      && Set(keys).count == keys.count && !root.isAttributes && !root.isDropped && root.number < 0
  }

  /// The slot of objects of attributes.
  static let attributes = PlanPlace.slots - 1
  /// The slot of a value that no plain line has.
  static let none = PlanPlace.slots - 2

  /// The step of the name with the number `name` at a point of the tree.
  func step(
    _ name: UInt16, _ names: InternTable, from origin: MappedOrigin, in plan: borrowing ReadingPlan
  ) -> Step {
    let word = words.number(of: names.text(Int(name)))
    let child = word == 0 ? 0 : kind.tree.child(of: Int(origin.point), word)
    var step = Step(identity: name, action: .nothing)
    if origin.attributes > 0 {
      if child > 0, kind.tree.points[child].isTaken {
        step.place = plan.places[places[child]]
        step.action = .taken
        return step
      }
      let place = plan.places[Int(origin.attributes)]
      let renamed = kind.rules.renames[word].map { key in
        ByteView.with(key) { Step(renamed: $0, to: place, names) }
      }
      step = renamed ?? Step(foreign: name, to: place, names)
      // The mapping may give that name to another value.
      if kind.rules.hasKey(names.text(Int(step.name > 0 ? step.name : name))) {
        step.place = PlanPlace()
      }
    } else if child > 0 {
      step.place = plan.places[places[child]]
    } else if origin.isWhole {
      step.place = .dropped
    }
    return step
  }
}

/// Where a container of mapped lines is: the number of its kind, and its point of the tree.
struct MappedOrigin: BitwiseCopyable {
  var kind: UInt16 = 0
  var point: UInt16 = 0
  /// The place of attributes whose keys are in no path; 0 = it has none.
  var attributes: UInt16 = 0
  /// Whether fields that are in no path are dropped.
  var isWhole = false
}

/// The places of the kind of lines.
extension MappedPlan {
  /// The container at a point of the tree; 0 if it is not plain.
  private func container(
    at point: Int, _ keys: Container.Keys, isWhole: Bool, in plan: inout ReadingPlan
  ) -> Int {
    guard plan.containers.count < LearntSteps.containers else {
      isRefused = true
      return 0
    }
    var origin = MappedOrigin(
      kind: UInt16(plan.mapped.count), point: UInt16(point), isWhole: isWhole)
    if keys == .mappedAttributes { origin.attributes = UInt16(plan.foreignValue()) }
    let container = plan.add(origin, keys)
    for child in kind.tree.children(of: point) {
      let child = Int(kind.tree.children[child])
      guard child != Int(kind.tree.points[point].item) else { continue }
      places[child] = plan.add(place(at: child, isWhole: isWhole, in: &plan))
    }
    return isRefused ? 0 : container
  }

  private func place(at point: Int, isWhole: Bool, in plan: inout ReadingPlan) -> PlanPlace {
    let entry = kind.tree.points[point]
    // Lines with changes of profiles, and with losses, are not plain.
    if entry.isOfProfile || entry.isLost { return PlanPlace() }
    if entry.isAttributes {
      if isInAttributes { isRefused = true }
      isInAttributes = true
      defer { isInAttributes = false }
      slots[point] = Self.attributes
      return PlanPlace(
        slot: MappedPlan.attributes,
        object: container(at: point, .mappedAttributes, isWhole: false, in: &plan))
    }
    if entry.hasFields {
      if entry.number >= 0 { isRefused = true }
      let isWhole = isWhole || entry.isDropped
      return PlanPlace(object: container(at: point, .mapped, isWhole: isWhole, in: &plan))
    }
    guard entry.number >= 0 || entry.isKnown || entry.isKnownElsewhere && !entry.hasRules else {
      return entry.isDropped && entry.item == 0 ? .dropped : PlanPlace()
    }
    if last + 1 == MappedPlan.none { isRefused = true } else { last += 1 }
    slots[point] = last
    return PlanPlace(slot: last, kinds: .scalar, keeps: true)
  }

  /// The conditions with the slots of their values; nil if a value could be where nothing is noted.
  private func checks(_ conditions: [MappedCondition]) -> [MappedPlan.Check]? {
    var checks: [MappedPlan.Check] = []
    for condition in conditions {
      guard let slot = slot(of: condition.path) else { return nil }
      checks.append((condition, slot))
    }
    return checks
  }

  private func slot(of path: String) -> Int? {
    var point = 0
    for step in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      let entry = kind.tree.points[point]
      if step == "*" { return nil }
      let name = ByteBuffer(text: JSONPointer.name(ofStep: step))
      let child = kind.tree.child(of: point, words.number(of: name.view))
      if child == 0 { return entry.isAttributes || entry.isDropped ? nil : MappedPlan.none }
      if entry.isAttributes, !kind.tree.points[child].isTaken { return nil }
      point = child
    }
    return slots[point] == MappedPlan.none ? nil : slots[point]
  }
}
