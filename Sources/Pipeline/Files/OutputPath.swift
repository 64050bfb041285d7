/// The name of a directory that is to be published, and the names that belong to it beside it.
///
/// Everything beside it begins with a point and its name, in the same directory, for renames.
package struct OutputPath: Sendable, Equatable {
  /// The directory it stands in; `.` and `/` are possible.
  package let parent: String
  /// The last part of the path.
  package let name: String

  /// The path `text`, without slashes at its end.
  /// - Throws: `usage`, when it cannot be the name of a new directory.
  package init(_ text: String) throws(Failure) {
    var bytes = Array(text.utf8)
    while bytes.count > 1, bytes.last == OutputPath.slash { bytes.removeLast() }
    let cut = bytes.lastIndex(of: OutputPath.slash)
    let last = bytes[(cut.map { $0 + 1 } ?? 0)...]
    name = String(decoding: last, as: UTF8.self)
    guard !name.isEmpty, name != ".", name != "..", !bytes.contains(0) else {
      throw Failure(
        .usage, doing: "publishing to", path: "\"\(text)\"",
        why: "that is not the name of a new directory",
        advice: "name a directory that the run may make")
    }
    // The slashes before the name go, one at the beginning aside.
    var head = cut.map { bytes[..<$0] } ?? [OutputPath.point]
    while head.last == OutputPath.slash { head.removeLast() }
    parent = head.isEmpty ? "/" : String(decoding: head, as: UTF8.self)
  }

  private static let slash = UInt8(ascii: "/")
  private static let point = UInt8(ascii: ".")

  /// The path that `other` has beside this one.
  package func beside(_ other: String) -> String {
    switch parent {
    case ".": other
    case "/": "/\(other)"
    default: "\(parent)/\(other)"
    }
  }

  /// The path itself, in its plain form.
  package var path: String { beside(name) }

  var lock: String { beside(".\(name).lock") }

  /// Where a process collects what it will publish.
  func staging(by process: Int) -> String { beside("\(stagingPrefix)\(process)") }

  /// Where a process puts the replaced output if the file system cannot exchange names.
  func aside(by process: Int) -> String { beside("\(asidePrefix)\(process)") }

  private var stagingPrefix: String { ".\(name).staging-" }
  private var asidePrefix: String { ".\(name).old-" }

  /// What a run that died may leave for the next one to go on from.
  package var checkpoint: String { beside(".\(name).resume") }

  /// Whether the output, or something that belongs to it, has the name `other` in ``parent``.
  package func needs(_ other: String) -> Bool {
    [name, "\(name).rejected"].contains { $0.utf8.elementsEqual(other.utf8) }
      || other.utf8.starts(with: ".\(name).".utf8)
  }

  /// Whether some process made `other`, a name in ``parent``, as its ``staging(by:)``.
  func isStaging(_ other: String) -> Bool { OutputPath.isNumbered(other, stagingPrefix) }

  /// Whether some process made `other`, a name in ``parent``, as its ``aside(by:)``.
  func isAside(_ other: String) -> Bool { OutputPath.isNumbered(other, asidePrefix) }

  private static func isNumbered(_ name: String, _ prefix: String) -> Bool {
    guard name.utf8.starts(with: prefix.utf8) else { return false }
    let number = name.utf8.dropFirst(prefix.utf8.count)
    return !number.isEmpty && number.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
