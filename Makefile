# SPDX-License-Identifier: GPL-2.0
#
# The front door; `make help` lists what it does. Variables: BASE= 6.1, 6.12 or 7.3 (default: the
# distribution's own) or KSRC= a tree of one of them, O= output (default out/), DISKS= images to
# attach (default: eight stamped ones in $O/disks).

export O := $(abspath $(or $(O),out))
export BASE KSRC DISKS CONFIG
LAB := tools/lab
base = $(shell BASE='$(BASE)' KSRC='$(KSRC)' $(LAB)/base.sh name)
PYTHON ?= python3
SCRIPTS := .ci/run $(wildcard $(LAB)/*.sh tools/testing/selftests/dio/*.sh tools/testing/dio/*.sh)
# What checkpatch says of trace events nobody can mend.
SOURCES = $(wildcard $(LAB)/*.c) \
	$(sort $(shell find $(wildcard base block drivers fs include lib mm) \
	-path '*include/trace' -prune -o -name '*.[ch]' -print))
# Of what the patched kernel is built from, our own files; C=2 runs sparse over them, compiled anew
# or not. 7.3 takes only a sparse that knows __typeof_unqual__; for the others __typeof__ will do.
CF := -D__typeof_unqual__=__typeof__
CHECKED = $(if $(filter 7.3,$(base)),kunit,patched)
# KUnit's macros are not ours, and Debian 12's sparse does not evaluate 7.3's MODULE_INFO().
SPARSE_NOISE := _test\.c:\|: in included file:$$\|: error: bad constant expression$$
SPARSE := s/^[a-z]* \(\(block\|drivers\/char\|fs\|lib\|mm\)\/.*\)\.c$$/\1/p
TEST_SOURCES := $(wildcard tools/testing/selftests/dio/*.[ch])
# Those that take longest come first.
SELFTESTS := $(basename $(notdir $(wildcard tools/testing/selftests/dio/test_*.sh)))
LONG_FIRST := test_file_load test_field test_array_faults test_files test_raw test_stacks
TESTS := $(filter-out $(LEAVE_OUT),$(LONG_FIRST) $(filter-out $(LONG_FIRST),$(sort $(SELFTESTS))))
# What make run leaves to make test: load on what others test, arrays that fail, and tests of tools
LONG_TESTS := test_file_load test_array_faults test_ra_stress test_model_disk test_field

HARNESS := $(wildcard tools/testing/dio/*.[ch] tools/testing/dio/field/*.[ch])
# The harness defines what the kernel has macros for, and prints what a program prints.
STANDIN_STYLE := MEMORY_BARRIER, BIT_MACRO, CAMELCASE, EMBEDDED_FUNCTION_NAME, AVOID_EXTERNS, \
	NEW_TYPEDEFS, MACRO_ARG_REUSE, MACRO_ARG_PRECEDENCE, PREFER_DEFINED_ATTRIBUTE_MACRO, \
	EXPORT_SYMBOL, FUNCTION_ARGUMENTS, MINMAX, ENOSYS, IS_ENABLED_CONFIG, \
	MACRO_ARG_UNUSED

help:
	@echo 'BASE=6.1, 6.12 or 7.3 (default: the distribution'"'"'s own), or KSRC= a tree of one of these,'
	@echo 'says of which kernel.'
	@echo 'Use:'
	@echo '  run         the field reports on a model, both kernels built and booted, the shorter'
	@echo '              selftests, some of the bench; a verdict of five lines, $$O/report.html (V=1: tables)'
	@echo '  kernel      build the stock and the patched kernel'
	@echo '  boot        a shell in the patched one, with eight disks (DISKS= for others);'
	@echo '              ARRAY=scsi|sas|fc|many: ready for ../tools/lab/array.sh up'
	@echo '  selftests   build the selftests and install them in $$O/kselftest'
	@echo '  kit         pack them for a machine with an array and no compiler, python or network:'
	@echo '              ./field there runs the five reports (FIO= a static fio)'
	@echo '  deb         packages in $$O/deb of both kernels, from this machine'"'"'s configuration, CONFIG=FILE,'
	@echo '              or CONFIG=localmod: only the modules that are loaded (rpm on such a machine)'
	@echo '  bench       measure both kernels, an hour; ARRAY=fc|many|sas: the field reports on that array'
	@echo '  programs    the time of sqlite, git, rocksdb, lmdb and others on both'
	@echo '  report      print the table again, and write $$O/report.html; RESULTS=FILE: of the kit'"'"'s field.json'
	@echo '  clean       remove $$O; the cache stays'
	@echo 'Prove (lab.rst names the parts of these):'
	@echo '  quick       on 7.3, what .ci/paths has for the paths that differ from SINCE= (HEAD)'
	@echo '  test        unit tests of the lab, the harness, KUnit and the selftests in guests (OPS= operations'
	@echo '              on a file of each file system); 7.3 on user-mode Linux, and what that has not in QEMU'
	@echo '  harness     the engine, the raw driver and readahead in user space; some of the mutants'
	@echo '  mutants     known faults, all of which must be found, and COUNT= that a machine makes by SEED='
	@echo '  stock-tests the selftests on the stock kernel: what it is known to fail must fail'
	@echo '  base-tests  what CI runs of an older base: one kernel, KUnit, selftests, series; base-check: no'
	@echo '              kernel; all in $$O/base-BASE'
	@echo '  check       checkpatch, sparse, shellcheck, semantic patches, MAINTAINERS'
	@echo '  nightly     all of it for all bases, and what CI leaves out: hours'
	@echo 'Send:'
	@echo '  series      the patches for BASE or KSRC (of 2.6 or 2.4, too) in $$O/series-*; SERIES=lists: what'
	@echo '              the lists can take, tree: all (default: lists for 7.3)'
	@echo '  series-steps  does each patch of it build without a warning (W=1), and boot?'

# What programs and over need besides is installed first, too.
bench: MORE_PACKAGES = $(if $(ARRAY),,programs)
programs: MORE_PACKAGES = programs
over: MORE_PACKAGES = over

packages:
	@$(LAB)/packages.sh $(MORE_PACKAGES)

kernel: packages
	@$(LAB)/kernel.sh build >/dev/null

modules: packages
	@$(LAB)/kernel.sh build modules

patched-modules: packages
	@$(LAB)/kernel.sh build patched modules

selftests: packages
	@mkdir -p $(O)/build $(O)/log
	@$(LAB)/kernel.sh source >/dev/null
	@$(MAKE) -s --no-print-directory -C tools/testing/selftests/dio install \
		KSRC="$$($(LAB)/kernel.sh dir source)" OUTPUT=$(O)/build INSTALL_PATH=$(O)/kselftest \
		>$(O)/log/selftests.log 2>&1 || { cat $(O)/log/selftests.log; exit 1; }

# Two kernels as a machine runs them, from its own configuration; CONFIG= names another.
deb:
	@$(LAB)/packages.sh deb
	@$(LAB)/kernel.sh build deb

kit: selftests
	@$(LAB)/kit.sh

# On debug and stock kernels two guests share the tests, too (see guest-tests); their results are
# kept apart. CI runs the short ones. TOOL_TESTS have nothing to find on another kernel.
TOOL_TESTS := test_disk_read test_field test_guard test_model_disk
SHORT_DEBUG_TESTS := test_files test_raw test_boundary test_readahead test_kinds
# What CI runs in QEMU: of 7.3 what user-mode Linux has not (system calls of 32 bits, huge pages,
# gup_fast), of others what tells most
QEMU_TESTS := test_raw test_readahead test_boundary
BASE_TESTS := test_files $(QEMU_TESTS) test_kinds
TEST_ENV = $(if $(OPS),DIO_OPS=$(OPS)) $(if $(TEST_LIMIT),TEST_LIMIT=$(TEST_LIMIT))
XFAIL = $(CURDIR)/tools/testing/selftests/dio/stock-$(base).xfail
DEBUG_GUESTS := run-debug-tests-1 run-debug-tests-2
STOCK_GUESTS := run-stock-tests-1 run-stock-tests-2
# User-mode Linux mostly waits.
UM_GUESTS := run-um-tests-1 run-um-tests-2 run-um-tests-3 run-um-tests-4
UM_STOCK_GUESTS := $(UM_GUESTS:run-um-%=run-um-stock-%)

debug-tests: selftests
	@$(LAB)/kernel.sh build debug modules >/dev/null
	@$(LAB)/kunit.sh -k debug
	@$(MAKE) --no-print-directory guests-of-debug

short-debug-tests: selftests
	@$(LAB)/kernel.sh build debug >/dev/null
	@$(LAB)/kunit.sh -k debug
	@$(MAKE) --no-print-directory guests-of-debug TESTS="$(SHORT_DEBUG_TESTS)" OPS=$(or $(OPS),20)

stock-tests: modules selftests
	@$(MAKE) --no-print-directory guests-of-stock TESTS="$(filter-out $(TOOL_TESTS),$(TESTS))"

# Of 7.3, on user-mode Linux: all selftests with KASAN and lockdep, and what stock must fail
um-tests: selftests
	@BASE=7.3 $(LAB)/kernel.sh build um >/dev/null
	@rm -rf $(O)/log/um; mkdir -p $(O)/log/um/taken
	@rc=0; BASE=7.3 $(LAB)/kunit.sh -k um || rc=1; \
		$(MAKE) --no-print-directory -k -j4 BASE=7.3 $(UM_GUESTS) || rc=1; exit $$rc

um-stock-tests: selftests
	@BASE=7.3 $(LAB)/kernel.sh build um-stock >/dev/null
	@rm -rf $(O)/log/um-stock; mkdir -p $(O)/log/um-stock/taken
	@grep -v '# large folios:' $(XFAIL) >$(O)/log/um-stock/xfail
	@$(MAKE) --no-print-directory -k -j4 BASE=7.3 $(UM_STOCK_GUESTS)

$(UM_GUESTS): run-um-tests-%:
	@$(LAB)/guest.sh -k um -n $* -t 3600 env RESULTS=log/um TAKEN=taken GUEST=$* \
		$(TEST_ENV) $(CURDIR)/$(LAB)/selftests.sh $(filter-out $(UM_LEAVE_OUT),$(TESTS))

$(UM_STOCK_GUESTS): run-um-stock-tests-%:
	@$(LAB)/guest.sh -k um-stock -n $* -t 3600 env RESULTS=log/um-stock TAKEN=taken GUEST=$* \
		$(TEST_ENV) DIO_STOCK=1 XFAIL=log/um-stock/xfail \
		$(CURDIR)/$(LAB)/selftests.sh $(filter-out $(TOOL_TESTS),$(TESTS))

guests-of-%:
	@rm -rf $(O)/log/$*; mkdir -p $(O)/log/$*/taken
	@$(MAKE) --no-print-directory -k -j2 run-$*-tests-1 run-$*-tests-2 \
		$(if $(filter debug,$*),run-debug-complaint-tests)

$(DEBUG_GUESTS): run-debug-tests-%:
	@$(LAB)/guest.sh -k debug -N -n $* -t 7200 env RESULTS=log/debug TAKEN=taken GUEST=$* \
		$(TEST_ENV) $(CURDIR)/$(LAB)/selftests.sh $(TESTS)

$(STOCK_GUESTS): run-stock-tests-%:
	@$(LAB)/guest.sh -k stock -n $* -t 3600 env RESULTS=log/stock TAKEN=taken GUEST=$* \
		$(TEST_ENV) DIO_STOCK=1 XFAIL=$(XFAIL) \
		$(CURDIR)/$(LAB)/selftests.sh $(TESTS)

# What shares the state of an open file, or the pages of a file, with what is ours
RACES = $(O)/log/races

races: selftests
	@rm -rf $(RACES); mkdir -p $(RACES)
	@tree=$$($(LAB)/kernel.sh build races) && cd "$$tree" && set -o pipefail && \
		nm --defined-only mm/readahead_runs.o mm/readahead.o mm/filemap.o | \
		sed -n 's/.* [tT] //p' >$(RACES)/functions
	@$(LAB)/guest.sh -k races -n races -t 3600 env RESULTS=log/races RACES=$(RACES)/functions \
		$(TEST_ENV) $(CURDIR)/$(LAB)/races.sh test_ra_stress

complaint-tests: patched-modules
	@$(MAKE) --no-print-directory run-complaint-tests

run-debug-complaint-tests:
	@KERNEL=debug $(LAB)/test_complaints.sh | tee $(O)/log/debug/test_complaints.tap; \
		exit $${PIPESTATUS[0]}

run-complaint-tests:
	@$(LAB)/test_complaints.sh | tee $(O)/log/test_complaints.tap; exit $${PIPESTATUS[0]}

kunit: packages
	@$(LAB)/kunit.sh

objects: packages
	@mkdir -p $(O)/log; not=""; $(LAB)/kernel.sh build objects >/dev/null || not="not "; \
		echo "$${not}ok 1 what the overlay changes compiles" | tee $(O)/log/test_objects.tap; \
		[ -z "$$not" ]

# The harness has the engine as each base has it; what else it takes from a base are the field
# reports' "stock".
field-check: packages
	@mkdir -p $(O)/log; not=""; $(MAKE) --no-print-directory field >$(O)/log/field.log || not="not "; \
		echo "$${not}ok 1 the field reports, against this base's own engine" | \
		tee $(O)/log/test_field.tap; [ -z "$$not" ]

# One kernel is enough to test a base: the patched one with KUnit in it.
kunit-modules: packages
	@$(LAB)/kernel.sh build kunit modules >/dev/null

kunit-guest-tests:
	@$(MAKE) --no-print-directory guest-tests NEEDS=kunit-modules GUEST_KERNEL=kunit

x86-tests: selftests
	@$(LAB)/kernel.sh build kunit >/dev/null
	@rc=0; $(LAB)/kunit.sh || rc=1; $(MAKE) --no-print-directory -k guest-tests NEEDS=selftests \
		GUEST_KERNEL=kunit TESTS="$(QEMU_TESTS)" || rc=1; exit $$rc

# What CI runs of older bases
base-tests: PARTS := both-series kunit-guest-tests kunit field-check
base-check: PARTS := both-series field-check objects
base-tests base-check: packages
	@rm -rf $(O)/base-$(base)/log; mkdir -p $(O)/base-$(base)/log
	@rc=0; O=$(O)/base-$(base) $(LAB)/base.sh get exactly || rc=$$?; case $$rc in \
	0)	$(MAKE) --no-print-directory -k O=$(O)/base-$(base) BASE=$(base) OPS=$(or $(OPS),20) \
			TESTS="$(BASE_TESTS)" $(PARTS) ;; \
	*)	echo "not ok 1 Linux $(base) cannot be had" | \
			tee $(O)/base-$(base)/log/test_base.tap; exit 1 ;; \
	esac

