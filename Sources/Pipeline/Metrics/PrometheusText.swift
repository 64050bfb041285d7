/// Writes and reads the text form of Prometheus (exposition format 0.0.4).
package struct PrometheusText: ~Copyable {
  /// The value of a sample.
  package enum Value: Sendable {
    case integer(Int)
    /// Non-finite values are written as `NaN`, `+Inf`, `-Inf`.
    case real(Double)
  }

  private var buffer = ByteBuffer()
  private var name = ByteView("")
  /// Lines written so far.
  package private(set) var lines = 0

  /// An empty text.
  package init() {}

  /// The text so far; valid until more is written.
  package var bytes: ByteView { buffer.view }

  /// The buffer with the text.
  package consuming func finish() -> ByteBuffer { buffer }

  /// Begins a gauge metric. Its samples follow.
  /// - Parameter help: what it measures, in which unit.
  package mutating func gauge(_ name: StaticString, _ help: String) {
    self.name = ByteView(name)
    buffer.append(ByteView("# HELP "))
    buffer.append(self.name)
    buffer.append(UInt8(ascii: " "))
    append(escaped: help, quotes: false)
    buffer.append(ByteView("\n# TYPE "))
    buffer.append(self.name)
    buffer.append(ByteView(" gauge\n"))
    lines += 2
  }

  /// Writes a sample of the current metric, with a label if there are several.
  /// - Parameter label: its name and value; Prometheus keeps a series for each value.
  package mutating func sample(_ value: Value, _ label: (name: StaticString, value: String)? = nil)
  {
    precondition(!name.isEmpty, "a sample belongs to a metric")
    buffer.append(name)
    if let label {
      buffer.append(UInt8(ascii: "{"))
      buffer.append(ByteView(label.name))
      buffer.append(ByteView("=\""))
      append(escaped: label.value, quotes: true)
      buffer.append(ByteView("\"}"))
    }
    buffer.append(UInt8(ascii: " "))
    switch value {
    case .integer(let number): buffer.append(decimal: number)
    case .real(let number) where number.isFinite: buffer.append(text: number.description)
    case .real(let number) where number.isNaN: buffer.append(ByteView("NaN"))
    case .real(let number): buffer.append(number > 0 ? ByteView("+Inf") : ByteView("-Inf"))
    }
    buffer.append(UInt8(ascii: "\n"))
    lines += 1
  }

  private mutating func append(escaped text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): buffer.append(ByteView("\\\\"))
      case UInt8(ascii: "\n"): buffer.append(ByteView("\\n"))
      case UInt8(ascii: "\"") where quotes: buffer.append(ByteView("\\\""))
      default: buffer.append(byte)
      }
    }
  }

  // MARK: Reading

  /// The value of the last sample `name` without labels in `text`; nil without a number.
  package static func value(of name: String, in text: ByteView) -> Double? {
    var found: Double?
    var lines = LineCursor(bytes: text)
    while let line = lines.next() {
      let words = text[line].text.split { $0 == " " || $0 == "\t" || $0 == "\r" }
      // A time may follow the value.
      guard 2...3 ~= words.count, words[0] == name, let value = Double(words[1]) else { continue }
      found = value
    }
    return found
  }
}
