import Testing

@testable import Pipeline

@Suite struct NumberFormatTests {
  @Test(arguments: [
    (NumberFormat.grouped(0), "0"), (NumberFormat.grouped(999), "999"),
    (NumberFormat.grouped(1000), "1,000"), (NumberFormat.grouped(-1_234_567), "-1,234,567"),
    (NumberFormat.count(1, "line"), "1 line"), (NumberFormat.count(0, "line"), "0 lines"),
    (NumberFormat.count(2000, "entry", "entries"), "2,000 entries"),
    (NumberFormat.bytes(0), "0 B"), (NumberFormat.bytes(999), "999 B"),
    (NumberFormat.bytes(1000), "1.0 kB"), (NumberFormat.bytes(1_540_000), "1.5 MB"),
    (NumberFormat.bytes(999_600_000), "1.0 GB"), (NumberFormat.bytes(.max), "9.2 EB"),
    (NumberFormat.duration(-1), "0 s"), (NumberFormat.duration(59.4), "59 s"),
    (NumberFormat.duration(60), "1 min 0 s"), (NumberFormat.duration(3600), "1 h 0 min"),
    (NumberFormat.duration(200), "3 min 20 s"), (NumberFormat.duration(7500), "2 h 5 min"),
    (NumberFormat.duration(.infinity), "168 h 0 min"),
    (NumberFormat.tenths(3.25), "3.3"), (NumberFormat.tenths(0), "0.0"),
    (NumberFormat.thousandths(0.0041), "0.004"), (NumberFormat.tenths(12.06), "12.1"),
    (NumberFormat.short(0), "0"), (NumberFormat.short(7), "7"), (NumberFormat.short(999), "999"),
    (NumberFormat.short(1000), "1 k"), (NumberFormat.short(1500), "1.5 k"),
    (NumberFormat.short(12_000), "12 k"), (NumberFormat.short(250_000), "250 k"),
    (NumberFormat.short(2_000_000), "2 M"), (NumberFormat.short(.max), "9.2 E"),
    (NumberFormat.percent(0), "0.0 %"), (NumberFormat.percent(1), "100.0 %"),
    (NumberFormat.percent(0.125), "12.5 %"), (NumberFormat.percent(1e-9), "< 0.1 %"),
    (NumberFormat.percent(0.999_999), "> 99.9 %"),
  ])
  func numbersAreShort(_ found: String, _ expected: String) { #expect(found == expected) }
}