disks: kernel selftests
	@mkdir -p $(O)/disks
	@for n in 0 1 2 3 4 5 6 7; do \
		[ -s $(O)/disks/disk$$n ] || { \
			$(O)/kselftest/disk_stamp disk=$$n write-file $(O)/disks/part && \
			mv $(O)/disks/part $(O)/disks/disk$$n; } || exit 1; \
	done

# A guest keeps hardly more than one of the host's processors busy, so two run at once, and share
# the tests. What make run has less of: OPS= random operations on each file system, LEAVE_OUT=
# tests, and NEEDS=kernel, no modules. GUEST_KERNEL= takes another than the patched one.
GUEST_TESTS := run-tests-1 run-tests-2

guest-tests: $(or $(NEEDS),patched-modules) selftests
	@rm -rf $(O)/log/test_*.tap $(O)/log/taken; mkdir $(O)/log/taken
	@$(MAKE) --no-print-directory -k -j2 $(GUEST_TESTS)

array-tests: kernel selftests
	@rm -f $(O)/log/test_array.tap
	@$(MAKE) --no-print-directory run-array-tests

all-guest-tests: patched-modules selftests
	@rm -rf $(O)/log/test_*.tap $(O)/log/taken; mkdir $(O)/log/taken
	@rc=0; $(MAKE) --no-print-directory -k -j2 run-array-tests run-complaint-tests \
		$(GUEST_TESTS) || rc=1; \
		$(MAKE) --no-print-directory run-cluster-tests || rc=1; exit $$rc

