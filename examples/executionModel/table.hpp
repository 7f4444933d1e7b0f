// SPDX-License-Identifier: Apache-2.0
// examples/executionModel/table.hpp - what an experiment found: rows of named cells, as a table for
// people and as JSON for programs.
#pragma once

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace model {

inline double const notMeasured = std::nan("");

/// A word or a number. A number that was not measured, or has no value, is NaN: "-" in the table
/// and null in JSON.
class Cell {
 public:
  Cell(char const* word) : text_(word), isWord_(true) {}
  Cell(std::string const& word) : text_(word), isWord_(true) {}
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Cell(Number number) : number_(double(number)) {
    if constexpr (std::is_integral_v<Number>) {
      text_ = std::to_string(number);
    } else if (std::isfinite(number_)) {
      char text[32];
      bool const isWhole = std::fabs(number_) >= 1000 && std::fabs(number_) < 1e15;
      std::snprintf(text, sizeof text, isWhole ? "%.0f" : "%.4g", number_);
      text_ = text;
    }
  }

  bool isWord() const { return isWord_; }
  double number() const { return number_; }
  std::string text() const { return text_.empty() && !isWord_ ? "-" : text_; }
  std::string json() const {
    if (!isWord_) return text_.empty() ? "null" : text_;
    std::string quoted = "\"";
    for (char const c : text_) {
      char escape[8] = {c};
      if (c == '"' || c == '\\')
        std::snprintf(escape, sizeof escape, "\\%c", c);
      else if (static_cast<unsigned char>(c) < 0x20)
        std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(c));
      quoted += escape;
    }
    return quoted + "\"";
  }

 private:
  std::string text_;
  double number_ = notMeasured;
  bool isWord_ = false;
};

/// Cells by name, in the order of the columns.
using Row = std::vector<std::pair<std::string, Cell>>;

/// The cell of that name; throws std::out_of_range if there is none.
inline Cell const& cellOf(Row const& row, std::string const& name) {
  for (auto const& [key, cell] : row)
    if (key == name) return cell;
  throw std::out_of_range("model: a row has no cell '" + name + "'");
}

/// Aligned columns, to the right where they begin with a number. A row with other names than the
/// one above it opens a new table.
inline std::string tableOf(std::vector<Row> const& rows) {
  auto const sameNames = [](Row const& a, Row const& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i].first != b[i].first) return false;
    return true;
  };
  // As many characters as it has on a screen: not the later bytes of one in UTF-8.
  auto const widthOf = [](std::string const& text) {
    std::size_t width = 0;
    for (char const c : text) width += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
    return width;
  };
  auto const add = [&](std::string& line, std::string const& text, std::size_t width, bool isLeft) {
    std::string const space(width - widthOf(text), ' ');
    line += "  " + (isLeft ? text + space : space + text);
  };
  std::string table;
  for (std::size_t first = 0, end; first < rows.size(); first = end) {
    for (end = first; end < rows.size() && sameNames(rows[first], rows[end]);) ++end;
    std::vector<std::string> lines(end - first + 1);
    for (std::size_t column = 0; column < rows[first].size(); ++column) {
      std::string const& name = rows[first][column].first;
      std::size_t width = widthOf(name);
      bool const isLeft = rows[first][column].second.isWord();
      for (std::size_t row = first; row < end; ++row) {
        std::size_t const cell = widthOf(rows[row][column].second.text());
        if (cell > width) width = cell;
      }
      add(lines[0], name, width, isLeft);
      for (std::size_t row = first; row < end; ++row)
        add(lines[row - first + 1], rows[row][column].second.text(), width, isLeft);
    }
    if (first > 0) table += "\n";
    for (std::string const& line : lines)
      table += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return table;
}

/// {"experiment": ..., NAME: ..., "rows": [{...}, ...]} with the facts' names and values.
inline std::string jsonOf(std::string const& experiment, Row const& facts,
                          std::vector<Row> const& rows) {
  std::string json = "{\"experiment\": " + Cell(experiment).json();
  for (auto const& [name, value] : facts) json += ", " + Cell(name).json() + ": " + value.json();
  json += ", \"rows\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json += i > 0 ? ",\n {" : "\n {";
    for (std::size_t column = 0; column < rows[i].size(); ++column)
      json += (column > 0 ? ", " : "") + Cell(rows[i][column].first).json() + ": " +
              rows[i][column].second.json();
    json += "}";
  }
  return json + "\n]}\n";
}

}  // namespace model
