import Pipeline

/// Where keys lead, and what has to be done with those that are not in their stored form.
extension PlannedReader {
  /// Finds the step of the name with this number in a container.
  private func step(_ name: UInt16, _ number: Int, _ batch: RecordBatch) -> Step {
    let container = plan.containers[number]
    let text = batch.tape.names.text(Int(name))
    for row in plan.rows[number] where row.names.contains(where: { ByteView($0) == text }) {
      let place = plan.places[Int(row.place)]
      var step = Step(place: place)
      step.identity = UInt16(place.role)
      step.action =
        container.keys == .eventAttributes
        ? .rootField : container.keeps ? .keep : place.becomes > 0 ? .becomes : .nothing
      return step
    }
    let names = batch.tape.names
    switch container.keys {
    case .fields, .operations, .values: return Step(action: .nothing)
    case .mapped, .mappedAttributes: return plan.mappedStep(name, names, number)
    case .foreign: return Step(foreign: name, to: plan.places[Int(container.item)], names)
    case .attributes, .eventAttributes:
      let info = batch.keys[name]
      guard info.kind.isValid, info.identity != 0 else { return Step(action: .nothing) }
      let place = plan.places[Int(container.item) + Int(info.kind.rawValue)]
      var step = Step(place: place, action: .nothing)
      if !info.isLowercase {
        var key = ByteBuffer()
        KeyName.appendLowercase(text, to: &key)
        step = Step(renamed: key.view, to: place, names)
      }
      step.identity = info.identity
      return step
    }
  }

  /// Does what a step needs before its value is read, and returns the step to the value.
  @inline(never)
  func act(
    on step: Step, _ name: UInt16, _ key: Range<Int>, _ container: Int, into batch: RecordBatch
  ) throws(NotPlain) -> Step {
    var step = step
    if step.action == .learn {
      batch.learnKeys()
      step = self.step(name, container, batch)
      batch.steps[name, container] = step
    }
    switch step.action {
    case .nothing, .learn, .rootField, .becomes, .taken: return step
    case .rename:
      edits.append(AttributeEdit(start: key.lowerBound, end: key.upperBound, text: .key(step.name)))
      return step
    case .keep:
      _ = keep(key, .key, batch.tape)
      return step
    }
  }

  /// Appends the operation with this key, and returns the place of its value, which follows.
  func readOperation(
    _ name: UInt16, _ range: Range<Int>, _ number: Int, into batch: RecordBatch
  ) throws(NotPlain) -> PlanPlace {
    let (tape, container) = (batch.tape, plan.containers[number])
    let key = keep(range, .key, tape).index
    tape[key].next &+= 1
    var operation = OperationEntry(
      record: UInt32(batch.records.count), kind: .attribute, key: Node(key), value: Node(key + 1))
    if container.keys == .operations {
      batch.learnKeys()
      let info = batch.keys[name]
      info.relabel(key, as: info.kind, in: tape)
    } else {
      operation.isCollection = V1Names.stripPrefix(ofKey: key, in: tape)
      KeyName.classify(key, in: tape)
    }
    let kind = tape[key].keyKind
    let text = tape.bytes(at: key)
    if kind == .reserved { operation.native = NativeKey(text) }
    // A typed or native collection is not plain.
    guard kind.isValid || operation.native != nil,
      !(operation.native?.isOfPerson ?? false) || self[.customID].exists,
      fold.add(KeyFold.tag(text), item: key, isSame: { tape.bytes(at: $0) == text }) == nil,
      !operation.isCollection || operation.native == nil && kind == .plain
    else { throw NotPlain() }
    operation.isApplied = true
    batch.operations.append(operation)
    let native: OperationValue? = operation.native.map {
      $0 == .topicPreferences ? .topics : .native
    }
    let value = operation.isCollection ? .collection : native
    let place = value.map { KeyForm.count + $0.rawValue } ?? Int(kind.rawValue)
    return plan.places[Int(container.item) + place]
  }
}

extension Step {
  /// The step of an attribute's key to its place, under a new name.
  init(renamed key: ByteView, to place: PlanPlace, _ names: InternTable) {
    name = names.number(of: key)
    identity = name
    action = name > 0 ? .rename : .nothing
    if name > 0 { self.place = place }
  }

  /// The step of a key that foreign dialects may call otherwise.
  init(foreign name: UInt16, to place: PlanPlace, _ names: InternTable) {
    let text = names.text(Int(name))
    if ForeignName.isCanonical(text) {
      self.init(place: place, identity: name, action: .nothing)
      return
    }
    var key = ByteBuffer()
    _ = ForeignName.append(text, for: .key, to: &key)
    self.init(renamed: key.view, to: place, names)
  }
}