# Two guests of its own, which tell each other that they live: they have the host for themselves.
.PHONY: cluster-tests run-cluster-tests
cluster-tests: patched-modules selftests
	@$(MAKE) --no-print-directory run-cluster-tests

run-cluster-tests:
	@$(LAB)/cluster.sh | tee $(O)/log/test_cluster.tap; exit $${PIPESTATUS[0]}

# What these need is built by those that call them.
$(GUEST_TESTS): run-tests-%:
	@$(LAB)/guest.sh -k $(or $(GUEST_KERNEL),patched) -n $* -t 3600 env TAKEN=taken GUEST=$* \
		$(TEST_ENV) $(CURDIR)/$(LAB)/selftests.sh $(TESTS)

run-array-tests:
	@$(LAB)/guest.sh -a many -t 3600 $(CURDIR)/$(LAB)/selftests.sh $(CURDIR)/$(LAB)/test_array.sh

# The harness compiles what is of the base, too.
HARNESS_OUT = $(O)/harness-$(base)

field: packages
	@mkdir -p $(HARNESS_OUT)
	@$(MAKE) -s --no-print-directory -C tools/testing/dio field OUTPUT=$(HARNESS_OUT) BASE=$(base)
	@$(LAB)/bench.py add $(HARNESS_OUT)/field.json

