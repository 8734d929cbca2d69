#pragma once

#include <string>

namespace headscope {

/// A number in three or four characters, for cells: ".12", "<.01", "1", ".995", "−3.4", "12", "1e6".
/// "0" and "1" are printed for exactly 0 and 1 only. −∞ is "−∞", NaN is empty.
std::string cell_text(float value);

/// The same in at most that many characters, by shorter forms that are just as true: ">.99" and ">.9" for
/// ">.999", "~0" for "<.01". Empty where none is so short. "0" and "1" stand for no other number here
/// either, and a number other than 0 is never ".00".
std::string cell_text(float value, int characters);
/// How short that can be.
int least_characters(float value);

/// Writes a number rounded, as people read it: ".88", ".00", "1.0", "−3.4".
std::string rounded_cell_text(float value);
/// Writes a share rounded. The text is empty below 0.005; "1" stands for 1 alone, and "1.0" for 0.995 to 1.
std::string share_cell_text(float value);

/// A number with so many decimals, or none where it is whole: "−0.250", "3", "12.500". "1e6" where it is a
/// million or more, "−∞", and empty for NaN.
std::string decimal_text(float value, int decimals);

/// A number beside a colour bar: at most three significant digits ("0.5", "−4.21", "39.8", "1e-4").
std::string tick_text(double value);

/// A multiple of `step`, with as many digits as tell it from its neighbours ("0.25", "−5", "1000.1"). A step
/// of 0 is that of tick_text.
std::string round_number_text(double value, double step);

}  // namespace headscope
