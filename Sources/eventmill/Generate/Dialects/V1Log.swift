import Pipeline

/// Logs of v1 alone: nine events for one change of attributes.
enum V1Log: DialectLog {
  static let name: StaticString = "v1"
  static let faults = FaultyLine.catalogue(for: .v1)

  static func append(
    _ draft: inout Draft, of generator: LogGenerator, to text: inout ByteBuffer
  ) {
    if draft.random.below(1000) < 900 {
      generator.appendEventV1(&draft, to: &text)
    } else {
      generator.appendUpdateV1(&draft, to: &text)
    }
  }
}
