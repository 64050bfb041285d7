/// The name of a directory to be published, and the names beside it that belong to it: with a dot
/// before it, in the same directory, so that they can be renamed.
package struct OutputPath: Sendable, Equatable {
  /// The parent directory; may be `.` or `/`.
  package let parent: String
  package let name: String
  /// The attempt that the lock and the hidden names belong to; nil for a job that excludes others.
  package let attempt: String?

  /// The path `text`, without trailing slashes.
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
        why: "it is not the name of a new directory",
        advice: "name a directory that the run may create")
    }
    // The slashes before the name are dropped, except a leading one.
    var head = cut.map { bytes[..<$0] } ?? [UInt8(ascii: ".")]
    while head.last == OutputPath.slash { head.removeLast() }
    parent = head.isEmpty ? "/" : String(decoding: head, as: UTF8.self)
  }

  private static let slash = UInt8(ascii: "/")

  package func beside(_ other: String) -> String {
    switch parent {
    case ".": other
    case "/": "/\(other)"
    default: "\(parent)/\(other)"
    }
  }

  package var path: String { beside(name) }

  package var lock: String { beside("\(prefix)lock") }

  /// A name in which this process may collect the files to publish.
  var staging: String { beside("\(prefix)staging-\(token)") }

  /// One for the replaced output if the file system cannot exchange names.
  var aside: String { beside("\(prefix)old-\(token)") }

  private var prefix: String { ".\(name)." + (attempt.map { "\(Self.attemptMark)\($0)." } ?? "") }
  private static let attemptMark = "attempt-"

  /// Distinguishes the names of two processes. Without an attempt, the lock excludes other
  /// machines; attempts have locks of their own, so their names must be unique everywhere.
  private var token: String {
    attempt == nil
      ? "\(System.processID)"
      : "\(Self.host)-\(String(UInt64.random(in: Self.randomNumbers), radix: 16))"
  }

  /// Numbers of 16 hexadecimal digits.
  private static let randomNumbers = 1 << 60...UInt64.max

  /// The name of this machine, reduced to letters, digits and dashes.
  private static let host: String = {
    let name = (System.hostName ?? "localhost").utf8.prefix(longestAttempt)
    let plain = name.map { isPlain($0) ? $0 : UInt8(ascii: "-") }
    return String(decoding: plain, as: UTF8.self)
  }()

  private static let longestAttempt = 64

  private static func isPlain(_ byte: UInt8) -> Bool {
    Characters.isDigit(byte) || Characters.isLetter(byte)
  }

  /// Whether `name` is valid for an attempt.
  package static func isAttempt(_ name: String) -> Bool {
    1...longestAttempt ~= name.utf8.count
      && name.utf8.allSatisfy { isPlain($0) || "-_".utf8.contains($0) }
  }

  /// The attempt that made `other`, a hidden name beside an output; nil for any other name.
  package static func attempt(of other: String) -> String? {
    let parts = other.split(separator: ".")
    guard parts.count > 2, parts[parts.count - 2].hasPrefix(attemptMark) else { return nil }
    let attempt = String(parts[parts.count - 2].dropFirst(attemptMark.count))
    return isAttempt(attempt) ? attempt : nil
  }

  /// The progress of an interrupted migration, for the next one to continue.
  package var checkpoint: String { beside(".\(name).resume") }

  /// Whether `other` is the name, in ``parent``, of the output or of a file that belongs to it.
  package func needs(_ other: String) -> Bool {
    [name, "\(name).rejected"].contains { $0.utf8.elementsEqual(other.utf8) }
      || other.utf8.starts(with: ".\(name).".utf8)
  }

  /// Whether `other`, a name in ``parent``, is a ``staging``; for attempts, of this machine.
  func isStaging(_ other: String) -> Bool { isMade(other, "\(prefix)staging-") }

  /// The same for ``aside``.
  func isAside(_ other: String) -> Bool { isMade(other, "\(prefix)old-") }

  private func isMade(_ name: String, _ prefix: String) -> Bool {
    let host = attempt == nil ? "" : "\(Self.host)-"
    guard name.utf8.starts(with: (prefix + host).utf8) else { return false }
    let number = name.utf8.dropFirst(prefix.utf8.count + host.utf8.count)
    guard attempt == nil else {
      return number.count == 16 && UInt64(Substring(number), radix: 16) != nil
    }
    return !number.isEmpty && number.allSatisfy(Characters.isDigit)
  }
}
