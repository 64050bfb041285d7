import Pipeline
import Stages

/// What the drawings of a report share. Places and lengths across are percentages, so a drawing is
/// as wide as there is room and its letters keep their size.
enum SVG {
  /// A share from 0 to 1 as a length or a place; what lies outside is brought in.
  static func percent(_ share: Double) -> String {
    Figures.thousandths(min(max(share.isFinite ? share : 0, 0), 1) * 100) + "%"
  }
}
