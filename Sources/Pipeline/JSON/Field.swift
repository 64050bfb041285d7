/// A row of a ``Document``. The field is omitted, and may be missing, where it has the value of a
/// new document and its kind says so.
package struct Field<Owner>: Sendable {
  package typealias Path<Value> = any WritableKeyPath<Owner, Value> & Sendable
  package typealias Reader<Value> =
    @Sendable (JSONValue, inout DocumentReading) throws(DocumentDamage) -> Value

  /// The names that it writes, and the origins of their texts. A closure: documents may be nested.
  let origins: @Sendable () -> [(String, Origin)]
  package let write: @Sendable (Owner, inout JSONWriter) -> Void
  var read:
    @Sendable (inout Owner, JSONValue, inout DocumentReading) throws(DocumentDamage) -> Void =
      { _, _, _ in }
  var add: @Sendable (inout Owner, Owner) -> Void = { _, _ in }

  /// A value in a form of its own.
  package static func row<Value>(
    _ name: StaticString, _ path: Path<Value>,
    origin: @escaping @autoclosure @Sendable () -> Origin = .program,
    omits: @escaping @Sendable (Value) -> Bool = { _ in false },
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void, read: @escaping Reader<Value>
  ) -> Field {
    Field(origins: { [("\(name)", origin())] }) { owner, json in
      let value = owner[keyPath: path]
      if omits(value) { return }
      json.key(name)
      write(value, &json)
    } read: { owner, object, reading throws(DocumentDamage) in
      guard let value = object[name] else {
        if omits(owner[keyPath: path]) { return }
        throw DocumentDamage("is missing").inside("\(name)")
      }
      do throws(DocumentDamage) {
        owner[keyPath: path] = try read(value, &reading)
      } catch { throw error.inside("\(name)") }
    }
  }

  package static func value<Value: DocumentValue>(
    _ name: StaticString, _ path: Path<Value>
  ) -> Field {
    plain(name, path) { _ in false }
  }

  /// A value that is omitted when it is `usual`.
  package static func value<Value: DocumentValue & Equatable & Sendable>(
    _ name: StaticString, _ path: Path<Value>, unless usual: Value
  ) -> Field {
    plain(name, path) { $0 == usual }
  }

  /// A value that is omitted when there is none.
  package static func maybe<Value: DocumentValue>(
    _ name: StaticString, _ path: Path<Value?>
  ) -> Field {
    row(
      name, path, origin: Value.origin, omits: { $0 == nil }, write: { $0?.write(to: &$1) },
      read: Value.read)
  }

  /// A list that is omitted when it is empty.
  package static func list<Value: DocumentValue>(
    _ name: StaticString, _ path: Path<[Value]>
  ) -> Field {
    plain(name, path) { $0.isEmpty }
  }

  private static func plain<Value: DocumentValue>(
    _ name: StaticString, _ path: Path<Value>, omits: @escaping @Sendable (Value) -> Bool
  ) -> Field {
    row(
      name, path, origin: Value.origin, omits: omits, write: { $0.write(to: &$1) },
      read: Value.read)
  }

  /// A text from a line of a log.
  package static func line(_ name: StaticString, _ path: Path<String>) -> Field {
    row(name, path, origin: .lines, write: { $1.item($0) }, read: String.read)
  }

  package static func line(_ name: StaticString, _ path: Path<String?>) -> Field {
    row(
      name, path, origin: .lines, omits: { $0 == nil }, write: { $1.item($0) }, read: String.read)
  }

  package static func format<Value: DocumentValue & Equatable & Sendable>(
    _ name: StaticString, _ constant: Value
  ) -> Field {
    Field(origins: { [("\(name)", .program)] }) { _, json in
      json.key(name)
      constant.write(to: &json)
    } read: { _, object, reading throws(DocumentDamage) in
      let value = try? object[name].map { value throws(DocumentDamage) in
        try Value.read(value, &reading)
      }
      guard value == constant else {
        throw DocumentDamage("has a format that this program does not read")
      }
    }
  }

  /// A value that follows from others, and is not read; omitted when there is none.
  package static func written<Value: WrittenValue>(
    _ name: StaticString, _ value: @escaping @Sendable (Owner) -> Value?
  ) -> Field {
    Field(origins: { [("\(name)", Value.origin)] }) { value($0)?.write(name, to: &$1) }
  }

  /// Fields that follow from others, without texts from lines, and are not read.
  package static func written(
    _ write: @escaping @Sendable (Owner, inout JSONWriter) -> Void
  ) -> Field { Field(origins: { [] }, write: write) }

  /// A count: added up with all others, when it is read and by ``Document/add(_:)``.
  package static func count(
    _ name: StaticString, _ path: Path<Int>, omitsZero: Bool = false
  ) -> Field {
    var field = row(name, path, omits: { omitsZero && $0 == 0 }, write: { $1.item($0) }) {
      value, reading throws(DocumentDamage) in try value.counted(in: 0..., &reading)
    }
    field.add = { $0[keyPath: path] += $1[keyPath: path] }
    return field
  }

  /// A length or a position: as credible as a count, but not added by ``Document/add(_:)``.
  package static func size(_ name: StaticString, _ path: Path<Int>) -> Field {
    row(name, path, write: { $1.item($0) }) { value, reading throws(DocumentDamage) in
      try value.counted(in: 0..., &reading)
    }
  }

  package static func counts(
    _ name: StaticString, _ path: Path<[NamedCount]>, omitsEmpty: Bool = false,
    _ range: PartialRangeFrom<Int> = 0..., names: Origin.Names = .program
  ) -> Field {
    row(name, path, origin: .named(names, .program), omits: { omitsEmpty && $0.isEmpty }) {
      counts, json in
      json.object { json in for item in counts { json.member(item.name, item.count) } }
    } read: { value, reading throws(DocumentDamage) in
      guard value.kind == .object else { throw .isNot("an object of counts") }
      return try value.members.map { name, value throws(DocumentDamage) in
        do throws(DocumentDamage) {
          return NamedCount(name, try value.counted(in: range, &reading))
        } catch { throw error.inside(name) }
      }
    }
  }

  /// Fields of the same owner in an object of their own.
  package static func group(_ name: StaticString, _ fields: [Field]) -> Field {
    Field(origins: { [("\(name)", .fields(origins(of: fields)))] }) { owner, json in
      json.object(name) { json in for field in fields { field.write(owner, &json) } }
    } read: { owner, object, reading throws(DocumentDamage) in
      guard let group = object[name] else { throw DocumentDamage("is missing").inside("\(name)") }
      do throws(DocumentDamage) {
        for field in fields { try field.read(&owner, group, &reading) }
      } catch { throw error.inside("\(name)") }
    } add: { owner, other in
      for field in fields { field.add(&owner, other) }
    }
  }

  /// The fields of a part, in the same object.
  package static func part<Part: Document>(_ path: Path<Part>) -> Field {
    Field(origins: { Part.fields.flatMap { $0.origins() } }) { owner, json in
      owner[keyPath: path].writeFields(to: &json)
    } read: { owner, object, reading throws(DocumentDamage) in
      try owner[keyPath: path].readFields(of: object, &reading)
    } add: {
      $0[keyPath: path].add($1[keyPath: path])
    }
  }

  /// The fields of a part that there is if the object has the field `name`.
  package static func part<Part: Document>(_ path: Path<Part?>, with name: StaticString) -> Field {
    Field(origins: { Part.fields.flatMap { $0.origins() } }) { owner, json in
      owner[keyPath: path]?.writeFields(to: &json)
    } read: { owner, object, reading throws(DocumentDamage) in
      if object[name] != nil { owner[keyPath: path] = try Part.read(object, &reading) }
    }
  }

  /// The same field of an owner that has a value with it, to be written.
  package func of<Outer>(_ inner: @escaping @Sendable (Outer) -> Owner) -> Field<Outer> {
    Field<Outer>(origins: origins) { write(inner($0), &$1) }
  }

  package static func origins(of fields: [Field]) -> [String: Origin] {
    Dictionary(fields.flatMap { $0.origins() }) { first, _ in first }
  }
}
