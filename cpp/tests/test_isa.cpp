#include "idealrank/isa/isa.hpp"

#include <cstdlib>

#include "check.hpp"

using namespace idealrank;

TEST(every_named_instruction_set_can_be_chosen) {
  for (const auto name : isa_names()) {
    const int chosen = choose(isa_of(name), 0, 3);
    CHECK_EQ(chosen, name == "v3" ? 3 : 0);
  }
}

TEST(the_last_name_is_the_best_instruction_set) { CHECK(isa_of("") == isa_of(isa_names().back())); }

TEST(an_unknown_instruction_set_is_refused) { CHECK_THROWS(std::invalid_argument, isa_of("v9")); }

TEST(the_environment_variable_applies_if_no_name_is_given) {
  setenv("IDEALRANK_ISA", "base", 1);
  CHECK(isa_of("") == Isa::base);
  CHECK_EQ(choose(isa_of(isa_names().back()), 0, 3), isa_names().back() == "v3" ? 3 : 0);
  setenv("IDEALRANK_ISA", "v9", 1);
  CHECK_THROWS(std::invalid_argument, isa_of(""));
  CHECK(isa_of("base") == Isa::base);
  setenv("IDEALRANK_ISA", "", 1);
  CHECK(isa_of("") == isa_of(isa_names().back()));
  unsetenv("IDEALRANK_ISA");
}
