// A sweep file, read key by key: each part is checked on its own. language/plan/builder.cpp decides what
// depends on several parts (which names exist, what is active where).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "language/file/claims.hpp"
#include "language/file/keys.hpp"
#include "language/file/program.hpp"
#include "language/space/axis.hpp"
#include "language/space/expansion.hpp"
#include "language/space/spelling.hpp"

namespace kernsweep {

// An expression of the file with its place, and the name or reason that belongs to it.
struct Formula {
  std::string name;  // of a derived column
  std::string why;   // of a constraint; empty: none given
  Expression expression;
  Node node;  // the text, with its place
};

struct ZipGroup {
  Node name;
  std::vector<Node> members;  // scalars
};

struct Assignment {
  const Key* key = nullptr;
  std::string path;
  Node value;  // of a mapping such as verify.tolerance.f32: a mapping with that one name
};

struct OverrideEntry {
  Formula when;
  std::vector<Assignment> set;
};

struct Document {
  Sweep sweep;  // without columns and requirements, which make_plan adds
  std::optional<ProgramText> program;
  std::vector<BesideCommand> beside_command;
  std::vector<OperandColumn> operands;
  PassedColumns passed;
  std::vector<Axis> axes;
  std::vector<ZipGroup> zips;
  std::vector<Formula> derived;
  std::optional<Node> problem;  // a list of distinct names
  std::vector<Node> excludes;   // mappings of scalars
  std::vector<Formula> constraints;
  std::vector<Node> includes;  // mappings of scalars
  std::vector<Formula> requirements;
  std::vector<Node> references;  // of `verify.reference`, of the sweep and of overrides
  std::vector<Node> tolerances;  // of `verify.tolerance`, of the sweep and of overrides: mappings
  bool times_itself = false;     // `metrics` has the time of a run
  bool alone_on_given = false;   // the file or --set gives measure.alone_on
  bool sampling_given = false;   // the file or --set gives a part of measure.warmup, samples or stop
  bool retry_given = false;      // the file or --set gives retry.for
  std::vector<OverrideEntry> overrides;
  std::vector<ReadClaim> claims;
  std::vector<std::string> notes;
};

// Reads `text`, the content of the file `path` ("" for text without a file: then tables are rejected).
// `tables`: if given, tables are taken from there, and no file is opened.
Result<Document> read_document(std::string text, const std::string& path, const Replacements& replacements,
                               const std::vector<TextFile>* tables = nullptr);
// The same from a tree whose nodes have places, with its text; tables are relative to `directory`.
Result<Document> read_document(Node root, std::string text, const Replacements& replacements);

// Error: "gemm.yaml:9:3: in 'a +': column 4: expected a value".
Result<Expression> read_expression(const Node& node, const std::string& what);

// Replaces nodes in the tree of a sweep file by -a, --set and --quick of `replacements`.
Status replace_in_tree(Node& root, const Replacements& replacements);

// An axis in the syntax of -a: "level=[1, 6]", "n[pow2]=[0:4]". Error, with the argument: it is not an
// axis.
struct TypedAxis {
  std::string name;
  bool is_new = false;  // "+level=..."
  Node value;
};
Result<TypedAxis> typed_axis(const std::string& text);
// The origin of a node that is given on the command line.
TextSourcePtr argument(const std::string& option, const std::string& text);
Node scalar_node(const TextSourcePtr& source, std::string_view text);
Node mapping_node(const TextSourcePtr& source);
// Sets the value of `key` in the mapping `parent`; adds the key if it is missing.
Node& put(Node& parent, const std::string& key, Node value);

}  // namespace kernsweep
