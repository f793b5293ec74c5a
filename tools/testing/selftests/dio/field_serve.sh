# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034,SC2154 # field.sh sets and uses these
#
# Part of field.sh, which it is read by: this machine's disks, served to one that runs field hosts.
#
# fio --server takes any job of whoever reaches its port, and a job may run programs. So it runs as a
# user that nobody is, without a capability, in a directory that nobody else gets into, and has there
# nodes of its own of the disks, which it may read. With --write files on a new ext2 on DIO_SCRATCH are
# its own. What it cannot do itself we do: two jobs that lie there make a file, wait until we have
# removed it, and say what machine this is.
#
#	flush	the page cache forgets the disks
#	end	no more is asked of this machine

serve_user=65533	# of no file and no process
serve_pid=""		# of fio

serve_parse()
{
	listen="" minutes=120 named="" write=0 target="" room=0
	while [ $# -gt 0 ]; do
		case $1 in
		--listen=*)	listen=${1#*=} ;;
		--minutes=*)	wish_number minutes "${1#*=}" 1; minutes=${1#*=} ;;
		--disks)
			while [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; do
				named="$named${named:+ }$2"
				shift
			done
			;;
		--write)	write=1 ;;
		--content=*)	DIO_CONTENT=${1#*=} ;;
		*)		wrong "serve: unknown word $1" ;;
		esac
		shift
	done
	[ -n "$named" ] || wrong "serve: --disks names no disk"
	[ "$write" -eq 0 ] || [ -n "${DIO_SCRATCH-}" ] || wrong "--write: DIO_SCRATCH names no disk"
	case ${listen%,*} in
	""|0.0.0.0|::|"*")	wrong "serve: --listen=ADDRESS[,PORT], one of this machine's" ;;
	esac
}

# What field hosts is told of this machine: at most 255 bytes
serve_says()
{
	printf 'dio %s %s %s %s %s' "$kernel" "$(echo "$nodes" | wc -w)" \
		"$(identities | cksum | cut -d ' ' -f 1)" "$room" "$(cpu_info | sed -n "s/^cpu$tab//p")" |
		tr -cd 'A-Za-z0-9 ._()@+-' | cut -c 1-255
}

# A new file system, whose files are fio's
serve_files()
{
	_said=$(mke2fs -q -F -t ext2 -b 4096 "$target" 2>&1) || die "mke2fs: $_said"
	mkdir "$place/files"
	mount -i -t ext2 -o noatime,nosuid,nodev "$target" "$place/files" ||
		die "ext2 cannot be mounted"
	dio_on_exit umount "$place/files"
	chown "$serve_user:$serve_user" "$place/files"
	room=$(df -Pk "$place/files" | awk 'END { print int($4 / 1024) }')
}

# The directory's sticky bit keeps our files ours.
serve_place()
{
	place=$DIO_TMP/serve
	mkdir "$place"
	mount -t tmpfs -o "size=64m,mode=1770,gid=$serve_user" none "$place" ||
		die "no place for nodes of the disks"
	dio_on_exit umount "$place"
	_n=0
	for _node in $nodes; do
		_dev=$(cat "/sys/class/block/${_node##*/}/dev")
		mknod -m 440 "$place/disk.$_n" b "${_dev%:*}" "${_dev#*:}" ||
			die "$_node: no node of our own"
		chown "0:$serve_user" "$place/disk.$_n"
		_n=$((_n + 1))
	done
	[ "$write" -eq 0 ] || serve_files
	for _ask in flush end; do
		cat >"$place/$_ask.fio" <<-END
			[$_ask]
			description=$(serve_says)
			ioengine=null
			rw=read
			size=4k
			exec_prerun=: >$_ask; while [ -e $_ask ]\; do sleep 0.1\; done
		END
	done
	# The kit may lie where only root gets.
	[ ! -x "$DIO_DIR/fio" ] || cp "$DIO_DIR/fio" "$place"
}

# serve_answers: somebody does at _listen
serve_answers()
{
	(cd "$place" && "$_fio" --client="$_listen" --remote-config=none) >/dev/null 2>&1
}

serve_answers_or_ended()
{
	serve_answers || ! kill -0 "$serve_pid" 2>/dev/null
}

serve_start()
{
	_fio=./fio
	[ -x "$place/fio" ] || _fio=$(command -v fio) || die "program fio is missing (make kit FIO=)"
	setpriv --version >/dev/null 2>&1 || die "program setpriv (of util-linux) is missing"
	_listen=$(hosts_address "$listen")
	# fio would share the port with another one, and either get the jobs.
	! serve_answers || die "something serves at $listen already"
	(cd "$place" && exec setsid setpriv --reuid=$serve_user --regid=$serve_user --clear-groups \
		--no-new-privs --bounding-set=-all --inh-caps=-all "$_fio" --server="$_listen") \
		>"$DIO_TMP/fio" 2>&1 &
	serve_pid=$!
	dio_on_exit serve_stop
	dio_wait 60 serve_answers_or_ended
}

# All that it has started, too
serve_stop()
{
	kill -TERM "-$serve_pid" 2>/dev/null
	wait "$serve_pid" 2>/dev/null
}

serve_flush()
{
	for _node in $nodes; do
		_said=$(blockdev --flushbufs "$_node" 2>&1) || die "$_said"
	done
}

# fio has a process for each that asked, until that has heard how it went.
serve_has_told()
{
	! grep -qs "^PPid:$tab$serve_pid\$" /proc/[0-9]*/status
}

# Ends when it is asked to, or when the time is over.
serve_asked()
{
	_end=$(($(date +%s) + minutes * 60))
	until [ -e "$place/end" ]; do
		kill -0 "$serve_pid" 2>/dev/null || die "fio has ended: $(tail -n 1 "$DIO_TMP/fio")"
		[ "$(date +%s)" -lt "$_end" ] || die "nobody has ended this within $minutes min"
		[ ! -e "$place/flush" ] || { serve_flush; rm "$place/flush"; }
		sleep 0.1
	done
	rm "$place/end"
	dio_wait 30 serve_has_told
}

# Sets nodes, and target if files are to be written.
serve_disks()
{
	# shellcheck disable=SC2086 # a list
	find_disks $named || wrong "$why"
	# shellcheck disable=SC2086 # a list
	why=$("$DIO_DIR/dio_guard.sh" --unused $nodes 2>&1) || wrong "$why"
}

serve()
{
	serve_parse "$@"
	[ "$(id -u)" -eq 0 ] || die "must be run as root"
	serve_disks
	dio_start || die "no temporary directory can be made"
	serve_place
	serve_start
	[ "$write" -eq 0 ] || say "WRITES to $DIO_SCRATCH"
	say "serves $_n of its disks at $listen, to be read, for $minutes min at most. There is no" \
		"password: who reaches that address may also run programs here, as user $serve_user"
	say "next, on one machine: field hosts with this address and all others"
	serve_asked
	say "ended: nothing is served any more"
}
