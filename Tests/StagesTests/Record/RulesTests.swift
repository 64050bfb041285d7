import Testing

@testable import Stages

@Suite struct RulesTests {
  /// Lines of one dialect may be longer than others, unless the limit was set (dialects 6).
  @Test func longestLines() throws {
    let realm = try #require(Dialect(named: "realm"))
    var rules = Rules()
    #expect(rules.longestLine == 64 << 20 && rules.maxLine(of: realm) == 64 << 20)
    #expect(rules.maxLine(of: .v2) == 16 << 20)
    rules.dialect = .v2
    #expect(rules.longestLine == 16 << 20)
    rules.dialect = realm
    #expect(rules.longestLine == 64 << 20)
    rules.maxLine = 100 << 20
    #expect(rules.longestLine == 100 << 20 && rules.maxLine(of: realm) == 100 << 20)
    (rules.maxLine, rules.raisesMaxLine) = (1000, false)
    #expect(rules.longestLine == 1000 && rules.maxLine(of: realm) == 1000)
  }
}
