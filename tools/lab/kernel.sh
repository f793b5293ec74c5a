#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the kernels that the table below lists, of the base that BASE= or KSRC= name (base.sh).
#
#	kernel.sh source	unpack the base, print its directory
#	kernel.sh build [modules]	build stock and patched (and their modules)
#	kernel.sh build NAME [modules]	build that kernel (and its modules), print its directory
#	kernel.sh build objects	compile what the overlay changes, as kunit has it, with -Werror
#	kernel.sh build step PATCH	apply PATCH to the tree of the steps before, at first stock's, as
#				git am would; compile what it changes with W=1, which must not warn
#				of more than before; build; print the directory. Without PATCH: begin
#				again
#	kernel.sh build deb	build packages of stock and patched for a machine, print their names
#				(deb.sh; CONFIG= says which configuration)
#	kernel.sh dir NAME	print the directory of NAME, which may be source or venv, too
#
# Everything lives in a cache, in one directory for each base, compiler and configuration. Trees are
# built in place: an object file hardly says where its tree lies, so patched begins as a copy of the
# built stock tree, and only what the overlay changes is compiled. Each step works in NAME.part, or
# ends in a stamp that holds a checksum of its inputs: after an interruption the next run begins that
# step again, or make goes on.
#
# A kernel must have what its configuration asks for (config.py).
# JOBS=N sets the number of jobs. Exit: 0 done, 1 a step failed (its log is named), 2 something is
# missing, 3 the archive of the base cannot be read.

set -eu
unset MAKEFLAGS MFLAGS MAKEOVERRIDES LOCALVERSION ARCH	# our O= is not the kernel's

