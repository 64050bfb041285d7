@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// The one file of a partial taken apart, to be edited, and put together again.
extension ScratchDirectory {
  private static let trailer = 24

  /// Puts the parts of the partial `name`, and its manifest, into files of their own.
  func unpack(_ name: String) throws {
    var rest = try bytes("\(name)/partial")[...]
    let length = rest.suffix(Self.trailer).prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    let manifest = Array(rest.dropLast(Self.trailer).suffix(length))
    for part in try #require(NaiveJSON(parsing: manifest)["outputs"]).items {
      let bytes = rest.prefix(try #require(part["bytes"]?.integer))
      try write(Array(bytes), to: "\(name)/\(#require(part["path"]?.text))")
      rest = rest.dropFirst(bytes.count)
    }
    #expect(rest.count == length + Self.trailer)
    try write(manifest, to: "\(name)/manifest.json")
    try remove("\(name)/partial")
  }

  /// Makes the one file of what ``unpack(_:)`` has left of `name`, with a trailer that fits.
  func pack(_ name: String) throws {
    let parts = try files(below: name)
    let manifest = try bytes("\(name)/manifest.json")
    var file: [UInt8] = []
    for part in parts where part != "manifest.json" { file += try bytes("\(name)/\(part)") }
    file += manifest
    for word in [UInt64(manifest.count), withByteView(of: manifest) { XXH64.hash($0) }] {
      file += (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
    file += Array("partial".utf8) + [UInt8(PartialFile.formatVersion)]
    for part in parts { try remove("\(name)/\(part)") }
    try write(file, to: "\(name)/partial")
  }

  /// Edits the manifest of the partial `name`; the trailer fits what comes of it.
  func editManifest(_ name: String, _ edit: (String) throws -> String) throws {
    try unpack(name)
    try self.edit("\(name)/manifest.json", edit)
    try pack(name)
  }
}
