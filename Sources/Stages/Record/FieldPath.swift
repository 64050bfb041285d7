package import Pipeline

/// The validator's position in a record, written as text only for a report: `attributes.a[2].b`.
package struct FieldPath {
  /// A vector, because a path is made for every event. It has room for the names of the deepest
  /// attributes, with an index after each, and as much before them; a deeper path loses its end.
  private typealias Segments = SIMD16<Int32>
  /// Longest part of one name in the text, in bytes.
  private static let shownName = 120

  package let root: StaticString
  private var segments = Segments()
  private var count = 0

  package init(root: StaticString) { self.root = root }

  /// The path of the value at `node`, inside the object at `root` or inside of its objects.
  init(of node: Node, in root: Node, _ tape: Tape) {
    self.init(root: "")
    var object = root
    while object < node, tape[object].kind == .object {
      var next = node
      tape.forEachMember(of: object.index) { key in
        if key < node.index, node.index < Int(tape[key].next) {
          push(key: key)
          next = Node(key + 1)
        }
      }
      object = next
    }
  }

  package mutating func push(key: Int) { push(Int32(key)) }

  package mutating func push(index: Int) { push(-1 - Int32(index)) }

  /// The path of the field whose key is at tape index `key`, in the object at this path.
  func field(_ key: Int) -> FieldPath {
    var path = self
    path.push(key: key)
    return path
  }

  /// The path of item number `index` of the array at this path.
  func item(_ index: Int) -> FieldPath {
    var path = self
    path.push(index: index)
    return path
  }

  package mutating func pop() { count -= 1 }

  private mutating func push(_ segment: Int32) {
    if count < Segments.scalarCount { segments[count] = segment }
    count += 1
  }

  package func render(of tape: Tape, into text: inout ByteBuffer) {
    text.append(root)
    for position in 0..<min(count, Segments.scalarCount) {
      let segment = segments[position]
      if segment < 0 {
        text.append(UInt8(ascii: "["))
        text.append(decimal: Int(-1 - segment))
        text.append(UInt8(ascii: "]"))
      } else {
        // A path may begin with a field of the line itself.
        if position > 0 || root.utf8CodeUnitCount > 0 { text.append(UInt8(ascii: ".")) }
        KeyName.append(tape[Int(segment)], of: tape, atMost: FieldPath.shownName, to: &text)
      }
    }
  }
}
