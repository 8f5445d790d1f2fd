// The one include for tests: Catch2 version 2 and 3 lay out their headers differently.
#pragma once

#if REAPER_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
