# The GoogleTest part of the suite: every program <Area>Tests that gevo_unittest
# built under unit/ of the build folder.
import lit.formats

config.name = "Gevo-Unit"
config.suffixes = []
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 900
