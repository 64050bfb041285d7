@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Which fields identify the owner of a record (dialects 6).
@Suite struct IdentityKeysTests {
  private func match(_ name: String, _ keys: IdentityKeys = .default) -> String? {
    withByteView(of: name) { keys.match($0).map { "\($0.owner) \($0.rank)" } }
  }

  @Test func namesAreComparedFolded() {
    for name in ["customId", "CUSTOM_ID", "custom-id", "Custom Id", "_customid_", "c u-s_tomid"] {
      #expect(match(name) == "custom 0", "\(name)")
    }
    #expect(match("userId") == "custom 1" && match("login") == "custom 5")
    #expect(match("device_id") == "installation 0" && match("InstallID") == "installation 1")
    for name in ["", "_", "customIds", "customI", "user.id", "users", "ｕｓｅｒ"] {
      #expect(match(name) == nil, "\(name)")
    }
  }

  @Test func listsAsText() throws {
    let keys = try #require(IdentityKeys("installation:box;custom:Member No,uid"))
    #expect(keys.text == "custom:Member No,uid;installation:box")
    #expect(IdentityKeys(keys.text) == keys)
    #expect(match("member_no", keys) == "custom 0" && match("BOX", keys) == "installation 0")
    #expect(match("userId", keys) == nil)
    #expect(IdentityKeys(IdentityKeys.default.text) == .default)
    #expect(IdentityKeys("custom:a")?.installation == IdentityKeys.default.installation)
    #expect(IdentityKeys("custom:;installation:")?.custom.isEmpty == true)
  }

  @Test func textsThatAreNoLists() {
    let many = (0...IdentityKeys.most).map { "k\($0)" }.joined(separator: ",")
    for text in [
      "", "custom", "a:b", "custom:a;", "custom:a;custom:b", "custom:a,,b", "custom:-_ ",
      "custom:userId,user_id", "custom:a;installation:A", "custom:\(many)",
      "custom:" + String(repeating: "k", count: IdentityKeys.longest + 1),
    ] {
      #expect(IdentityKeys(text) == nil, "\(text)")
    }
  }
}
