#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the stock and the patched kernel from one configuration, and two more from the patched
# tree: debug (debug.config on top: KASAN, lockdep, the raw driver as a module) and kunit
# (kunit.config alone: KUnit, what it tests, and a serial line, since KUnit changes a structure that
# all include).
#
#	kernel.sh source	unpack the base, print its directory
#	kernel.sh build		build stock and patched, print their directories
#	kernel.sh build modules	and their modules: file systems that only make test and bench use
#	kernel.sh build debug	build debug, its raw driver and lkdtm, print its directory
#	kernel.sh build debug modules	and all of its modules
#	kernel.sh build kunit	build kunit alone, print its directory
#	kernel.sh dir NAME	print the directory of NAME: source, stock, patched, debug, kunit, venv
#
# Everything lives in a cache, in one directory for each base, compiler and configuration. Trees
# are built in place: kbuild's in-tree object files hardly mention where the tree lies, so the
# patched tree starts as a copy of the built stock tree and only what the overlay changes is
# compiled. Each step works in NAME.part, or ends in a stamp that holds a checksum of its inputs:
# after an interruption the next run starts that step anew or lets make go on.
#
# KSRC=DIR takes the kernel tree DIR as the base, JOBS=N sets the number of jobs. Exit: 0 done,
# 1 a step failed (its log is named), 2 something is missing.

set -eu
unset MAKEFLAGS MFLAGS MAKEOVERRIDES	# our O= is not the kernel's

top=$(cd "$(dirname "$0")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/linux-dio
jobs=${JOBS:-$(($(nproc) + 1))}	# one waits for the disk, or links
vng_version=1.42
# shellcheck source=common.sh
. "$top/tools/lab/common.sh"

base_name()
{
	if [ -n "${KSRC-}" ]; then
		[ -f "$KSRC/Makefile" ] || die 2 "KSRC=$KSRC is not a kernel tree"
		printf 'ksrc-%s' "$(cd "$KSRC" && { pwd -P
			find . -name .git -prune -o -type f -printf '%P %s %T@\n' | sort; } |
			sha256sum | cut -c 1-12)"
	else
		[ -e "$tarball" ] || die 2 "$tarball is missing: run packages.sh"
		printf 'debian-%s' "$(stat -c '%s-%Y' "$tarball")"
	fi
}

# configs NAME: the fragments of a kernel's configuration, later lines win
configs()
{
	if [ "$1" = kunit ]; then
		printf '%s\n' "$top/tools/lab/kunit.config"
		return
	fi
	printf '%s\n' "$top/tools/lab/kernel.config"
	[ ! -e "$top/tools/testing/selftests/dio/config" ] ||
		printf '%s\n' "$top/tools/testing/selftests/dio/config"
	[ "$1" != debug ] || printf '%s\n' "$top/tools/lab/debug.config"
}

dir_of()
{
	local base key checkout

	base=$(base_name)
	# shellcheck disable=SC2046
	key=$( (gcc --version; cat $(configs "$1")) | sha256sum | cut -c 1-12)
	checkout=$(printf '%s' "$top" | sha256sum | cut -c 1-12)
	case $1 in
	source)		echo "$cache/$base/source" ;;
	stock)		echo "$cache/$base/$key/stock" ;;
	patched|debug|kunit)	echo "$cache/$base/$key/$1-$checkout" ;;
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
		tar -C "$1.part" --strip-components=1 -xf "$tarball"
	fi
	mv -T "$1.part" "$1"
}

source_tree()
{
	local src

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

# Configure the tree $1 as $2; every line asked for must be there (but for stock's raw driver).
configure()
{
	local config line

	cd "$1"
	make -s tinyconfig
	for config in $(configs "$2"); do
		./scripts/kconfig/merge_config.sh -m .config "$config"
	done
	make -s olddefconfig
	# shellcheck disable=SC2046
	awk -F '[ =]' '/^CONFIG_/ { last[$1] = $0 } /^# CONFIG_.* is not set$/ { delete last[$2] }
		END { for (i in last) print last[i] }' $(configs "$2") |
	while read -r line; do
		case $2:$line in
		stock:CONFIG_RAW_DRIVER=*|stock:CONFIG_MAX_RAW_DEVS=*)
			continue
			;;
		esac
		grep -qxF "$line" .config ||
			{ echo "the $2 kernel's configuration lacks $line"; return 1; }
	done
}

# compile NAME TREE
compile()
{
	rm -f "$2/.lab-modules"
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

# configure_and_build NAME TREE LINES
configure_and_build()
{
	step "configure-$1" 10 configure "$2" "$1"
	step "build-$1" "$3" compile "$1" "$2"
}

copy_tree()
{
	rm -rf "$2.part"
	cp -a --reflink=auto "$1" "$2.part"
	rm -rf "$2.part/.lab-built" "$2.part/.lab-modules" "$2.part/modules"
	# Only objtool's rules say where the tree lies. If it is built anew, so is all that it checks.
	find "$2.part/tools/objtool" -name '.*.cmd' -exec sed -i "s|$1/|$2/|g" {} +
	mv "$2.part" "$2"
}

# A checksum of all that makes the patched tree differ, the configuration aside.
overlay_sum()
{
	local path form

	"$top/tools/lab/overlay.py" --list --overlay "$top" | while read -r _ path; do
		for form in "$path" "$path.cocci" "$path.add"; do
			[ ! -f "$top/$form" ] || (cd "$top" && sha256sum "$form")
		done
	done | sha256sum
}

# patch_and_build NAME FROM LINES: bring the tree of NAME, at first a copy of FROM, up to date.
patch_and_build()
{
	local tree sum

	tree=$(dir_of "$1")
	[ -d "$tree" ] || step "copy-$1" 20 copy_tree "$2" "$tree"
	sum=$(overlay_sum)
	[ "$(cat "$tree/.lab-built" 2>/dev/null)" != "$sum" ] || return 0
	rm -f "$tree/.lab-built"
	step "overlay-$1" 5 "$top/tools/lab/overlay.py" "$(dir_of source)" "$tree" --overlay "$top"
	configure_and_build "$1" "$tree" "$3"
	echo "$sum" >"$tree/.lab-built"
}

# lock DIR: one build at a time in it
lock()
{
	mkdir -p "$1"
	exec 9>"$1/lock"
	flock -n 9 || { say "another build runs in this cache: waiting"; flock 9; }
}

build()
{
	local stock

	source_tree
	get_vng
	stock=$(dir_of stock)
	lock "$(dirname "$stock")"
	if [ ! -e "$stock/.lab-built" ]; then
		[ -d "$stock" ] || step copy-stock 20 copy_tree "$(dir_of source)" "$stock"
		configure_and_build stock "$stock" 2100l
		touch "$stock/.lab-built"
	fi
	patch_and_build patched "$stock" 1250l
}

build_debug()
{
	source_tree
	get_vng
	lock "$(dirname "$(dir_of debug)")"
	patch_and_build debug "$(dir_of source)" 1700l
}

build_kunit()
{
	source_tree
	lock "$(dirname "$(dir_of kunit)")"
	patch_and_build kunit "$(dir_of source)" 1000l
}

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
	debug)	build_debug; dir_of debug ;;
	"debug modules")
		build_debug
		build_modules debug 400l
		dir_of debug
		;;
	kunit)	build_kunit; dir_of kunit ;;
	*)	die 2 "no such kernel to build: ${*:2}" ;;
	esac
	;;
dir)		dir_of "${2-}" ;;
*)		die 2 "usage: kernel.sh source|build [modules|debug [modules]|kunit]|dir NAME" ;;
esac
