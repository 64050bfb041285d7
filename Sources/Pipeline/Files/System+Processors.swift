import CSystem

extension System {
  /// How many processors this process may use: those of the machine, less what `taskset` or a
  /// container's set of processors takes away. At least 1.
  package static var processors: Int { max(1, Int(csystem_processors())) }
}
