#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the stock and the patched kernel from one configuration, and more from the patched tree:
# kunit (kunit.config on top: KUnit and what it tests; not in patched, since KUnit changes a structure
# that all include), debug (that, and debug.config: KASAN, lockdep, the raw driver as a module), and
# races (races.config: KCSAN).
# distro-stock and distro are stock and patched with what costs time in a distribution's
# configuration (distro.config). um is what debug is, of 7.3 for user-mode Linux (um.config, no
# modules), um-stock is stock's without what debug adds. BASE= or KSRC= say of which kernel (base.sh).
#
#	kernel.sh source	unpack the base, print its directory
#	kernel.sh build		build stock and patched, print their directories
#	kernel.sh build stock	build only that
#	kernel.sh build modules	and their modules: file systems that only make test and bench use
#	kernel.sh build patched modules	and only patched's
#	kernel.sh build debug	build debug, its raw driver and lkdtm, print its directory
#	kernel.sh build debug modules	and all of its modules
#	kernel.sh build races	build races and its modules, print its directory
#	kernel.sh build distro	build distro-stock and distro, print their directories
#	kernel.sh build um|um-stock	build that, print its directory
#	kernel.sh build kunit	build kunit alone, print its directory
#	kernel.sh build kunit modules	and its modules
#	kernel.sh build objects	compile what the overlay changes, as kunit has it, with -Werror
#	kernel.sh build step PATCH	apply PATCH to the tree of the steps before, at first stock's, as
#				git am would; compile what it changes with W=1, which must not warn
#				of more than before; build; print the directory. Without PATCH: begin
#				anew
#	kernel.sh build deb	build packages of stock and patched for a machine, print their names
#				(deb.sh; CONFIG= says which configuration)
#	kernel.sh dir NAME	print the directory of NAME: source, stock, patched, debug, kunit, step,
#				races, distro-stock, distro, um-stock, um, deb-stock, deb, venv
#
# Everything lives in a cache, in one directory for each base, compiler and configuration. Trees
# are built in place: kbuild's in-tree object files hardly mention where the tree lies, so the
# patched tree starts as a copy of the built stock tree and only what the overlay changes is
# compiled. Each step works in NAME.part, or ends in a stamp that holds a checksum of its inputs:
# after an interruption the next run starts that step anew or lets make go on.
#
# What a configuration asks for it must have, but for what tools/lab/lacks says (config.py). JOBS=N
# sets the number of jobs. Exit: 0 done, 1 a step failed (its log is named), 2 something is missing,
# 3 the archive of the base cannot be read, 4 there is not enough space (build deb).

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
if [ -x /usr/lib/ccache/gcc ]; then
	export CCACHE_DIR=$cache/ccache PATH=/usr/lib/ccache:$PATH
fi

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

# configs NAME: the fragments of a kernel's configuration, later lines win
configs()
{
	local one all=(lab/kernel.config "lab/kernel-$base.config" lab/qemu.config
		testing/selftests/dio/config)

	case $1 in
	um)	all+=(lab/kunit.config lab/debug.config) ;;&
	um|um-stock)	all[2]=lab/um.config all+=(lab/um.config) ;;
	deb|deb-stock)	base_config && echo "$top/tools/lab/deb.config"; return ;;
	kunit)	all+=(lab/kunit.config) ;;
	debug)	all+=(lab/kunit.config lab/debug.config) ;;
	races)	all+=(lab/races.config) ;;
	distro|distro-stock)	all+=(lab/distro.config "lab/distro-$base.config") ;;
	esac
	for one in "${all[@]}"; do
		[ ! -e "$top/tools/$one" ] || printf '%s\n' "$top/tools/$one"
	done
}

dir_of()
{
	local of key checkout files

	of=$(base_name)
	files=$(configs "$1") || exit
	key=$( (gcc --version; xargs -d '\n' cat <<<"$files"; localmod "$1") | sha256sum | cut -c 1-12)
	checkout=$(printf '%s' "$top" | sha256sum | cut -c 1-12)
	case $1 in
	source)		echo "$cache/$of/source" ;;
	stock|distro-stock|um-stock|deb-stock)	echo "$cache/$of/$key/$1" ;;
	patched|distro|debug|races|kunit|um|step|deb)	echo "$cache/$of/$key/$1-$checkout" ;;
	venv)		echo "$cache/virtme-ng-$vng_version" ;;
	*)		die 2 "no such directory name: $1" ;;
	esac
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
	[ -d "$src" ] || step unpack 30 unpack "$src"
}

