# shellcheck shell=bash disable=SC2154 # what is not set here kernel.sh sets
# SPDX-License-Identifier: GPL-2.0
#
# Packages of the stock and the patched kernel, for machines: kernel.sh build deb (make deb). Sourced
# by kernel.sh, with its functions.
#
# The kernel's own bindeb-pkg makes them, or binrpm-pkg where rpm keeps the machine's packages, from
# one configuration: CONFIG=FILE; else /boot/config-* of the running kernel, or the newest one of the
# base; CONFIG=localmod takes of that only the modules that are loaded now, or that the selftests
# need. They are named -dio and -dio-stock, lie beside the distribution's kernel, and end up in $O/deb.
#
# What the kernel packages besides, linux-libc-dev, would replace the distribution's, and is left out.

boot=${BOOT:-/boot}	# a test has one of its own
dpkg_status=${DPKG_STATUS:-/var/lib/dpkg/status}
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

# localmod NAME: what a checksum of NAME's configuration has besides files
localmod()
{
	case $1-${CONFIG-} in
	deb-localmod|deb-stock-localmod)	echo localmod && cat "$tests_config" ;;
	esac
}

# configure_localmod DIR SOURCE CONFIG. Ciphers and digests are asked for by name, when they are needed:
# that none is loaded now says nothing.
configure_localmod()
{
	yes '' | LMC_KEEP=crypto make -C "$2" O="$1" localmodconfig
	sed -n 's/=[ym]$/=m/p' "$tests_config" | grep -Fx -f - "$3" >"$1/tests.config" || :
	(cd "$1" && "$2/scripts/kconfig/merge_config.sh" -m .config tests.config)
}

# configure_deb DIR SOURCE CONFIG: what both kernels have, made in DIR
configure_deb()
{
	rm -rf "$1" "$1.part"
	mkdir -p "$1.part"
	cp "$3" "$1.part/.config"
	if [ "${CONFIG-}" = localmod ]; then
		configure_localmod "$1.part" "$2" "$3"
	fi
	(cd "$1.part" && "$2/scripts/kconfig/merge_config.sh" -m .config "$top/tools/lab/deb.config")
	make -C "$2" O="$1.part" olddefconfig
	mv -T "$1.part" "$1"
}

# configure_deb_tree NAME TREE: not until now is there a raw driver in the patched one.
configure_deb_tree()
{
	cd "$2" || return
	cp "$(dirname "$2")/config/.config" .config
	./scripts/kconfig/merge_config.sh -m .config "$top/tools/lab/deb.config"
	./scripts/config --set-str LOCALVERSION "-dio${1#deb}"
	make olddefconfig
}

# announce DIR OPTIONS: what both take, and is there enough of it in DIR? An option is about 3 objects,
# an object 0.2 MB and a second of a processor.
announce()
{
	local need=$((4500 + $2 * 12 / 10)) free

	free=$(df --output=avail -m "$1" | tail -n 1)
	say "two kernels of $2 options: about $(($2 * 6 / $(nproc) / 60 + 1)) minutes, $need MB in $1," \
		"which has $((free)) free"
	[ "$free" -ge "$need" ] || die 4 "not enough space: XDG_CACHE_HOME= names another place"
}

# keep_old_first FOLDER NAME: what update-grub reads goes and comes with the package (deb-grub.cfg).
keep_old_first()
{
	local name=etc/default/grub.d/$2.cfg

	install -D -m 644 "$top/tools/lab/deb-grub.cfg" "$1/$name"
	(cd "$1" && md5sum "$name" >>DEBIAN/md5sums)
}

# package_deb TREE OUT
package_deb()
{
	local deb name release new=$1/debian/repacked

	rm -f "$1"/../*.deb
	make -C "$1" -j "$jobs" KDEB_COMPRESS=none bindeb-pkg
	release=$(cat "$1/include/config/kernel.release")
	for deb in "$1"/../linux-{image,headers}-"$release"_*.deb; do
		name=${deb##*/}
		dpkg-deb -R "$deb" "$new"
		[[ $name != linux-image-* ]] || keep_old_first "$new" "linux-$release"
		dpkg-deb --root-owner-group -b "$new" "$2/$name"
		rm -r "$new"
	done
	rm -rf "$1/debian"
	rm -f "$1"/../linux-*.{deb,changes,buildinfo}
}

# package_rpm TREE OUT
package_rpm()
{
	rm -rf "$1/rpmbuild"
	make -C "$1" -j "$jobs" RPMOPTS="--define '_topdir $1/rpmbuild'" binrpm-pkg
	find "$1/rpmbuild/RPMS" -name 'kernel-*.rpm' ! -name 'kernel-headers-*' -exec mv -t "$2" {} +
	rm -rf "$1/rpmbuild"
}

# package NAME TREE: compile it, and put packages into TREE-packages
package()
{
	rm -rf "$2-packages"
	mkdir "$2-packages"
	if [ -e "$dpkg_status" ]; then
		package_deb "$2" "$2-packages"
	else
		package_rpm "$2" "$2-packages"
	fi
}

build_deb()
{
	local name dir config options lines packages=()

	config=$(base_config)
	begin deb
	dir=$(dirname "$(dir_of deb)")
	say "configuration: $config$([ "${CONFIG-}" != localmod ] || echo ", modules that are loaded")"
	[ -d "$dir/config" ] ||
		step configure-deb-both 20 configure_deb "$dir/config" "$(dir_of source)" "$config"
	options=$(grep -c '=[ym]$' "$dir/config/.config")
	[ -d "$(dir_of deb-stock)" ] || announce "$dir" "$options"
	lines=$((3 * options + 8 * $(grep -c '=m$' "$dir/config/.config" || :)))l
	for name in deb-stock deb; do
		make_tree $name .lab-built "$lines" build package
		packages+=("$(dir_of $name)"-packages/*)
	done
	mkdir -p "$out/deb"
	cp "${packages[@]}" "$out/deb"
	printf '%s\n' "${packages[@]/#*\//$out/deb/}"
}
