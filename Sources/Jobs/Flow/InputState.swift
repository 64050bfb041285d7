import Pipeline

/// The facts by which an input counts as unchanged: path, length, time of the last change.
struct InputState: Equatable {
  private static let doing = "comparing with an earlier run the input"

  let path: String
  /// Length in bytes; nil for an input that cannot be reopened, which never equals another.
  let bytes: Int?
  /// Nanoseconds since 1970.
  let modified: Int

  /// The current state of `input`.
  ///
  /// - Throws: `io`, when it cannot be inspected.
  init(_ input: InputFile, _ system: System) throws(Failure) {
    path = input.path
    guard input.isReopenable else {
      (bytes, modified) = (nil, 0)
      return
    }
    let status = try system.status(of: input.path, doing: InputState.doing)
    (bytes, modified) = (status.size, status.modified)
  }

  /// Whether both are the same, unchanged file.
  static func == (a: InputState, b: InputState) -> Bool {
    a.path.utf8.elementsEqual(b.path.utf8) && a.bytes != nil && a.bytes == b.bytes
      && a.modified == b.modified
  }

  /// Reads what ``write(to:)`` wrote; nil for anything else.
  init?(_ item: JSONValue) {
    guard let path = item["path"]?.text, let modified = item["modified"]?.int else { return nil }
    self.path = path
    self.modified = modified
    bytes = item["bytes"]?.int
  }

  /// Writes the fields of the open object.
  func write(to json: inout JSONWriter) {
    json.member("path", path)
    if let bytes { json.member("bytes", bytes) }
    json.member("modified", modified)
  }

  /// The states as a JSON text.
  static func json(_ states: [InputState]) -> ByteBuffer {
    JSONWriter.document { json in
      json.objects("inputs", of: states) { state, json in state.write(to: &json) }
    }
  }

  /// The states in the file `path`; nil when it does not exist or is damaged.
  ///
  /// - Throws: `io`.
  static func read(_ path: String, _ system: System) throws(Failure) -> [InputState]? {
    guard try system.statusIfAny(of: path, doing: doing) != nil else { return nil }
    guard
      let document = try JSONDocument.ifIntact(reading: path, doing: doing, system: system),
      let items = document.root["inputs"]?.items
    else { return nil }
    let states = items.compactMap { InputState($0) }
    return states.count == items.count ? states : nil
  }
}
