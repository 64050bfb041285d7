/// Writes and reads the text form of Prometheus (exposition format 0.0.4).
package struct PrometheusText: ~Copyable {
  package enum Value: Sendable {
    case integer(Int)
    /// Non-finite values are written as `NaN`, `+Inf`, `-Inf`.
    case real(Double)
  }

  private var buffer = ByteBuffer()
  private var name = ByteView("")

  package private(set) var lines = 0

  package init() {}

  package consuming func finish() -> ByteBuffer { buffer }

  /// Begins a gauge; its samples follow. `help` tells what it measures, in which unit.
  package mutating func gauge(_ name: StaticString, _ help: String) {
    self.name = ByteView(name)
    buffer.append(text: "# HELP \(name) ")
    append(escaped: help, quotes: false)
    buffer.append(text: "\n# TYPE \(name) gauge\n")
    lines += 2
  }

  /// Writes a sample of the metric. Prometheus keeps a series for each value of the label.
  package mutating func sample(_ value: Value, _ label: (name: StaticString, value: String)? = nil)
  {
    precondition(!name.isEmpty, "a sample belongs to a metric")
    buffer.append(name)
    if let label {
      buffer.append(text: "{\(label.name)=\"")
      append(escaped: label.value, quotes: true)
      buffer.append("\"}")
    }
    buffer.append(UInt8(ascii: " "))
    switch value {
    case .integer(let number): buffer.append(decimal: number)
    case .real(let number) where number.isFinite: buffer.append(text: number.description)
    case .real(let number) where number.isNaN: buffer.append("NaN")
    case .real(let number): buffer.append(number > 0 ? "+Inf" : "-Inf")
    }
    buffer.append(UInt8(ascii: "\n"))
    lines += 1
  }

  private mutating func append(escaped text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): buffer.append("\\\\")
      case UInt8(ascii: "\n"): buffer.append("\\n")
      case UInt8(ascii: "\"") where quotes: buffer.append("\\\"")
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
