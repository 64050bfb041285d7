import Pipeline

/// Logs of v2 alone: nine lines with events for one change of attributes.
enum V2Log: DialectLog {
  static let name: StaticString = "v2"
  static let faults = FaultyLine.catalogue(for: .v2)

  static func append(
    _ draft: inout Draft, of generator: LogGenerator, to text: inout ByteBuffer
  ) {
    if draft.random.below(1000) < 900 {
      generator.appendEventsV2(&draft, to: &text)
    } else {
      generator.appendUpdateV2(&draft, to: &text)
    }
  }
}
