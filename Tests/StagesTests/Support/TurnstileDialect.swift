import Pipeline

@testable import Stages

/// Dialect `turnstile`: what the gates of a museum write. Not all of them have a clock, and their
/// names are not those of events.
///
/// ```json
/// {"gate":"Main/North","card":"user-1","at":1714641300000,"id":"t-1"}
/// ```
enum TurnstileDialect: RecordDialect {
  static func evidence(in line: LineFields) -> Evidence? {
    line.node("gate") != nil ? Evidence("gate") : nil
  }

  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch
  ) {
    let tape = batch.tape
    var event = EventEntry(record: UInt32(batch.records.count))
    event.timing = .optional
    event.idNode = reader.root[.id]
    reader.root.take(of: tape) { name, node in
      switch name {
      case "gate": event.sourceName = node
      case "card": record.customID = node
      case "at": event.timeNode = node
      default: return false
      }
      return true
    }
    let source = tape.bytes(at: event.sourceName)
    event.nameNode = Node(
      tape.appendScalar(
        tape.text { text in
          for index in 0..<min(source.count, Characters.longestName) {
            let byte = Characters.lowercased(source[index])
            text.append(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte : UInt8(ascii: "_"))
          }
        }))
    if tape.bytes(at: event.nameNode) == tape.bytes(at: event.sourceName) {
      event.sourceName = .none
    }
    record.hasEventList = false
    batch.events.append(event)
  }
}
