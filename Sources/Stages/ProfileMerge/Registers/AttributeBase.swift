package import Pipeline

/// The part of a total order by which one value wins over another (data-model 13): the first part
/// in which they differ.
package enum MergeRule: Sendable {
  case time
  /// A set before an unset, a removal before an addition.
  case kind
  /// The greater bytes; of earliest links the smaller ones.
  case bytes
  /// A plain key before `date(…)` before `url(…)`.
  case form
}

/// The latest set or unset of an attribute (data-model 13.1); the merge keeps the winner of a total
/// order, so it is associative, commutative and idempotent.
package struct AttributeBase {
  /// In ascending order of precedence on equal times.
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Neither set nor unset: the neutral element of the merge.
    case none
    case unset
    case set
  }

  /// Milliseconds since 1970; the minimum for `.none`.
  package let time: Int
  package let kind: Kind
  /// The type that the key gives the value; always plain for `.none` and `.unset`.
  package let form: KeyForm
  /// Canonical JSON of the value; empty for `.none` and `.unset`.
  package let value: ByteView

  /// Nothing known.
  package static var none: AttributeBase {
    AttributeBase(time: .min, kind: .none, form: .plain, value: ByteView(""))
  }

  /// The attribute was unset at `time`.
  package static func unset(at time: Int) -> AttributeBase {
    AttributeBase(time: time, kind: .unset, form: .plain, value: ByteView(""))
  }

  package init(time: Int, kind: Kind, form: KeyForm, value: ByteView) {
    self.time = time
    self.kind = kind
    self.form = form
    self.value = value
  }

  /// Whether a merge of the two keeps this one: the later time; then set before unset; then the
  /// greater bytes; then plain before date before url. Equal bases do not win over each other.
  package func wins(over other: AttributeBase) -> Bool {
    if kind == .none { return false }
    if other.kind == .none { return true }
    return switch rule(against: other) {
    case .time: time > other.time
    case .kind: kind.rawValue > other.kind.rawValue
    case .bytes: other.value < value
    case .form: form.rawValue < other.form.rawValue
    case nil: false
    }
  }

  /// The rule that decides between the two; nil when they are equal. Neither may be `.none`.
  @inline(__always)
  package func rule(against other: AttributeBase) -> MergeRule? {
    if time != other.time { return .time }
    if kind != other.kind { return .kind }
    if value != other.value { return .bytes }
    return form != other.form ? .form : nil
  }
}
