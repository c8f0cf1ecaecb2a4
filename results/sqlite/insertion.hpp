// Writes records as rows. Each table that is written has a list of fields, which names every column once,
// with the function that returns the column's value. The insert statement is made from that list when it is
// prepared, and the list is checked against the schema: a column that is missing, unknown or named twice is
// an error then. So no value can get into a wrong column, and no name is looked up for each row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "results/sqlite/sqlite.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

// One parameter of a statement. Texts and blobs are not copied: they must live until the next step.
class Parameter {
 public:
  Parameter(sqlite::Statement& statement, int at) : statement_(&statement), at_(at) {}
  template <class T>
  void set(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
      statement_->bind(at_, value ? 1 : 0);
    else if constexpr (std::is_same_v<T, Digest>)
      statement_->bind_blob(at_, value.view());
    else if constexpr (requires { value.has_value(); })
      value ? set(*value) : set_null();
    else if constexpr (requires { value.value; })  // an id
      statement_->bind(at_, value.value);
    else
      statement_->bind(at_, value);
  }
  // As set(), but an empty text, the number 0 and the id 0 mean "not known" and become NULL.
  template <class T>
  void set_known(const T& value) {
    if constexpr (requires { value.empty(); })
      value.empty() ? set_null() : set(value);
    else if constexpr (requires { value.value; })
      value.value == 0 ? set_null() : set(value);
    else
      value == 0 ? set_null() : set(value);
  }
  void set_null() { statement_->bind_null(at_); }
  void set_blob(std::string_view bytes) { statement_->bind_blob(at_, bytes); }

 private:
  sqlite::Statement* statement_;
  int at_;
};

template <class Source>
struct Field {
  std::string_view column;
  void (*give)(Parameter to, const Source& from);
};

namespace detail {
template <class Member>
struct ClassOf;
template <class Class, class Type>
struct ClassOf<Type Class::*> {
  using type = Class;
};
}  // namespace detail

// For Field::give: `stored` sets a member of the record by set(), `stored_if_known` by set_known().
template <auto kMember>
void stored(Parameter to, const typename detail::ClassOf<decltype(kMember)>::type& from) {
  to.set(from.*kMember);
}
template <auto kMember>
void stored_if_known(Parameter to, const typename detail::ClassOf<decltype(kMember)>::type& from) {
  to.set_known(from.*kMember);
}

// "insert into <table> (<columns>, a1, ...) values (?, ...) <behind>". `values`: numbers n of the columns
// a<n> of `outcome` that follow `columns`. Error: `columns` are not exactly the columns of the table.
Result<std::string> insertion(std::string_view table, std::span<const std::string_view> columns,
                              std::string_view behind = {}, std::span<const int> values = {});

template <class Source, std::size_t kCount>
Result<sqlite::Statement> prepare_insertion(sqlite::Connection& database, std::string_view table,
                                            const Field<Source> (&fields)[kCount],
                                            std::string_view behind = {},
                                            std::span<const int> values = {}) {
  std::vector<std::string_view> columns;
  for (const Field<Source>& field : fields) columns.push_back(field.column);
  KS_ASSIGN_OR_RETURN(const auto sql, insertion(table, columns, behind, values));
  return database.prepare(sql);
}

template <class Source, std::size_t kCount>
void give_all(sqlite::Statement& statement, const Field<Source> (&fields)[kCount], const Source& from) {
  for (int i = 0; i < static_cast<int>(kCount); ++i) fields[i].give({statement, i + 1}, from);
}

// Inserts one row with a statement of its own; for rows that are rarely written.
template <class Source, std::size_t kCount>
Status insert_one(sqlite::Connection& database, std::string_view table,
                  const Field<Source> (&fields)[kCount], const Source& from, std::string_view behind = {}) {
  KS_ASSIGN_OR_RETURN(auto row, prepare_insertion(database, table, fields, behind));
  give_all(row, fields, from);
  return row.run();
}

}  // namespace kernsweep
