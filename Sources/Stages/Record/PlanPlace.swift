import Pipeline

/// What a value means for its record or event. Of one object no two fields have the same role.
enum Role: UInt8, Comparable {
  case none
  // Of an event; consecutive, because they are forgotten together.
  case id, duplicate, name, label, tags, attributes, eventTime
  // Of a record.
  case customID, installationID, time, identifiers, events, operations, update, overwrite, values
  // Of an operation.
  case added, removed

  /// Number of roles.
  static let count = 32

  static func < (a: Role, b: Role) -> Bool { a.rawValue < b.rawValue }
}

/// How a value is checked, beyond its kind and its length. No enum: it is made for each value.
struct ValueRule: Equatable, BitwiseCopyable {
  let number: Int

  static let text = ValueRule(number: 0)
  static let eventTime = ValueRule(number: 1)
  static let time = ValueRule(number: 2)
  static let date = ValueRule(number: 3)
  static let url = ValueRule(number: 4)
  static let native = ValueRule(number: 5)
  static let topic = ValueRule(number: 6)
  static let dropped = ValueRule(number: 7)
}

/// The kinds of scalars that are plain at a place.
struct PlainKinds: OptionSet, BitwiseCopyable {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  @inline(__always)
  init(_ kind: TapeKind) { rawValue = (1 &<< UInt16(kind.rawValue)) &>> 3 }

  @inline(__always)
  func has(_ kind: TapeKind) -> Bool { rawValue & PlainKinds(kind).rawValue != 0 }

  static var text: PlainKinds { PlainKinds(.string) }
  static var integer: PlainKinds { PlainKinds(.integer) }
  static var double: PlainKinds { PlainKinds(.double) }
  static var `false`: PlainKinds { PlainKinds(.false) }
  static var null: PlainKinds { PlainKinds(.null) }
  static var scalar: PlainKinds { [.text, .integer, .double, PlainKinds(.true), .false] }
  static var time: PlainKinds { [.text, .integer, .double] }
  static var id: PlainKinds { [.text, .integer] }
}

/// What stands at a place of a line: the value of a field, or the items of an array. One word.
struct PlanPlace: BitwiseCopyable {
  private var bits: UInt64 = 0

  /// Number of roles and slots.
  static let slots = 64
  static let dropped = PlanPlace(rule: .dropped)

  init(
    rule: ValueRule = .text, role: Role = .none, slot: Int? = nil, kinds: PlainKinds = [],
    limit: Int = 0, keeps: Bool = false, mayEscape: Bool = false, object: Int = 0, array: Int = 0
  ) {
    self[0, 16] = limit
    self[16, 6] = Int(kinds.rawValue)
    self[22, 6] = slot ?? Int(role.rawValue)
    self[28, 3] = rule.number
    self[31, 1] = keeps ? 1 : 0
    self[32, 1] = mayEscape ? 1 : 0
    self[33, 8] = object
    self[41, 8] = array
  }

  /// The place of values with that rule, and of values of the kinds `others`.
  init(
    _ rule: TextRule, as role: Role = .none, or others: PlainKinds = [], keeps: Bool = false,
    mayEscape: Bool = false
  ) {
    self.init(
      rule: rule.format == .url ? .url : rule.format == .topic ? .topic : .text, role: role,
      kinds: rule.kinds.union(others), limit: rule.limit,
      keeps: keeps, mayEscape: mayEscape)
  }

  /// The place of values of keys with that type, and of values of the kinds `others`.
  init(_ form: KeyForm, or others: PlainKinds = [], keeps: Bool = false) {
    if let rule = form.rule {
      self.init(rule, or: others, keeps: keeps)
    } else {
      self.init(rule: .date, kinds: others.union(.time), keeps: keeps)
    }
  }

  private subscript(shift: UInt64, width: UInt64) -> Int {
    @inline(__always) get { Int(truncatingIfNeeded: bits &>> shift & (1 &<< width &- 1)) }
    set {
      precondition(newValue >= 0 && newValue < 1 << width, "a part of a place is too large")
      bits = bits & ~((1 &<< width &- 1) &<< shift) | UInt64(newValue) &<< shift
    }
  }

