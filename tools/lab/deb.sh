# shellcheck shell=bash disable=SC2154 # what is not set here kernel.sh sets
# SPDX-License-Identifier: GPL-2.0
#
# Packages of the stock and the patched kernel, for machines: kernel.sh build deb (make deb). Sourced
# by kernel.sh, with its functions.
#
# The kernel's own bindeb-pkg makes them, from one configuration: CONFIG=FILE; else /boot/config-* of
# the running kernel, or the newest one of the base; CONFIG=localmod takes of that only the modules
# that are loaded now, or that the selftests need. They are named -dio and -dio-stock, and end up in
# $O/deb. linux-libc-dev, which the kernel packages besides, would replace the distribution's: it is
# left out.

boot=${BOOT:-/boot}	# a test has one of its own
tests_config=$top/tools/testing/selftests/dio/config

# base_config: the file that the configuration starts from
base_config()
{
	local found

	case ${CONFIG-} in
	""|localmod)
		found=$boot/config-$(uname -r)
		[[ -e $found && $found == */config-$base.* ]] ||
			found=$(printf '%s\n' "$boot/config-$base."* | grep -v -e '-dio$' -e '-dio-stock$' |
				sort -V | tail -n 1)
		[ -e "$found" ] ||
			die 2 "there is no $boot/config-$base.*: install linux-image-amd64, or name CONFIG="
		;;
	*)	found=$(realpath -- "$CONFIG") ;;
	esac
	[ -f "$found" ] || die 2 "CONFIG=$CONFIG is no file"
	echo "$found"
}

# configure_localmod CONFIG, in the tree. Ciphers and digests are asked for by name, when they are
# needed: that none is loaded now says nothing.
configure_localmod()
{
	yes '' | LMC_KEEP=crypto make localmodconfig
	sed -n 's/=[ym]$/=m/p' "$tests_config" | grep -Fx -f - "$1" >tests.config || :
	./scripts/kconfig/merge_config.sh -m .config tests.config
}

# configure_deb NAME TREE: the patched one has a copy of stock's, and a raw driver besides.
configure_deb()
{
	local config

	config=$(base_config)
	cd "$2" || return
	if [ "$1" = deb-stock ]; then
		cp "$config" .config
		[ "${CONFIG-}" != localmod ] || configure_localmod "$config"
	fi
	./scripts/kconfig/merge_config.sh -m .config "$top/tools/lab/deb.config"
	./scripts/config --set-str LOCALVERSION "-dio${1#deb}"
	make olddefconfig
}

# package NAME TREE: what it makes of the tree beside it, into TREE-packages
package()
{
	rm -rf "$2-packages" "$2/debian" "$2"/../linux-*.deb
	make -C "$2" -j "$jobs" bindeb-pkg
	mkdir "$2-packages"
	mv "$2"/../linux-{image,headers}-*.deb "$2-packages"
	rm -f "$2"/../linux-*.{deb,changes,buildinfo}
}

build_deb()
{
	local name config packages=()

	config=$(base_config)
	say "configuration: $config$([ "${CONFIG-}" != localmod ] || echo ", modules that are loaded")"
	begin deb
	for name in deb-stock deb; do
		make_tree $name .lab-built build package
		packages+=("$(dir_of $name)"-packages/*)
	done
	mkdir -p "$out/deb"
	cp "${packages[@]}" "$out/deb"
	printf '%s\n' "${packages[@]/#*\//$out/deb/}"
}