# The reports come first, with -j too: all else builds kernels. A step that fails does not stop the
# others: the verdict names it. V=1 shows the tables.
run: packages
	@mkdir -p $(O)/log; touch $(O)/log/run.start; : >$(O)/log/run.failed
	@echo 'lab: the five field reports' >&2
	@$(MAKE) --no-print-directory field >$(O)/log/field.log || echo field >>$(O)/log/run.failed
	@$(if $(V),cat $(O)/log/field.log)
	@$(MAKE) --no-print-directory -k guest-tests disks NEEDS=kernel OPS=$(or $(OPS),20) \
		LEAVE_OUT="$(LONG_TESTS)" || echo tests >>$(O)/log/run.failed
	@$(LAB)/bench.py run short $(if $(V),,>/dev/null) || echo bench >>$(O)/log/run.failed
	@$(LAB)/bench_report.py >/dev/null || echo report >>$(O)/log/run.failed
	@$(LAB)/bench_verdict.py --left-out "$(LONG_TESTS)" $$(cat $(O)/log/run.failed)

bench: modules disks
	@$(LAB)/bench.py run --passes 3 $(ARRAY)
	@$(LAB)/bench_report.py
	@$(if $(ARRAY),,$(MAKE) -s --no-print-directory -C tools/testing/dio ra-search \
		OUTPUT=$(HARNESS_OUT) BASE=$(base))