top=$(cd "$(dirname "$0")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/linux-dio
jobs=${JOBS:-$(($(nproc) + 1))}	# one waits for the disk, or links
vng_version=1.42
# shellcheck source=common.sh
. "$top/tools/lab/common.sh"
# shellcheck source=deb.sh
. "$top/tools/lab/deb.sh"

# Most of what a tree compiles, that of another checkout compiled before.
if [ -x /usr/bin/ccache ]; then
	export LAB_GCC="${LAB_GCC:-$(command -v gcc)}"
	export CCACHE_DIR=$cache/ccache PATH=$top/tools/lab/ccache:$PATH
fi
base=$("$top/tools/lab/base.sh" name) || exit

# Name, the tree that it begins as a copy of, its overlay, and its configuration: the names of
# fragments, FRAGMENT.config, of which later ones win. Without the adapter there is no stock driver to
# test; with it comes what um has of arch/um: interrupts that cost no system calls, and TLB flushes
# that programs on other CPUs see, without which tests fail at random.
common="kernel kernel-$base qemu selftests"
full="$common hba"
um="kernel kernel-$base selftests"
kernels="
stock		source		none	$full
patched		stock		all	$full
kunit		source		all	$full kunit compat
debug		source		all	$common kunit debug
races		source		all	$full races
distro-stock	source		none	$common distro distro-$base
distro		distro-stock	all	$common distro distro-$base
um-stock	source		adapter	$um um
um-patched	um-stock	all	$um um
um		source		all	$um kunit debug um
um-mutant	um		all	$um kunit debug um
step		stock		steps	$full
deb-stock	source		none	deb
deb		deb-stock	all	deb
"
adapter=(drivers/scsi/isp24xx/{Kconfig,Makefile} drivers/scsi/{Kconfig,Makefile}.add
	arch/um/{include/{asm/tlbflush,shared/os}.h,kernel/tlb.c,os-Linux/{signal,smp,time}.c}.cocci)
for file in "$top"/drivers/scsi/isp24xx/*.[ch]; do
	adapter+=("${file#"$top/"}")
done

# row NAME: sets from, overlay and fragments to what the table has
row()
{
	read -r _ from overlay fragments < <(awk -v name="$1" '$1 == name' <<<"$kernels") ||
		die 2 "no such kernel: $1"
}

base_name()
{
	local tarball

	if [ -n "${KSRC-}" ]; then
		printf 'ksrc-%s' "$(cd "$KSRC" && { pwd -P
			find . -name .git -prune -o -type f -printf '%P %s %T@\n' | sort; } |
			sha256sum | cut -c 1-12)"
	else
		tarball=$("$top/tools/lab/base.sh" tarball)
		[ -e "$tarball" ] || die 2 "$tarball is missing: run packages.sh, base.sh get"
		printf 'debian-%s' "$(stat -L -c '%s-%Y' "$tarball")"
	fi
}

# configs NAME: the files of its configuration
configs()
{
	local one path

	row "$1"
	for one in $fragments; do
		path=$top/tools/lab/$one.config
		[ "$one" != selftests ] || path=$tests_config
		[ "$one" != deb ] || base_config || exit
		[ ! -e "$path" ] || printf '%s\n' "$path"
	done
}

dir_of()
{
	local of key files checkout=""

	of=$(base_name)
	case $1 in
	source)	echo "$cache/$of/source"; return ;;
	venv)	echo "$cache/virtme-ng-$vng_version"; return ;;
	esac
	files=$(configs "$1") || exit
	row "$1"
	case $from-$overlay in
	*-all|*-steps)	checkout=-$(printf '%s' "$top" | sha256sum | cut -c 1-12) ;;&
	um-stock-*|*-adapter)	files+=$(printf '\n%s' "${adapter[@]/#/$top/}") ;;
	esac
	key=$( (gcc --version; xargs -d "\n" cat <<<"$files"
		[[ $1-${CONFIG-} != deb*-localmod ]] || echo localmod) | sha256sum | cut -c 1-12)
	echo "$cache/$of/$key/$1$checkout"
}

unpack()
{
	rm -rf "$1.part"
	mkdir -p "$1.part"
	if [ -n "${KSRC-}" ]; then
		rsync -a --exclude=/.git "$KSRC/" "$1.part"
		make -C "$1.part" -s mrproper
	else
		tar -C "$1.part" --strip-components=1 -xf "$("$top/tools/lab/base.sh" tarball)"
	fi
	mv -T "$1.part" "$1"
}

source_tree()
{
	local src

	"$top/tools/lab/base.sh" get
	src=$(dir_of source)
	lock "$cache"
	[ -d "$src" ] || step unpack unpack "$src"
}

venv()
{
	local dir

	dir=$(dir_of venv)
	rm -rf "$dir"
	/usr/bin/python3 -m venv "$dir" 2>/dev/null || python3 -m venv "$dir"
	"$dir/bin/pip" install --quiet "virtme-ng==$vng_version" || { rm -rf "$dir"; return 1; }
}

# configure NAME TREE
configure()
{
	local config files

	case $1 in deb|deb-stock) configure_deb "$@"; return ;; esac
	files=$(configs "$1")
	cd "$2"
	make -s tinyconfig
	for config in $files; do
		./scripts/kconfig/merge_config.sh -m .config "$config"
	done
	make -s olddefconfig
	# shellcheck disable=SC2086 # a list of words
	"$top/tools/lab/config.py" "$base" "$1" .config $files
}

# objects TREE: what is made of the C files that stdin names, but of those that another one includes
objects()
{
	local path

	sed -n 's/\.c$//p' | while read -r path; do
		[ ! -e "$1/$path.c" ] ||
			grep -qs "^#include \"${path##*/}\.c\"" "$1/${path%/*}"/*.c || echo "$path.o"
	done
}

# compile_objects NAME TREE: no warning is passed, but of large frames, which KASAN makes
compile_objects()
{
	local objects

	objects=$(sed -n 's/^[a-z]* \(\(block\|drivers\|fs\|lib\|mm\)\/.*\)$/\1/p' "$2/.overlay" |
		objects "$2")
	[ -n "$objects" ] || { echo "the overlay changes no C file"; return 1; }
	# shellcheck disable=SC2086 # a list of words
	make -C "$2" -k -j "$jobs" KCFLAGS="-Werror -Wno-error=frame-larger-than=" $objects
}

# compile NAME TREE. On user-mode Linux KASAN need not check the two files that walk the stack of
# whatever it checks.
compile()
{
	rm -f "$2/.lab-modules"
	case $1 in
	um*)	make -C "$2" -j "$jobs" KASAN_SANITIZE_{extable,stacktrace}.o=n linux ;;
	*)	make -C "$2" -j "$jobs" bzImage ;;
	esac
}

# compile_modules TREE: built and installed in TREE/modules, where guest.sh takes them from if the
# stamp says that they are this kernel's
compile_modules()
{
	make -C "$1" -j "$jobs" modules
	rm -rf "$1/modules"
	PATH=$PATH:/sbin make -C "$1" INSTALL_MOD_PATH="$1/modules" modules_install
	touch "$1/.lab-modules"
}

copy_tree()
{
	rm -rf "$2.part"
	cp -a --reflink=auto "$1" "$2.part"
	rm -rf "$2.part"/.lab-{built,objects,modules} "$2.part/modules"
	# Only objtool's rules say where the tree lies. If it is built anew, so is all that it checks.
	find "$2.part/tools/objtool" -name '.*.cmd' -exec sed -i "s|$1/|$2/|g" {} +
	mv "$2.part" "$2"
}

# model DIR: an overlay of the adapter alone
model()
{
	rm -rf "$1"
	mkdir -p "$1"
	(cd "$top" && cp --parents "${adapter[@]}" "$1")
}

# overlay_sum OVERLAY: a checksum of all that makes the patched kernel differ, but for its configuration
overlay_sum()
{
	local files

	files=$("$top/tools/lab/overlay.py" --files --base "$base" --overlay "$1") || return
	(cd "$1" && grep -v '^\(Documentation\|tools\)/' <<<"$files" | xargs -d '\n' -r sha256sum) | sha256sum
}

# lock DIR: one build at a time in it
lock()
{
	mkdir -p "$1"
	exec 9>"$1/lock"
	flock -n 9 || { say "another build runs in this cache: waiting"; flock 9; }
}

# make_tree NAME STAMP WHAT COMMAND...: configure the tree of NAME, with the overlay if it has
# one, and run COMMAND NAME TREE, unless STAMP says that this was done
make_tree()
{
	local name=$1 stamp what=$3 tree sum="" overlay_dir=$top

	row "$name"
	tree=$(dir_of "$name") stamp=$tree/$2
	shift 3
	[ -d "$tree" ] || step "copy-$name" copy_tree "$(dir_of "$from")" "$tree"
	[ "$overlay" != adapter ] || { overlay_dir=$tree.overlay; model "$overlay_dir"; }
	[ "$overlay" = none ] || sum=$(overlay_sum "$overlay_dir")
	[ ! -e "$stamp" ] || [ "$(cat "$stamp")" != "$sum" ] || return 0
	rm -f "$stamp"
	[ -z "$sum" ] || step "overlay-$name" \
		"$top/tools/lab/overlay.py" "$(dir_of source)" "$tree" --overlay "$overlay_dir"
	step "configure-$name" configure "$name" "$tree"
	step "$what-$name" "$@" "$name" "$tree"
	echo "$sum" >"$stamp"
}

# begin NAME: the source is there, and nobody else builds where NAME lies
begin()
{
	source_tree
	case $1 in
	um*)
		[ "$base" = 7.3 ] || die 2 "user-mode Linux runs as of 7.3: BASE=7.3"
		export ARCH=um
		;;
	deb*)	;;
	*)	[ -x "$(dir_of venv)/bin/vng" ] || step virtme-ng venv ;;
	esac
	lock "$(dirname "$(dir_of "$1")")"
}

# build NAME [modules]: what it begins as a copy of comes first
build()
{
	local tree

	row "$1"
	if [ "$from" = source ]; then
		begin "$1"
	else
		build "$from"
	fi
	make_tree "$1" .lab-built build compile
	tree=$(dir_of "$1")
	[ -z "${2-}" ] || [ -e "$tree/.lab-modules" ] || step "modules-$1" compile_modules "$tree"
}

# warnings PATCH TREE: what the compiler says of what it changes, with more warnings than usual, but
# for where; fails if a file does not compile. User-mode Linux is not what is built here.
warnings()
{
	local objects said rc=0

	objects=$(sed -n 's|^+++ b/\([^\t]*\)\(\t.*\)*$|\1|p' "$1" |
		grep -v '^\(tools\|arch/um\|drivers/scsi/isp24xx\)/' | objects "$2")
	[ -n "$objects" ] || return 0
	# shellcheck disable=SC2086 # a list of words
	said=$(make -C "$2" -k -j "$jobs" W=1 $objects 2>&1) || rc=1
	printf '%s\n' "$said" >&2
	sed -n 's/^\([^ :]*\):[0-9:]* \(warning: .*\)/\1: \2/p' <<<"$said" | sort -u
	return "$rc"
}

# apply_step PATCH TREE: earlier warnings are no fault of the patch; the options that it brings are set.
apply_step()
{
	warnings "$1" "$2" >"$2/.lab-warnings" || :
	patch -d "$2" -p1 --fuzz=0 --no-backup-if-mismatch <"$1"
	configs step | xargs cat >>"$2/.config"
	make -C "$2" -s olddefconfig
}

# compile_step PATCH TREE
compile_step()
{
	local new

	warnings "$1" "$2" >"$2/.lab-warnings.new"
	new=$(comm -13 "$2"/.lab-warnings{,.new})
	[ -z "$new" ] || { echo "new warnings: $new"; return 1; }
	compile step "$2"
	compile_modules "$2"
}

build_step()
{
	local tree

	build stock
	tree=$(dir_of step)
	[ -n "$1" ] || rm -rf "$tree"
	[ -d "$tree" ] || step copy-step copy_tree "$(dir_of stock)" "$tree"
	if [ -n "$1" ]; then
		rm -f "$tree/.lab-built"
		step apply-step apply_step "$1" "$tree"
		step build-step compile_step "$1" "$tree"
	fi
	: >"$tree/.lab-built"
}

case ${1-}:${2-}:${3-} in
source::)	source_tree; dir_of source ;;
dir:?*:)	dir_of "$2" ;;
build::|build:modules:)
	build stock "${2-}"
	build patched "${2-}"
	;;
build:objects:)
	begin kunit
	make_tree kunit .lab-objects objects compile_objects
	dir_of kunit
	;;
build:deb:)	build_deb ;;
build:step:*)	build_step "${3-}"; dir_of step ;;
build:?*:|build:?*:modules)	build "$2" "${3-}"; dir_of "$2" ;;
*)		die 2 "usage: kernel.sh source | build [modules|NAME [modules]|objects|step [PATCH]|deb] | dir NAME" ;;
esac
