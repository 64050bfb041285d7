import Pipeline

@testable import Stages

extension Rules {
  /// Rules with the mappings that these texts are.
  init(mappings texts: String...) throws {
    try self.init(options: [], mappings: texts.map { Array($0.utf8) })
  }
}

/// A mapping of a made-up game, with everything that a mapping may say.
enum MappingFixture {
  static let game = #"""
    {
      "eventmill_mapping": 1,
      "dialect": "game",
      "match": [{"path": "/session"}, {"path": "/kind", "in": ["move", 7, true]}],
      "custom_id": ["/session/player/id", "/session/guest"],
      "installation_id": "/session/device",
      "id": [{"join": ["/world", "/n"]}, "/n"],
      "time": [{"path": "/at", "unit": "s"}, {"path": "/local", "zone": "+02:00"}],
      "drop": "/trace",
      "lines": [
        {"when": {"path": "/session/bag", "present": false}, "as": "ignore", "name": "/what"},
        {"when": {"path": "/what", "prefix": "debug:"}, "as": "ignore", "name": "/what"},
        {"when": {"path": "/what", "in": "join"}, "as": "alias"},
        {"when": {"path": "/what", "in": "forget"}, "as": "delete"},
        {
          "when": {"path": "/what", "in": "level"}, "as": "identify",
          "attributes": "/with", "rename": {"Points": "score"}, "fields": {"bag": "/session/bag/*/name"}
        },
        {
          "when": {"path": "/moves"}, "unroll": "/moves",
          "name": "/moves/*/what", "time": {"path": "/moves/*/at", "unit": "ms"}, "id": "/moves/*/n",
          "attributes": "/moves/*/with", "fields": {"first": "/session/bag/*/name"}
        },
        {
          "name": ["/what", {"constant": "unnamed"}],
          "attributes": ["/with", {"path": "/pairs", "key": "/k", "value": ["/v/text", "/v/number"]}],
          "fields": {
            "bag": ["/session/sack", "/session/bag/*/name"], "weight": "/session/bag/*/weight"
          },
          "rename": {"Points": "score"},
          "constants": {"source": "game", "beta": true, "version": 2, "factor": 1.5}
        }
      ]
    }
    """#
}
