/// Rows of text in columns that line up.
///
///     TextTable(["CLASS", "POLICY"], [["documents", "currentIdentity"]]).lines
package struct TextTable {
  private let rows: [[String]]

  package init(_ header: [String], _ rows: [[String]]) { self.rows = [header] + rows }

  package init(_ rows: [[String]]) { self.rows = rows }

  /// One line a row, two spaces between columns and none at the end.
  package var lines: [String] {
    let widths = rows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      return cells.joined(separator: "  ")
    }
  }
}