venv()
{
	local dir

	dir=$(dir_of venv)
	rm -rf "$dir"
	/usr/bin/python3 -m venv "$dir" 2>/dev/null || python3 -m venv "$dir"
	"$dir/bin/pip" install --quiet "virtme-ng==$vng_version" || { rm -rf "$dir"; return 1; }
}

get_vng()
{
	[ -x "$(dir_of venv)/bin/vng" ] || step virtme-ng 20 venv
}

# Configure the tree $1 as $2.
configure()
{
	local config

	case $2 in deb|deb-stock) configure_deb_tree "$@"; return ;; esac
	cd "$1"
	make -s tinyconfig
	for config in $(configs "$2"); do
		./scripts/kconfig/merge_config.sh -m .config "$config"
	done
	make -s olddefconfig
	# shellcheck disable=SC2046
	"$top/tools/lab/config.py" "$base" "$2" .config $(configs "$2")
}

# changed_objects TREE: what is made of the C files that came from the overlay, but of those that
# another one includes
changed_objects()
{
	local path

	cd "$1"
	sed -n 's/^[a-z]* \(\(block\|drivers\|fs\|lib\|mm\)\/.*\)\.c$/\1/p' .overlay | while read -r path; do
		grep -qs "^#include \"${path##*/}\.c\"" "${path%/*}"/*.c || echo "$path.o"
	done
}

# compile_objects TREE: no warning is passed, but of large frames, which KASAN makes
compile_objects()
{
	local objects

	objects=$(changed_objects "$1")
	[ -n "$objects" ] || { echo "the overlay changes no C file"; return 1; }
	# shellcheck disable=SC2086 # a list of words
	make -C "$1" -k -j "$jobs" KCFLAGS="-Werror -Wno-error=frame-larger-than=" $objects
}

# compile NAME TREE. On user-mode Linux KASAN need not check the two files that walk the stack of
# whatever it checks.
compile()
{
	rm -f "$2/.lab-modules"
	case $1 in
	um|um-stock)
		make -C "$2" -j "$jobs" KASAN_SANITIZE_{extable,stacktrace}.o=n linux
		return
		;;
	esac
	make -C "$2" -j "$jobs" bzImage
	[ "$1" != debug ] ||
		make -C "$2" -j "$jobs" drivers/char/raw.ko drivers/misc/lkdtm/lkdtm.ko
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

# build_modules NAME LINES
build_modules()
{
	local tree

	tree=$(dir_of "$1")
	[ -e "$tree/.lab-modules" ] || step "modules-$1" "$2" compile_modules "$tree"
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

# A checksum of all that makes the patched tree differ, the configuration and the selftests aside.
overlay_sum()
{
	local files

	files=$("$top/tools/lab/overlay.py" --files --base "$base" --overlay "$top") || return
	(cd "$top" && grep -v '^tools/testing/' <<<"$files" | xargs -d '\n' -r sha256sum) | sha256sum
}

# patch_and NAME FROM DONE LINES STEP COMMAND...: bring the tree of NAME, at first a copy of FROM, up
# to date and run COMMAND, unless its stamp DONE says that it did so for this overlay.
patch_and()
{
	local name=$1 from=$2 stamp lines=$4 step=$5 tree sum

	tree=$(dir_of "$name") stamp=$tree/$3
	shift 5
	[ -d "$tree" ] || step "copy-$name" 20 copy_tree "$from" "$tree"
	sum=$(overlay_sum)
	[ "$(cat "$stamp" 2>/dev/null)" != "$sum" ] || return 0
	rm -f "$stamp"
	step "overlay-$name" 5 "$top/tools/lab/overlay.py" "$(dir_of source)" "$tree" --overlay "$top"
	step "configure-$name" 10 configure "$tree" "$name"
	step "$step-$name" "$lines" "$@" "$tree"
	echo "$sum" >"$stamp"
}

# patch_and_build NAME FROM LINES
patch_and_build()
{
	patch_and "$1" "$2" .lab-built "$3" build compile "$1"
}

# lock DIR: one build at a time in it
lock()
{
	mkdir -p "$1"
	exec 9>"$1/lock"
	flock -n 9 || { say "another build runs in this cache: waiting"; flock 9; }
}

# from_source NAME LINES COMMAND...: configure a copy of the source, and run COMMAND, once
from_source()
{
	local name=$1 lines=$2 tree

	tree=$(dir_of "$name")
	shift 2
	[ ! -e "$tree/.lab-built" ] || return 0
	[ -d "$tree" ] || step "copy-$name" 20 copy_tree "$(dir_of source)" "$tree"
	step "configure-$name" 10 configure "$tree" "$name"
	step "build-$name" "$lines" "$@" "$tree"
	touch "$tree/.lab-built"
}

build_stock()
{
	source_tree
	get_vng
	lock "$(dirname "$(dir_of stock)")"
	from_source stock 2100l compile stock
}

build()
{
	build_stock
	patch_and_build patched "$(dir_of stock)" 1250l
}

build_distro()
{
	source_tree
	get_vng
	lock "$(dirname "$(dir_of distro)")"
	from_source distro-stock 2400l compile distro-stock
	patch_and_build distro "$(dir_of distro-stock)" 1250l
}

build_debug()
{
	source_tree
	get_vng
	lock "$(dirname "$(dir_of debug)")"
	patch_and_build debug "$(dir_of source)" 1700l
}

build_races()
{
	source_tree
	get_vng
	lock "$(dirname "$(dir_of races)")"
	patch_and_build races "$(dir_of source)" 1500l
	build_modules races 300l
}

build_um()
{
	[ "$base" = 7.3 ] || die 2 "user-mode Linux runs as of 7.3: BASE=7.3"
	export ARCH=um
	source_tree
	lock "$(dirname "$(dir_of "$1")")"
	case $1 in
	um)	patch_and_build um "$(dir_of source)" 1900l ;;
	*)	from_source um-stock 1700l compile um-stock ;;
	esac
}

build_kunit()
{
	source_tree
	get_vng
	lock "$(dirname "$(dir_of kunit)")"
	patch_and_build kunit "$(dir_of source)" 1500l
}

# objects_of PATCH TREE: what is made of the C files of the tree that it changes, but of those that
# another one includes
objects_of()
{
	local path

	sed -n 's|^+++ b/\([^\t]*\)\.c\(\t.*\)*$|\1|p' "$1" | grep -v '^tools/' | while read -r path; do
		[ ! -e "$2/$path.c" ] ||
			grep -qs "^#include \"${path##*/}\.c\"" "$2/${path%/*}"/*.c || echo "$path.o"
	done
}

# warnings PATCH TREE: what the compiler says of these, with more warnings than usual, but for where;
# fails if one does not compile
warnings()
{
	local objects said rc=0

	objects=$(objects_of "$1" "$2")
	[ -n "$objects" ] || return 0
	# shellcheck disable=SC2086 # a list of words
	said=$(make -C "$2" -k -j "$jobs" W=1 $objects 2>&1) || rc=1
	printf '%s\n' "$said" >&2
	sed -n 's/^\([^ :]*\):[0-9:]* \(warning: .*\)/\1: \2/p' <<<"$said" | sort -u
	return "$rc"
}

# apply_step PATCH TREE: what is warned of before is no fault of the patch.
apply_step()
{
	warnings "$1" "$2" >"$2/.lab-warnings" || :
	patch -d "$2" -p1 --fuzz=0 --no-backup-if-mismatch <"$1"
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

	build_stock
	tree=$(dir_of step)
	[ -n "$1" ] || rm -rf "$tree"
	[ -d "$tree" ] || step copy-step 20 copy_tree "$(dir_of stock)" "$tree"
	[ -n "$1" ] || return 0
	step apply-step 5 apply_step "$1" "$tree"
	step build-step 800l compile_step "$1" "$tree"
}

build_objects()
{
	source_tree
	lock "$(dirname "$(dir_of kunit)")"
	patch_and kunit "$(dir_of source)" .lab-objects 250l objects compile_objects
}

base=$("$top/tools/lab/base.sh" name) || exit

case ${1-} in
source)		source_tree; dir_of source ;;
build)
	case ${2-}${3:+ $3} in
	"")	build; dir_of stock; dir_of patched ;;
	modules)
		build
		build_modules stock 300l
		build_modules patched 300l
		;;
	"patched modules")
		build
		build_modules patched 300l
		;;
	distro)	build_distro; dir_of distro-stock; dir_of distro ;;
	debug)	build_debug; dir_of debug ;;
	"debug modules")
		build_debug
		build_modules debug 400l
		dir_of debug
		;;
	races)	build_races; dir_of races ;;
	stock)	build_stock; dir_of stock ;;
	kunit)	build_kunit; dir_of kunit ;;
	um|um-stock)	build_um "$2"; dir_of "$2" ;;
	deb)	build_deb ;;
	step*)	build_step "${3-}"; dir_of step ;;
	"kunit modules")
		build_kunit
		build_modules kunit 300l
		dir_of kunit
		;;
	objects)	build_objects; dir_of kunit ;;
	*)	die 2 "no such kernel to build: ${*:2}" ;;
	esac
	;;
dir)		dir_of "${2-}" ;;
*)		die 2 "usage: kernel.sh source|build [modules|stock|patched modules|distro|debug [modules]|races|kunit [modules]|um|um-stock|objects|deb|step [PATCH]]|dir NAME" ;;
esac