  /// Most characters of a text.
  var limit: Int { @inline(__always) get { self[0, 16] } }
  var kinds: PlainKinds {
    @inline(__always) get { PlainKinds(rawValue: UInt16(truncatingIfNeeded: self[16, 6])) }
  }
  /// Its ``Role``; in lines that a mapping describes the slot of its path.
  var role: Int { @inline(__always) get { self[22, 6] } }
  var rule: ValueRule { @inline(__always) get { ValueRule(number: self[28, 3]) } }
  /// Whether the value gets an entry on the tape.
  var keeps: Bool { @inline(__always) get { self[31, 1] != 0 } }
  /// Whether a text may have canonical escapes.
  var mayEscape: Bool { @inline(__always) get { self[32, 1] != 0 } }
  /// The container that an object, or an array, opens; 0 = it is not plain.
  var object: Int {
    @inline(__always) get { self[33, 8] }
    set { self[33, 8] = newValue }
  }
  var array: Int {
    @inline(__always) get { self[41, 8] }
    set { self[41, 8] = newValue }
  }
  /// The container that the one around it becomes, because the field tells its form; 0 = none.
  var becomes: Int {
    get { self[49, 8] }
    set { self[49, 8] = newValue }
  }
  var keys: Container.Keys {
    @inline(__always) get {
      Container.Keys(rawValue: UInt8(truncatingIfNeeded: self[57, 4])) ?? .fields
    }
    set { self[57, 4] = Int(newValue.rawValue) }
  }
  var hasForeignKeys: Bool {
    @inline(__always) get { self[57, 4] >= Int(Container.Keys.mappedAttributes.rawValue) }
  }
  /// Whether the object has nothing but fields of known names.
  var hasFields: Bool { @inline(__always) get { self[57, 4] == 0 } }
  var isEvent: Bool {
    @inline(__always) get { self[61, 1] != 0 }
    set { self[61, 1] = newValue ? 1 : 0 }
  }
}

/// An object or array of a line.
struct Container: BitwiseCopyable {
  /// How its keys are read; those of foreign events come last (``PlanPlace/hasForeignKeys``).
  enum Keys: UInt8 {
    case fields
    /// They are names of attributes, of the event itself or in one of its objects.
    case attributes, eventAttributes
    /// They are names of attributes that an operation is about; in user data of v1 with prefixes.
    case operations, values
    /// They are names in paths of a mapping; in its objects of attributes, others are attributes.
    case mapped, mappedAttributes
    /// They are names of attributes, in an attribute of a foreign event.
    case foreign
  }

  enum End: UInt8 { case nothing, event, tags, recordV1, recordV2 }

  var keys = Keys.fields
  var end = End.nothing
  /// Whether it gets an entry on the tape, and its keys.
  var keeps = false
  /// Whether an array that begins with an object has another place, the one after ``item``.
  var hasObjectItem = false
  var most = UInt16.max
  /// The place of the items of an array. Of an object of attributes or operations the place of
  /// values of the first ``KeyForm``, which the others follow; then each ``OperationValue``.
  var item: UInt16 = 0
}

/// Further values of operations, in the order of their places.
enum OperationValue: Int { case native, topics, collection }

/// Where a key leads from its container.
struct Step: BitwiseCopyable {
  enum Action: UInt8 {
    case nothing, rootField, becomes
    case learn, rename, keep
    /// The value is read by a rule of the mapping instead of becoming an attribute.
    case taken
  }

  var place = PlanPlace()
  /// Equal for equal keys of one object.
  var identity: UInt16 = 0
  /// The number of the name that it gets.
  var name: UInt16 = 0
  var action = Action.learn
}

/// The steps of a batch, by number of the name and container: each is found once.
struct LearntSteps: ~Copyable {
  /// Most containers of a plan.
  static let containers = 64

  private var steps = PlainList<Step>(capacity: 1)

  /// The plan whose containers they are.
  private var plan: UInt64 = 0

  mutating func begin(_ plan: UInt64) {
    if plan != self.plan { forget() }
    self.plan = plan
  }

  mutating func forget() { steps.truncate(to: 0) }
  subscript(name: UInt16, container: Int) -> Step {
    @inline(__always) get {
      let index = UInt(name) &* UInt(Self.containers) &+ UInt(bitPattern: container)
      return index < UInt(bitPattern: steps.count) ? steps[Int(bitPattern: index)] : Step()
    }
    set {
      while steps.count < (Int(name) + 1) * Self.containers { steps.append(Step()) }
      steps[Int(name) * Self.containers + container] = newValue
    }
  }
}
