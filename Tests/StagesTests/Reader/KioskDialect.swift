import Pipeline

@testable import Stages

/// Dialect `kiosk`: what the tills of a coffee bar write.
///
/// ```json
/// {"till":"front","ticket":"t-1","sold":"espresso","at":1714641300000,
///  "card":"user-1","price":2.50}
/// ```
enum KioskDialect: RecordDialect {
  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    let tape = batch.tape
    var event = EventEntry(record: UInt32(batch.records.count))
    var drink: Node = .none
    var price: Node = .none
    reader.root.take(of: tape) { name, node in
      switch name {
      case "till": break
      case "ticket": event.idNode = node
      case "at": event.timeNode = node
      case "card": record.customID = node
      case "sold": drink = node
      case "price": price = node
      default: return false
      }
      return true
    }
    // What is left no rule reads: a loss of the event.
    let first = batch.unread.count
    reader.noteUnknown(in: reader.root, besides: 0, of: batch)
    batch.noteOmissions(from: batch.findings.count, unreadFrom: first, of: &event)
    event.nameNode = Node(tape.appendScalar(tape.text { $0.append("drink_sold") }))
    event.attributes = Node(
      tape.appendContainer(.object) {
        tape.appendMember(tape.key("drink")) { tape.appendCopy(of: drink.index) }
        if price.exists {
          tape.appendMember(tape.key("price")) { tape.appendCopy(of: price.index) }
        }
      })
    batch.events.append(event)
  }
}

// No table has names of a dialect that only tests have.
extension RootFields {
  /// Calls `body` with each field that is not a ``RootField``, and the tape index of its value,
  /// none when it is null; of repeated fields the last one comes last. Fields for which `body`
  /// returns true no longer count as unknown.
  fileprivate func take(of tape: Tape, _ body: (_ name: ByteView, _ node: Node) -> Bool) {
    keepUnknown { key in
      !body(tape.bytes(at: key), tape[key.index + 1].kind == .null ? .none : key.next)
    }
  }
}