# Not a part of make bench: conditions, not the exact cost of a path.
real: modules selftests
	@$(LAB)/kernel.sh build distro >/dev/null
	@$(LAB)/bench.py run real >/dev/null
	@$(LAB)/bench_report.py

# Of this 40 rows of 200 are.
programs: modules selftests
	@$(LAB)/bench.py run programs

over: modules selftests
	@$(LAB)/kernel.sh build distro >/dev/null
	@$(LAB)/bench.py run over

report:
	@$(LAB)/bench.py report $(RESULTS)
	@$(LAB)/bench_report.py $(RESULTS)

profile: modules selftests
	@[ -n '$(CASE)' ] || { echo 'profile: name a bench case, or layers, with CASE='; exit 2; }
	@$(LAB)/bench.py profile '$(CASE)'

series:
	@tree=$${KSRC:-$$($(LAB)/kernel.sh source)} && $(LAB)/series.py --out $(O) \
		$(if $(SERIES),--series $(SERIES)) "$$tree"

both-series:
	@rc=0; for which in lists tree; do \
		$(MAKE) --no-print-directory series SERIES=$$which || rc=1; done; exit $$rc

series-steps: SERIES := $(or $(SERIES),lists)
series-steps: series selftests
	@mkdir -p $(O)/log; tree=$${KSRC:-$$($(LAB)/kernel.sh source)} && \
		$(LAB)/series_steps.py --out $(O) --series $(SERIES) "$$tree" | \
		tee $(O)/log/test_series.tap; exit $${PIPESTATUS[0]}

unit-tests: packages
	@mkdir -p $(O)/log
	@$(LAB)/kernel.sh source >/dev/null
	@$(PYTHON) -m unittest discover -s $(LAB)/tests 2>&1 | tee $(O)/log/unit-tests.log; \
		exit $${PIPESTATUS[0]}

harness: packages
	@mkdir -p $(O)/log $(HARNESS_OUT)
	@BASE=$(base) tools/testing/dio/tap.sh $(HARNESS_OUT) | tee $(O)/log/harness.tap; \
		exit $${PIPESTATUS[0]}

mutants: packages
	@$(MAKE) --no-print-directory -C tools/testing/dio mutants OUTPUT=$(HARNESS_OUT) BASE=$(base)

fuzz: packages
	@$(MAKE) --no-print-directory -C tools/testing/dio fuzz OUTPUT=$(HARNESS_OUT) BASE=$(base)

