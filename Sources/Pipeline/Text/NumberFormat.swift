/// Numbers formatted for people, the same in every locale.
package enum NumberFormat {
  /// `1,234,567`.
  package static func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// `1 line`, `2,000 lines`: a number of things; the plural of `noun` has an `s` by default.
  package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? noun : plural ?? "\(noun)s")"
  }

  /// `740 B`, `1.5 MB`, `12 GB`: powers of 1000, at least two digits.
  package static func bytes(_ count: Int) -> String {
    let (value, unit) = scaled(count, ["B", "kB", "MB", "GB", "TB", "PB", "EB"])
    return unit == "B" ? "\(count) B" : "\(value < 9.95 ? tenths(value) : whole(value)) \(unit)"
  }

  /// `9 s`, `3 min 20 s`, `2 h 5 min`.
  package static func duration(_ seconds: Double) -> String {
    // A week is longer than any run, and limits a bad estimate.
    let seconds = Int(min(max(seconds, 0), 604_800).rounded())
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3600) h \(seconds / 60 % 60) min"
  }

  /// `3.2`, and `0.004`: always with a point.
  package static func tenths(_ value: Double) -> String { decimal(value, scale: 10) }
  package static func thousandths(_ value: Double) -> String { decimal(value, scale: 1000) }

  private static func decimal(_ value: Double, scale: Int) -> String {
    let parts = Int((value * Double(scale)).rounded())
    return "\(parts / scale).\(String(abs(parts % scale) + scale).dropFirst())"
  }

  /// `950`, `12 k`, `1.5 M`: for the scale of a chart, where room is scarce.
  package static func short(_ number: Int) -> String {
    let (value, unit) = scaled(number, ["", " k", " M", " G", " T", " P", " E"])
    let text = value == value.rounded() || abs(value) >= 9.95 ? whole(value) : tenths(value)
    return text + unit
  }

  /// The number in powers of 1000, up to the last of `units`.
  private static func scaled(_ number: Int, _ units: [String]) -> (value: Double, unit: String) {
    var (value, unit) = (Double(number), 0)
    while abs(value) >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    return (value, units[unit])
  }

  /// `12.5 %` of a share from 0 to 1; only 0 and 1 are shown as 0 % and 100 %.
  package static func percent(_ share: Double) -> String {
    if share > 0, share < 0.000_5 { return "< 0.1 %" }
    if share < 1, share >= 0.999_5 { return "> 99.9 %" }
    return "\(tenths(share * 100)) %"
  }

  private static func whole(_ value: Double) -> String { String(Int(value.rounded())) }
}
