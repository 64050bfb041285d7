import Pipeline

/// The facts by which an input counts as unchanged: path, length, time of the last change.
struct InputState: Document, Equatable {
  private static let doing = "comparing with an earlier run the input"

  private(set) var path = ""
  /// Length in bytes; nil for an input that cannot be reopened, which never equals another.
  private(set) var bytes: Int?
  /// Nanoseconds since 1970.
  private(set) var modified = 0

  static let fields: [Field<InputState>] = [
    .value("path", \.path), .maybe("bytes", \.bytes), .value("modified", \.modified),
  ]

  init() {}

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
}