# One after the other; each says how long it took.
TEST_PARTS = unit-tests harness $(if $(filter 7.3,$(base)),um-tests um-stock-tests check x86-tests,\
	all-guest-tests short-debug-tests)
test: packages
	@mkdir -p $(O)/log; rc=0; for part in $(TEST_PARTS); do \
		start=$$SECONDS ok=""; $(MAKE) --no-print-directory $$part || rc=1 ok=" FAILED"; \
		echo "# make $$part: $$((SECONDS - start)) s$$ok" | tee -a $(O)/log/steps; \
	done; exit $$rc

# Each base as CI does it, and more
NIGHTLY := "test BASE=7.3" "test BASE=6.1" "stock-tests BASE=6.1" "base-tests BASE=6.12" \
	"debug-tests BASE=7.3" "stock-tests BASE=7.3" "races BASE=7.3" "mutants BASE=7.3"
nightly: packages
	@rc=0; for part in $(NIGHTLY); do $(MAKE) -k $$part || rc=1; done; exit $$rc

# What .ci/paths has for the paths that differ from SINCE=
quick: export BASE := 7.3
quick: packages
	@$(LAB)/quick.sh

boot: patched-modules disks
	@$(LAB)/guest.sh $(if $(ARRAY),-a $(ARRAY),-d) -s

check: packages
	@$(LAB)/kernel.sh build $(CHECKED) >/dev/null
	@mkdir -p $(O)
	shellcheck -x -P SCRIPTDIR $(SCRIPTS)
	$(LAB)/overlay.py --check-smpl
	$(LAB)/series.py --check
	tools/testing/dio/mutants.py $(O)/rules rules
	@src=$$($(LAB)/kernel.sh dir source); cd $(O) && \
	perl $$src/scripts/checkpatch.pl --root=$$src --strict --terse \
		-f $(addprefix $(CURDIR)/,$(SOURCES)) && \
	perl $$src/scripts/checkpatch.pl --root=$$src --strict --terse \
		--ignore PREFER_DEFINED_ATTRIBUTE_MACRO,ENOSYS \
		-f $(addprefix $(CURDIR)/,$(TEST_SOURCES))
	@src=$$($(LAB)/kernel.sh dir source); cd $(O) && \
	perl $$src/scripts/checkpatch.pl --root=$$src --strict --terse --ignore "$(STANDIN_STYLE)" \
		-f $(addprefix $(CURDIR)/,$(HARNESS))
	@unset MAKEFLAGS O; tree=$$($(LAB)/kernel.sh dir $(CHECKED)); \
		src=$$($(LAB)/kernel.sh dir source); \
		objects=$$(sed -n '$(SPARSE)' "$$tree/.overlay" | while read -r path; do \
			[ -e "$$src/$$path.c" ] && ! grep -qx "$$path.c" base/replaces || \
				echo "$$path.o"; done | grep -v '_test\.o$$'); \
		[ -n "$$objects" ] || { echo "sparse: no file of ours in $$tree"; exit 1; }; \
		said=$$(make -s -C "$$tree" C=2 CF=$(CF) $$objects 2>&1 | grep -v '$(SPARSE_NOISE)'); \
		[ -z "$$said" ] || { echo "sparse: $$said"; exit 1; }
	@src=$$($(LAB)/kernel.sh dir source); files=$$(git ls-files) && [ -n "$$files" ] && \
	echo "$$files" | while read -r file; do \
		perl $$src/scripts/get_maintainer.pl --no-tree --no-git --no-git-fallback \
			--maintainer-path MAINTAINERS -f $$file | grep -q @ || \
			{ echo "MAINTAINERS names nobody for $$file"; exit 1; }; \
	done

clean:
	rm -rf $(O)

.PHONY: help packages kernel modules patched-modules selftests deb kit disks guest-tests \
	array-tests all-guest-tests $(GUEST_TESTS) run-array-tests debug-tests short-debug-tests \
	$(DEBUG_GUESTS) um-tests $(UM_GUESTS) um-stock-tests $(UM_STOCK_GUESTS) stock-tests $(STOCK_GUESTS) complaint-tests \
	run-complaint-tests run-debug-complaint-tests races kunit objects field-check kunit-modules \
	kunit-guest-tests x86-tests base-tests base-check field run bench real programs over report profile \
	series both-series series-steps unit-tests harness mutants fuzz test nightly quick boot check clean
SHELL := /bin/bash
