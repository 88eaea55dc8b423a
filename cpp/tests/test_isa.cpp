#include "idealrank/isa/isa.hpp"

#include "check.hpp"

using namespace idealrank;

TEST(every_named_instruction_set_can_be_chosen) {
  for (const auto name : isa_names()) {
    const int chosen = choose(isa_of(name), 0, 3);
    CHECK_EQ(chosen, name == "v3" ? 3 : 0);
  }
}

TEST(the_last_named_is_the_best) { CHECK(isa_of("") == isa_of(isa_names().back())); }

TEST(an_unknown_instruction_set_is_refused) { CHECK_THROWS(std::invalid_argument, isa_of("v9")); }
