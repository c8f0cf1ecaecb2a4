// The distributions that the standard library does not have, from Boost.Math.
#pragma once

namespace kernsweep {

// P(|T| >= t) for Student's t distribution. Requires t >= 0 (infinity: 0) and degrees of freedom > 0.
double students_t_outside(double t, double degrees);
// The t for which P(|T| >= t) = outside. Requires 0 < outside < 1 and degrees > 0.
double students_t_bound(double outside, double degrees);

}  // namespace kernsweep
