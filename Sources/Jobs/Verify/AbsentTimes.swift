import Pipeline
import Stages

/// The times in a line of a state, as far as an erasure is about them.
struct StateTimes {
  private let tape: Tape

  init(_ tape: Tape) { self.tape = tape }

  /// Whether anything in the line at `root` that should go is of that time or before.
  func hasAny(of root: Int, through time: Int) -> Bool {
    func isOld(_ node: Int?) -> Bool {
      node.flatMap { StateNumber.integer(at: $0, of: tape) }.map { $0 <= time } ?? false
    }
    func isAnyOld(in list: Int?, _ isOld: (Int) -> Bool) -> Bool {
      var found = false
      if let list { tape.forEachMember(of: list) { found = found || isOld($0 + 1) } }
      return found
    }
    if isOld(tape.member("clear", of: root)) { return true }
    if let place = tape.member("at", of: root), isOld(tape.member("time", of: place)) {
      return true
    }
    for name: ByteView in ["link", "latest_link"] {
      if let link = tape.member(name, of: root), hasAny(ofLink: link, through: time) { return true }
    }
    return isAnyOld(in: tape.member("attributes", of: root)) { register in
      isOld(tape.member("time", of: register))
        || isAnyOld(in: tape.member("add", of: register)) { isOld($0) }
        || isAnyOld(in: tape.member("remove", of: register)) { isOld($0) }
    }
      || isAnyOld(in: tape.member("events", of: root)) { register in
        isOld(tape.member("first", of: register) ?? tape.member("last", of: register))
      }
  }

  /// Whether a link is of that time or before.
  func hasAny(ofLink link: Int, through time: Int) -> Bool {
    tape.member("time", of: link).flatMap { StateNumber.integer(at: $0, of: tape) }
      .map { $0 <= time } ?? true
  }
}
