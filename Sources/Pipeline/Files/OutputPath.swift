/// The name of a directory that is to be published, and the names that belong to it beside it.
///
/// Everything beside it begins with a point and its name, in the same directory, for renames.
package struct OutputPath: Sendable, Equatable {
  /// The directory it stands in; `.` and `/` are possible.
  package let parent: String
  /// The last part of the path.
  package let name: String
  /// The attempt whose lock and hidden names these are; nil for a job that excludes every other.
  package let attempt: String?

  /// The path `text`, without slashes at its end.
  /// - Throws: `usage`, when it cannot be the name of a new directory.
  package init(_ text: String, attempt: String? = nil) throws(Failure) {
    self.attempt = attempt
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

  var lock: String { beside("\(prefix)lock") }

  /// Where a process collects what it will publish.
  func staging(by process: Int) -> String { beside("\(prefix)staging-\(token(process))") }

  /// Where a process puts the replaced output if the file system cannot exchange names.
  func aside(by process: Int) -> String { beside("\(prefix)old-\(token(process))") }

  private var prefix: String { ".\(name)." + (attempt.map { "\(Self.attemptMark)\($0)." } ?? "") }
  private static let attemptMark = "attempt-"

  /// What keeps the names of two processes apart. Without an attempt, the lock does so on all
  /// machines; attempts have locks of their own, so their names never meet anywhere.
  private func token(_ process: Int) -> String {
    guard attempt != nil else { return "\(process)" }
    return "\(Self.host)-\(String(UInt64.random(in: Self.randomNumbers), radix: 16))"
  }

  /// Those of 16 hexadecimal digits.
  private static let randomNumbers = 1 << 60...UInt64.max

  /// The name of this machine, of letters, digits and dashes only.
  private static let host: String = {
    let name = (System.hostName ?? "localhost").utf8.prefix(longestAttempt)
    let plain = name.map { isPlain($0) ? $0 : UInt8(ascii: "-") }
    return String(decoding: plain, as: UTF8.self)
  }()

  private static let longestAttempt = 64

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Whether an attempt may have that name.
  package static func isAttempt(_ name: String) -> Bool {
    1...longestAttempt ~= name.utf8.count
      && name.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// The attempt that made `other`, a hidden name beside an output; nil when none did.
  package static func attempt(of other: String) -> String? {
    let parts = other.split(separator: ".")
    guard parts.count > 2, parts[parts.count - 2].hasPrefix(attemptMark) else { return nil }
    let attempt = String(parts[parts.count - 2].dropFirst(attemptMark.count))
    return isAttempt(attempt) ? attempt : nil
  }

  /// What a run that died may leave for the next one to go on from.
  package var checkpoint: String { beside(".\(name).resume") }

  /// Whether the output, or something that belongs to it, has the name `other` in ``parent``.
  package func needs(_ other: String) -> Bool {
    [name, "\(name).rejected"].contains { $0.utf8.elementsEqual(other.utf8) }
      || other.utf8.starts(with: ".\(name).".utf8)
  }

  /// Whether a process made `other`, a name in ``parent``, as its ``staging(by:)``; of attempts,
  /// whether one of this machine did.
  func isStaging(_ other: String) -> Bool { isMade(other, "\(prefix)staging-") }

  /// The same for ``aside(by:)``.
  func isAside(_ other: String) -> Bool { isMade(other, "\(prefix)old-") }

  private func isMade(_ name: String, _ prefix: String) -> Bool {
    let host = attempt == nil ? "" : "\(Self.host)-"
    guard name.utf8.starts(with: (prefix + host).utf8) else { return false }
    let number = name.utf8.dropFirst(prefix.utf8.count + host.utf8.count)
    guard attempt == nil else {
      return number.count == 16 && UInt64(Substring(number), radix: 16) != nil
    }
    return !number.isEmpty && number.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
