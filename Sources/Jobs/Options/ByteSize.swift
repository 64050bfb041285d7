/// Sizes with units: `512M`, `16MiB`, `1G`, `4096`.
package enum ByteSize {
  private static let prefixes = ["K", "M", "G", "T"]

  /// The number of bytes in `text`, or nil: digits, then an optional unit in upper or lower case.
  /// `K` and `KiB` are 1024 bytes, `KB` is 1000. More than 64 bits hold is the greatest number.
  package static func parse(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
    guard !digits.isEmpty, let unit = unit(text[digits.endIndex...].uppercased()) else {
      return nil
    }
    let (bytes, overflow) = (Int(digits) ?? .max).multipliedReportingOverflow(by: unit)
    return overflow ? .max : bytes
  }

  /// `bytes` in the largest unit that gives a whole number.
  package static func text(_ bytes: Int) -> String {
    var (value, unit) = (bytes, "")
    for prefix in prefixes where value >= 1024 && value.isMultiple(of: 1024) {
      (value, unit) = (value / 1024, prefix)
    }
    return "\(value)\(unit)"
  }

  private static func unit(_ text: String) -> Int? {
    if text.isEmpty || text == "B" { return 1 }
    guard let exponent = prefixes.firstIndex(of: String(text.prefix(1))) else { return nil }
    let base: Int
    switch text.dropFirst() {
    case "", "IB": base = 1024
    case "B": base = 1000
    default: return nil
    }
    return (0...exponent).reduce(1) { product, _ in product * base }
  }
}
