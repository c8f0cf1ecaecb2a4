// Texts that a table over axes and its picture share.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/pivot.hpp"

namespace kernsweep {

// "gflops in GFLOP/s, larger is better"
std::string metric_in_words(const PivotAnswer& answer);
// "gflops in GFLOP/s, larger is better; a column for each value of variant"
std::string columns_in_words(const PivotAnswer& answer);
// The two characters after the number of a cell: whether it was disturbed, and its mark.
std::string signs_of(const PivotCell& cell);
// How many times as bad as the best of the row; NaN if that is undefined, as for 3 if 0 is best.
double times_as_bad(const PivotAnswer& answer, const PivotRow& row, const PivotCell& cell);
// The meaning of the signs, what is not compared, and which settings a cell chooses from; `which` ends the
// last line.
std::vector<std::string> lines_below(const PivotAnswer& answer, const std::string& which);
// A name or a value of a user, on one line and shortened.
std::string word_of_pivot(const std::string& text);
// A value as a label: "(not set)" for null; of a long one its start and its end, because commands differ
// there.
std::string label_of(const Value& value);
// The labels; not shortened if two different values would look alike.
std::vector<std::string> labels_apart(std::span<const Value> values);
// The same for values with the names of their columns; by name and text.
using LabelsByColumn = std::map<std::pair<std::string, std::string>, std::string>;
LabelsByColumn labels_by_column(std::span<const std::pair<std::string, Value>> values);
// For each column of the rows the labels of all rows, as by labels_apart().
std::vector<std::vector<std::string>> labels_of_rows(const PivotAnswer& answer);
// "layout, blas.library": the settings of which a cell shows the best.
std::string chosen_in_words(const PivotAnswer& answer);
// For each column of the rows whether it follows from `label`, so the label is enough.
std::vector<char> told_by_label(const PivotAnswer& answer);

}  // namespace kernsweep
