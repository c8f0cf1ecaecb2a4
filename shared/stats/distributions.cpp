#include "shared/stats/distributions.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "shared/base/result.hpp"

namespace kernsweep {

namespace {
// No exceptions: errors of Boost.Math are returned as values, and the arguments are checked.
using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>>;
using Student = boost::math::students_t_distribution<double, Quiet>;
}  // namespace

double students_t_outside(double t, double degrees) {
  KS_ASSERT(t >= 0 && degrees > 0);
  if (std::isinf(t)) return 0;
  return 2 * boost::math::cdf(boost::math::complement(Student(degrees), t));
}

double students_t_bound(double outside, double degrees) {
  KS_ASSERT(outside > 0 && outside < 1 && degrees > 0);
  return boost::math::quantile(boost::math::complement(Student(degrees), outside / 2));
}

}  // namespace kernsweep
