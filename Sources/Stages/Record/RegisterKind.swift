package import Pipeline

/// A register that keeps one value per key, the latest: a row of a table that defines reader,
/// validator, merge, outputs and checks.
///
/// The order is that of operations in a record and of fields in a profile. States contain the raw
/// values, so another order is another format of states.
package enum RegisterKind: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  /// The location of the person or installation (dialects 2).
  case location
  /// Whether the installation has opted out (dialects 2). A person has if all its installations
  /// have; `--honor-opt-out` reads its whole history.
  case consent

  struct Row {
    let field: StaticString
    /// The field in the lines of a state, and that of the value in it, which sorts before `time`.
    let state: (field: StaticString, value: StaticString)
    let form: Form
    /// Whether only installations have it, even if the record belongs to a person.
    var isOfInstallation = false
    /// Whether an erase mark removes it, if it is old enough. It counts as an attribute then.
    var isErasable = true
  }

  var row: Row {
    switch self {
    case .location: Row(field: "location", state: ("at", "place"), form: .point)
    case .consent:
      Row(
        field: "opted_out", state: ("consent", "opted_out"), form: .flag, isOfInstallation: true,
        isErasable: false)
    }
  }

  package var field: StaticString { row.field }
  package var form: Form { row.form }
  package var isOfInstallation: Bool { row.isOfInstallation }
  package var isErasable: Bool { row.isErasable }
}

extension RegisterKind {
  /// The form of a register's values. A flag is `true` or `false`; a profile has it only if `true`,
  /// without its time. Others are objects, to which a profile adds their `time`.
  package enum Form: String, Sendable {
    case point, flag

    /// Whether the value at `node` has the form used in records; otherwise the field is unread.
    package func fits(_ node: Int, of tape: Tape) -> Bool {
      switch self {
      case .point:
        tape.present("latitude", of: node) != nil && tape.present("longitude", of: node) != nil
      case .flag: tape.isBoolean(node)
      }
    }

    package func fault(_ node: Int, of tape: Tape) -> ReasonCode? {
      switch self {
      case .point: GeoPoint(node, of: tape).isValid(in: tape) ? nil : .locationInvalid
      case .flag: nil
      }
    }

    func append(_ node: Int, of tape: Tape, to out: inout ByteBuffer) {
      switch self {
      case .point: GeoPoint(node, of: tape).append(of: tape, to: &out)
      case .flag: out.append(tape[node].kind == .true ? "true" : "false")
      }
    }

    /// Whether a text may be a value of the register in a state: what its readers rely on.
    func isKept(_ value: ByteView) -> Bool {
      self == .flag
        ? value == "true" || value == "false"
        : value.count > 2 && value[0] == UInt8(ascii: "{")
          && value[value.count - 1] == UInt8(ascii: "}")
    }
  }
}
