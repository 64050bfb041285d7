/// Names of fields as steps of a JSON Pointer (RFC 6901).
package enum JSONPointer {
  /// The step to the field `name`, with the slash before it.
  package static func step(_ name: String) -> String {
    "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// The name in a step; `step` is without the slash.
  package static func name(ofStep step: Substring) -> String {
    String(step.replacing("~1", with: "/").replacing("~0", with: "~"))
  }
}
