import Pipeline
import Stages

/// An attribute that was added or removed, or has values of other types than before.
package struct AttributeChange: Equatable, Sendable {
  /// The name without `date(…)` and `url(…)`.
  package let name: String
  /// The types of its values in all profiles of each output, sorted; empty if none has it.
  package let old: [String]
  package let new: [String]
  /// Number of profiles with it, if it was added or removed.
  package let profiles: Int
}

/// The types of attributes in profiles that differ, and the conclusions for all profiles.
///
/// Profiles that are equal on both sides are not read, so a type that only new profiles have among
/// those that differ may be an old one: then the old profiles are searched until it is found. For
/// one thread.
final class AttributeComparison {
  /// Types of values, each a bit.
  private struct Types: OptionSet {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The type of the value at `node`, whose key is of the kind `key`.
    init(_ key: KeyKind, _ node: Int, of tape: Tape) {
      let type = ValueType(key, tape[node].kind)
      rawValue = 1 << (ValueType.allCases.firstIndex { $0 == type } ?? 0)
    }

    var words: [String] {
      ValueType.allCases.enumerated().filter { rawValue & 1 << $0.offset != 0 }
        .map(\.element.rawValue).sorted()
    }
  }

  /// The types of an attribute in one output.
  private struct Known {
    var types: Types = []
    var profiles = 0
    /// Types found when all profiles were searched.
    var found: Types = []

    mutating func add(_ type: Types) {
      types.formUnion(type)
      profiles += 1
    }
  }

  private let tape = Tape(numbersNames: false)
  private let names = NameTable("attribute names", limit: Output.mostNames)
  private var numbers: NameCache
  /// The facts of the old and the new output, by number of the name.
  private var known: [[Known]] = [[], []]

  init() { numbers = NameCache(of: names) }

  /// Adds a profile that differs: its line on each side, if it exists.
  func take(old before: ByteView?, new after: ByteView?) {
    for (side, line) in [before, after].enumerated() {
      if let line { forEachAttribute(of: line) { known[side][$0].add($1) } }
    }
  }

  /// The attributes that differ between all profiles of `before` and `after`, sorted by name.
  func finish(
    _ before: DiffSide, _ after: DiffSide, _ control: JobControl
  ) throws(Failure) -> [AttributeChange] {
    if let failure = names.failure { throw failure }
    let list = names.list()
    for (side, output) in [before, after].enumerated() {
      let open = known[side].indices.filter { number in
        !known[1 - side][number].types.subtracting(known[side][number].types).isEmpty
          && output.attributes.contains(list[UInt32(number)].text)
      }
      try search(output, side, for: open, control)
    }
    return list.sorted.compactMap { number in
      change(list[number].text, known[0][Int(number)], known[1][Int(number)])
    }
  }

  private func change(_ name: String, _ old: Known, _ new: Known) -> AttributeChange? {
    // Types found in no profile that differs are in profiles that are equal on both sides.
    let common = old.found.subtracting(old.types).union(new.found.subtracting(new.types))
    let types = (old.types.union(common), new.types.union(common))
    if types.0 == types.1 { return nil }
    return AttributeChange(
      name: name, old: types.0.words, new: types.1.words,
      profiles: types.0.isEmpty ? new.profiles : types.1.isEmpty ? old.profiles : 0)
  }

  /// Searches the profiles of an output for attributes until each has all types of the other side.
  private func search(
    _ output: DiffSide, _ side: Int, for open: [Int], _ control: JobControl
  ) throws(Failure) {
    var open = Set(open)
    for part in 0..<output.run.partitions {
      if open.isEmpty { return }
      let profiles = try RunCursor(profilesOf: output.run.part(part))
      while !open.isEmpty, let line = try profiles.nextProfile() {
        try control.check()
        forEachAttribute(of: line) { number, type in
          guard open.contains(number) else { return }
          known[side][number].found.formUnion(type)
          let own = known[side][number]
          let wanted = known[1 - side][number].types
          if wanted.subtracting(own.types).isSubset(of: own.found) { open.remove(number) }
        }
      }
    }
  }

  private func forEachAttribute(of line: ByteView, _ body: (_ number: Int, Types) -> Void) {
    tape.bind(to: line)
    guard case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: tape),
      let attributes = tape.member("attributes", of: root)
    else { return }
    tape.forEachMember(of: attributes) { key in
      let text = tape.bytes(at: key)
      let (kind, name) = KeyName.kind(of: text)
      let number = Int(numbers.id(of: text[name]))
      while known[0].count <= number { for side in 0...1 { known[side].append(Known()) } }
      body(number, Types(kind, key + 1, of: tape))
    }
  }
}
