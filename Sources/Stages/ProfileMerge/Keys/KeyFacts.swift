import Pipeline

/// The facts of a key as a whole, without a name: merged from its records in any order
/// (docs/reference/data-model.md, merge).
package struct KeyFacts {
  var touched = TouchedRegister()
  package var clear = ClearRegister()
  package var eraseMark = EraseMarkRegister()
  package var links = LinksRegister()
  package var seen = SeenRegister()

  package init() {}

  /// The facts in `records`. Complexity: O(n) for n records.
  init(_ records: ByteView) {
    var offset = 0
    while let record = Mutation(records, at: &offset) { add(record) }
  }

  /// Kinds of facts that are not merged from an installation into its person.
  static var areOwn: Mutation.Kinds {
    TouchedRegister.kinds.union(EraseMarkRegister.kinds).union(LinksRegister.kinds)
  }

  /// Lets `visitor` visit each register but ``seen``, which the records of others imply.
  @inline(__always)
  mutating func each<V: RegisterVisitor & ~Copyable>(_ visitor: inout V) {
    visitor.visit(&touched)
    visitor.visit(&clear)
    visitor.visit(&eraseMark)
    visitor.visit(&links)
  }

  /// Adds what a record says.
  @inline(__always)
  mutating func add(_ record: Mutation) {
    seen.add(record, rank: 0)
    if record.kind.naming != .none { return }
    var visitor = RegisterAdding(record: record, rank: 0)
    each(&visitor)
  }

  var isEmpty: Bool {
    seen.isEmpty && clear.isEmpty && eraseMark.isEmpty && links.current == nil && touched.isEmpty
      && !links.standsAlone
  }

  /// Whether more than a link is known of the key (data-model 13.8): then it is published.
  /// Otherwise it is published only if it has events, which have no time.
  package var isKnown: Bool { !seen.isEmpty || touched.isSet }

  /// Removes the clear and the links that the erase mark `mark` covers, when everything else of the
  /// key was merged. When the key was seen is derived from what is left
  /// (``KeyRegisters/deriveSeen()``).
  mutating func erase(through mark: Int) {
    var visitor = RegisterErasing(mark: mark)
    each(&visitor)
  }
}
