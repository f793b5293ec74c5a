# SPDX-License-Identifier: GPL-2.0
#
# The front door; `make help` lists what it does.

export O := $(abspath $(or $(O),out))
export BASE KSRC DISKS CONFIG
LAB := tools/lab
MAKEFLAGS += --no-print-directory
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
HARNESS := $(wildcard tools/testing/dio/*.[ch] tools/testing/dio/field/*.[ch])
# The harness defines what the kernel has macros for, and prints what a program prints.
STANDIN_STYLE := MEMORY_BARRIER, BIT_MACRO, CAMELCASE, EMBEDDED_FUNCTION_NAME, AVOID_EXTERNS, \
	NEW_TYPEDEFS, MACRO_ARG_REUSE, MACRO_ARG_PRECEDENCE, PREFER_DEFINED_ATTRIBUTE_MACRO, \
	EXPORT_SYMBOL, FUNCTION_ARGUMENTS, MINMAX, ENOSYS, IS_ENABLED_CONFIG, \
	MACRO_ARG_UNUSED

help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

#: BASE=6.1, 6.12 or 7.3 (default: the distribution's own), or KSRC= a tree of one of these,
#: says of which kernel.
#: Use:
#:   run         two field reports on a model, both kernels built and booted, the shorter
#:               selftests, some of the bench; a verdict of five lines, $O/report.html (V=1: tables)
#:   kernel      build the stock and the patched kernel
#:   boot        a shell in the patched one, with eight disks (DISKS= for others);
#:               ARRAY=fc|many|qla (7.3): ready for ../tools/lab/array.sh up
#:   selftests   build the selftests and install them in $O/kselftest
#:   kit         pack them for a machine with an array and no compiler, python or network:
#:               ./field there runs the five reports (FIO= a static fio)
#:   deb         packages in $O/deb of both kernels, from this machine's configuration, CONFIG=FILE,
#:               or CONFIG=localmod: only the modules that are loaded
#:   bench       measure both kernels, an hour; ARRAY=fc|many|model|qla (7.3): the field reports there
#:   programs    the time of sqlite, tar, rocksdb, lmdb and others on both
#:   report      print the table again, and write $O/report.html; RESULTS=FILE: of the kit's field.figures
#:   clean       remove $O; the cache stays
#: Prove (lab.rst names the parts of these):
#:   quick       on 7.3, what .ci/paths has for the paths that differ from SINCE= (HEAD)
#:   test        unit tests of the lab, the harness, KUnit and the selftests in guests (OPS= operations
#:               on a file of each file system); 7.3 on user-mode Linux, and what that has not in QEMU
#:   tests       of these the selftests (TESTS=) and KUnit on KERNEL=um, kunit, debug or patched; on
#:               um-stock or stock: what that is known to fail must fail
#:   harness     the engine and readahead in user space; some of the mutants
#:   mutants     known faults, all of which must be found, and COUNT= that a machine makes by SEED=
#:   base-tests  what CI runs of an older base: one kernel, KUnit, selftests, series; base-check: no
#:               kernel; all in $O/base-BASE
#:   check       checkpatch, sparse, shellcheck, semantic patches
#:   nightly     all of it for all bases, and what CI leaves out: hours
#: Send:
#:   series      of 7.3: the topics, their state, and to whom each goes; TOPIC=NAME (or all): its
#:               patches, in $O/series-*; TOPIC=tree: those of all topics and the rest, which is what
#:               older bases get; and what a KSRC of 2.6 or 2.4 needs
#:   series-steps  does each patch of TOPIC= (tree) build without a warning (W=1), and boot?
#:               FROM=PATCH: those before it were tried before

# What programs needs besides is installed first, too.
bench: MORE_PACKAGES = $(if $(ARRAY),,programs)
programs: MORE_PACKAGES = programs

packages:
	@$(LAB)/packages.sh $(MORE_PACKAGES)

kernel: packages
	@$(LAB)/kernel.sh build

modules: packages
	@$(LAB)/kernel.sh build modules

source: packages
	@$(LAB)/kernel.sh source >/dev/null

selftests: source
	@mkdir -p $(O)/build $(O)/log
	@$(MAKE) -s -C tools/testing/selftests/dio install \
		KSRC="$$($(LAB)/kernel.sh dir source)" OUTPUT=$(O)/build INSTALL_PATH=$(O)/kselftest \
		>$(O)/log/selftests.log 2>&1 || { cat $(O)/log/selftests.log; exit 1; }

# Two kernels as a machine runs them, from its own configuration; CONFIG= names another.
deb:
	@$(LAB)/packages.sh deb
	@$(LAB)/kernel.sh build deb

kit: selftests
	@$(LAB)/kit.sh

# Selftests on one kernel: TESTS= which, SHORT=1 those that tell most of QEMU, LEAVE_OUT= not these.
# Guests share them: user-mode Linux mostly waits, an emulated one keeps one of the host's processors
# busy. Their results are in $O/log, of debug and stock kernels below it. MODULES= builds none.
KERNEL = $(if $(filter 7.3,$(base)),um,patched)
STOCK = $(filter %stock,$(KERNEL))
MODULES = modules
GUESTS = $(addprefix guest-,$(wordlist 1,$(words $(TESTS)),1 2 $(if $(filter um%,$(KERNEL)),3 4)))
RESULTS = log$(if $(filter-out patched kunit,$(KERNEL)),/$(KERNEL))
# Those that take longest come first.
LONG_FIRST := test_qla test_file_load test_flags test_field test_array_faults test_files test_raw \
	test_stacks
SELFTESTS := $(basename $(notdir $(wildcard tools/testing/selftests/dio/test_*.sh)))
# Huge pages and gup_fast, which user-mode Linux has not; of others what tells most
SHORT_TESTS = test_raw test_readahead test_boundary $(if $(filter-out 7.3,$(base)),test_files test_kinds)
TESTS = $(if $(SHORT),$(SHORT_TESTS),$(LONG_FIRST) $(filter-out $(LONG_FIRST),$(sort $(SELFTESTS))))
# These test tools, and have nothing to find on stock.
TOOL_TESTS := test_disk_read test_field test_guard test_model_disk
TEST_ENV = RESULTS=$(RESULTS) $(if $(OPS),DIO_OPS=$(OPS)) $(if $(FS),DIO_FS=$(FS)) \
	$(if $(TEST_LIMIT),TEST_LIMIT=$(TEST_LIMIT)) $(if $(STOCK),DIO_STOCK=1 XFAIL=$(RESULTS)/xfail)
# Only user-mode Linux has an adapter for test_qla, few kernels fail allocations, and what test_flags
# holds requests to is 7.3's.
RUN_TESTS = $(CURDIR)/$(LAB)/selftests.sh $(filter-out $(LEAVE_OUT) $(if $(STOCK),$(TOOL_TESTS)) \
	$(if $(filter-out um%,$(KERNEL)),test_qla) $(if $(filter-out um debug,$(KERNEL)),test_nomem) \
	$(if $(filter-out 7.3,$(base)),test_flags),$(TESTS))

# KEEP=1, which CI sets: what a kernel answered, if all was as it should be, is kept beside it, and told
# again if it is asked the same: neither the overlay, the tests nor what runs them have changed.
ASKED = find tools/testing/selftests/dio $(addprefix $(LAB)/,array.sh common.sh guest.sh selftests.sh \
	kunit.sh kunit.config kernel.sh xfail.py complaints.sh) Makefile -type f; \
	$(if $(STOCK),:,$(LAB)/overlay.py --files --base $(base))
ANSWERS = $(if $(KEEP),$$($(LAB)/kernel.sh dir $(KERNEL))/answers-$$({ echo '$(RUN_TESTS) $(OPS) $(FS)'; \
	{ $(ASKED); } | sort -u | xargs cat; fio --version; } | sha256sum | cut -c 1-12))
tests: selftests
	@$(LAB)/kernel.sh build $(KERNEL) $(if $(filter um%,$(KERNEL)),,$(MODULES)) >/dev/null
	@cd $(O) && rm -rf $(RESULTS)/test_[!k]*.tap $(RESULTS)/taken && mkdir -p $(RESULTS)/taken
	@$(if $(STOCK),awk '/^on / { on = / $(base)[ :]/; next } \
		on$(if $(filter um%,$(KERNEL)), && !/# large folios:/)' \
		tools/testing/selftests/dio/stock.xfail >$(O)/$(RESULTS)/xfail)
	@rc=0; $(if $(filter um kunit debug,$(KERNEL)),$(LAB)/kunit.sh $(KERNEL) || rc=1;) kept="$(ANSWERS)"; \
	if [ -d "$$kept" ]; then \
		cp "$$kept"/* $(O)/$(RESULTS) && echo "lab: $(KERNEL) has answered before: $$kept" >&2; \
	elif $(MAKE) -k -j4 $(GUESTS); then \
		[ -z "$$kept" ] || { rm -rf "$$kept.part" && mkdir "$$kept.part" && \
			cp $(O)/$(RESULTS)/test_[!k]*.tap "$$kept.part" && mv "$$kept.part" "$$kept"; }; \
	else rc=1; fi; exit $$rc

guest-%:
	@$(LAB)/guest.sh -k $(KERNEL) -n $* -t $(if $(filter debug,$(KERNEL)),7200 -N,3600) \
		env TAKEN=taken GUEST=$* $(TEST_ENV) $(RUN_TESTS)

stock-tests:
	@$(MAKE) tests KERNEL=$(if $(filter 7.3,$(base)),um-)stock

# Races of what shares the state of an open file, or the pages of a file, with what is ours
races: selftests
	@rm -rf $(O)/log/races; mkdir -p $(O)/log/races
	@tree=$$($(LAB)/kernel.sh build races modules) && $(LAB)/guest.sh -k races -t 3600 \
		env $(TEST_ENV) RESULTS=log/races $(CURDIR)/$(LAB)/races.sh "$$tree" test_ra_stress

# Does the lab hear a kernel that complains?
complaint-tests: packages
	@$(LAB)/kernel.sh build $(KERNEL) $(if $(filter um%,$(KERNEL)),,modules) >/dev/null
	@mkdir -p $(O)/$(RESULTS)
	@KERNEL=$(KERNEL) $(LAB)/test_complaints.sh | tee $(O)/$(RESULTS)/test_complaints.tap

# Two guests, which tell each other that they live: they have the host for themselves.
cluster-tests: selftests
	@$(LAB)/kernel.sh build patched modules >/dev/null
	@$(LAB)/cluster.sh | tee $(O)/log/test_cluster.tap

kunit: packages
	@$(LAB)/kunit.sh kunit

objects: packages
	@mkdir -p $(O)/log; not=""; $(LAB)/kernel.sh build objects >$(O)/log/objects.log || not="not "; \
		echo "$${not}ok 1 what the overlay changes compiles" | tee $(O)/log/test_objects.tap; \
		[ -z "$$not" ]

# What CI runs of older bases
base-tests: PARTS := series tests
base-check: PARTS := series objects
base-tests base-check: packages
	@rm -rf $(O)/base-$(base)/log; mkdir -p $(O)/base-$(base)/log
	@O=$(O)/base-$(base) $(LAB)/base.sh get exactly || { \
		echo "not ok 1 Linux $(base) cannot be had" | tee $(O)/base-$(base)/log/test_base.tap; \
		exit 1; }
	@$(MAKE) -k O=$(O)/base-$(base) BASE=$(base) OPS=$(or $(OPS),20) KERNEL=kunit SHORT=1 $(PARTS)

disks: selftests
	@mkdir -p $(O)/disks
	@for n in 0 1 2 3 4 5 6 7; do \
		[ -s $(O)/disks/disk$$n ] || { \
			$(O)/kselftest/disk_stamp disk=$$n write-file $(O)/disks/part && \
			mv $(O)/disks/part $(O)/disks/disk$$n; } || exit 1; \
	done

# The harness compiles what is of the base, too.
HARNESS_OUT = $(O)/harness-$(base)

field: source
	@mkdir -p $(HARNESS_OUT)
	@$(MAKE) -s -C tools/testing/dio field OUTPUT=$(HARNESS_OUT) BASE=$(base)

# Only user-mode Linux has the adapter of an array behind qla2xxx.
QLA = $(if $(filter 7.3,$(base)),$(LAB)/kernel.sh build um-patched)

# The reports come first, with -j too: all else builds kernels. A step that fails does not stop the
# others: the verdict names it. V=1 shows the tables. To make test are left load on what others test,
# stacks, arrays that fail, what statx() tells, and tests of tools.
LONG_TESTS := test_align test_file_load test_stacks test_array_faults test_ra_stress $(TOOL_TESTS) \
	test_help
run: packages
	@mkdir -p $(O)/log; touch $(O)/log/run.start; : >$(O)/log/run.failed
	@echo 'lab: field reports 4 and 5 on a model' >&2
	@$(MAKE) field >$(O)/log/field.log || echo field >>$(O)/log/run.failed
	@$(if $(V),cat $(O)/log/field.log)
	@$(MAKE) -k tests KERNEL=patched MODULES= OPS=$(or $(OPS),5) LEAVE_OUT="$(LONG_TESTS)" || \
		echo tests >>$(O)/log/run.failed
	@$(if $(QLA),$(QLA) >/dev/null || echo kernel >>$(O)/log/run.failed)
	@$(LAB)/bench.py run short $(if $(QLA),qla-short) $(if $(V),,>/dev/null) || \
		echo bench >>$(O)/log/run.failed
	@$(LAB)/bench_report.py >/dev/null || echo report >>$(O)/log/run.failed
	@$(LAB)/bench_report.py verdict "$(LONG_TESTS)" $$(cat $(O)/log/run.failed)

bench: modules selftests
	@$(if $(filter qla,$(ARRAY)),$(or $(QLA),echo 'bench: ARRAY=qla needs BASE=7.3'; exit 2) >/dev/null)
	@$(LAB)/bench.py run --passes 3 $(ARRAY)
	@$(LAB)/bench_report.py
	@$(if $(ARRAY),,$(MAKE) -s -C tools/testing/dio ra-search \
		OUTPUT=$(HARNESS_OUT) BASE=$(base))

# Not a part of make bench: conditions, not the exact cost of a path.
real: modules selftests
	@$(LAB)/kernel.sh build distro >/dev/null
	@$(LAB)/bench.py run real >/dev/null
	@$(LAB)/bench_report.py

# Of this 40 rows of 200 are.
programs: modules selftests
	@$(LAB)/bench.py run programs

report: FIGURES = $(if $(filter command environment,$(firstword $(origin RESULTS))),$(RESULTS))
report:
	@$(LAB)/bench.py report $(FIGURES)
	@$(LAB)/bench_report.py $(FIGURES)

profile: modules selftests
	@[ -n '$(CASE)' ] || { echo 'profile: name a bench case, or layers, with CASE='; exit 2; }
	@$(LAB)/bench.py profile '$(CASE)'

series:
	@tree=$${KSRC:-$$($(LAB)/kernel.sh source)} && $(LAB)/series.py --out $(O) \
		$(if $(TOPIC),--topic $(TOPIC)) "$$tree"

series-steps: TOPIC := $(or $(TOPIC),tree)
series-steps: selftests
	@mkdir -p $(O)/log; tree=$${KSRC:-$$($(LAB)/kernel.sh source)} && \
		$(LAB)/series_steps.py --out $(O) --topic $(TOPIC) "$$tree" | tee $(O)/log/test_series.tap

unit-tests: source
	@mkdir -p $(O)/log
	@$(PYTHON) -m unittest discover -t $(LAB) -s $(LAB)/tests 2>&1 | tee $(O)/log/unit-tests.log

harness: source
	@mkdir -p $(O)/log $(HARNESS_OUT)
	@BASE=$(base) tools/testing/dio/tap.sh $(HARNESS_OUT) | tee $(O)/log/harness.tap

mutants: packages
	@$(MAKE) -C tools/testing/dio mutants OUTPUT=$(HARNESS_OUT) BASE=$(base)
	@$(if $(filter 7.3,$(base)),$(MAKE) selftests && $(LAB)/raw_mutants.sh)

fuzz: packages
	@$(MAKE) -C tools/testing/dio fuzz OUTPUT=$(HARNESS_OUT) BASE=$(base)

# steps PART...: one after the other; each says how long it took
steps = mkdir -p $(O)/log; rc=0; for part in $(1); do \
	start=$$SECONDS ok=""; $(MAKE) -k $$part || rc=1 ok=" FAILED"; \
	echo "\# make $$part: $$((SECONDS - start)) s$$ok" | tee -a $(O)/log/steps; \
	done; exit $$rc

TEST_PARTS = unit-tests harness $(if $(filter 7.3,$(base)),"tests KERNEL=um LEAVE_OUT=$(UM_LEAVE_OUT)" \
	"complaint-tests KERNEL=um" "tests KERNEL=um-stock" check "tests KERNEL=kunit SHORT=1 MODULES=",\
	"tests KERNEL=patched" "complaint-tests KERNEL=patched" cluster-tests \
	"tests KERNEL=debug SHORT=1 OPS=$(or $(OPS),20)" "complaint-tests KERNEL=debug")
test: packages
	@$(call steps,$(TEST_PARTS))

# Each base as CI does it, and more
NIGHTLY := "test BASE=7.3" "test BASE=6.1" "tests KERNEL=stock BASE=6.1" "base-tests BASE=6.12" \
	"tests KERNEL=debug BASE=7.3" "tests KERNEL=stock BASE=7.3" "races BASE=7.3" "mutants BASE=7.3"
nightly: packages
	@$(call steps,$(NIGHTLY))

# What .ci/paths has for the paths that differ from SINCE=
quick: export BASE := 7.3
quick: packages
	@$(LAB)/quick.sh

boot: KERNEL = $(if $(filter qla,$(ARRAY)),um,patched)
boot: disks
	@$(LAB)/kernel.sh build $(KERNEL) $(if $(filter patched,$(KERNEL)),modules) >/dev/null
	@$(LAB)/guest.sh -k $(KERNEL) $(if $(ARRAY),-a $(ARRAY),-d) -s

# The parts run side by side; each says how long it took.
CHECKS := check-shell check-smpl check-faults check-series check-sources check-tests check-harness \
	check-sparse
check: packages
	@$(LAB)/kernel.sh build $(CHECKED) >/dev/null
	@mkdir -p $(O)
	@$(MAKE) -k -O -j$(shell nproc) $(CHECKS)

took = rc=$$?; echo "\# $@: $$SECONDS s"; exit $$rc
source = $(shell $(LAB)/kernel.sh dir source)
CHECKPATCH = cd $(O) && src=$(source) && perl $$src/scripts/checkpatch.pl --root=$$src --strict --terse

check-shell:
	@shellcheck -x -P SCRIPTDIR $(SCRIPTS); $(took)
check-smpl:
	@$(LAB)/overlay.py --check-smpl; $(took)
check-faults:
	@tools/testing/dio/mutants.py $(O)/rules rules; $(took)
check-series:
	@$(LAB)/series.py --check; $(took)
check-sources:
	@$(CHECKPATCH) -f $(addprefix $(CURDIR)/,$(SOURCES)); $(took)
check-tests:
	@$(CHECKPATCH) --ignore PREFER_DEFINED_ATTRIBUTE_MACRO,ENOSYS \
		-f $(addprefix $(CURDIR)/,$(TEST_SOURCES)); $(took)
check-harness:
	@$(CHECKPATCH) --ignore "$(STANDIN_STYLE)" -f $(addprefix $(CURDIR)/,$(HARNESS)); $(took)
check-sparse:
	@unset MAKEFLAGS O; tree=$$($(LAB)/kernel.sh dir $(CHECKED)); src=$(source); \
		objects=$$(sed -n '$(SPARSE)' "$$tree/.overlay" | while read -r path; do \
			[ -e "$$src/$$path.c" ] && ! grep -qx "$$path.c" base/replaces || \
				echo "$$path.o"; done | grep -v '_test\.o$$'); \
		[ -n "$$objects" ] || { echo "sparse: no file of ours in $$tree"; exit 1; }; \
		said=$$(make -s -C "$$tree" C=2 CF=$(CF) $$objects 2>&1 | grep -v '$(SPARSE_NOISE)'); \
		[ -z "$$said" ] || { echo "sparse: $$said"; false; }; $(took)

clean:
	rm -rf $(O)

# All are, but guest-%, which no pattern would make then. Only one has the name of a folder.
.PHONY: series $(filter-out guest-%,$(MAKECMDGOALS))
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
