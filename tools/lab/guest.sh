#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boots one of the lab's kernels in QEMU, um, um-stock and um-patched on the host itself (user-mode
# Linux), with the host's root file system, and runs a command.
#
#	guest.sh [-k KERNEL] [-c] [-p] [-N] [-d|-a ARRAY] [-n NAME] [-t SECONDS] -s | COMMAND...
#
#	-k  which kernel of kernel.sh (patched). Those of user-mode Linux take only -a many or qla, -c,
#	    -n, -t and -s.
#	-c  count: one CPU whose clock advances a nanosecond for each instruction (-icount); durations
#	    read in the guest are then instructions, whatever else the host does. What watches for
#	    hangs is off: it would be counted. User-mode Linux runs in such a guest of stock.
#	-p  the kernel keeps account of how long tasks are stalled (PSI)
#	-N  two NUMA nodes, each with half of the memory and one of the CPUs; not with -c
#	-d  attach the images in $DISKS (default: $O/disks/disk0 to disk7, see `make disks`): half to an
#	    lsi53c895a (parallel SCSI), half to virtio-scsi, with serials dio0, dio1 and so on. Writes
#	    to them are forgotten at the end.
#	-a  get the guest ready for `array.sh up ARRAY`: fc and many give it more memory, and um as
#	    much as user-mode Linux wants in there; qla needs that
#	-n  what its log is called besides (ARRAY); guests that run at once need names
#	-t  end the guest after SECONDS (600)
#	-s  a shell instead of a command
#
# QEMU_WORDS has more options for QEMU, QEMU_PLUGIN a plugin for -c.
#
# While a command runs, a terminal shows the time and its last line. The host's files are visible
# and read-only (an overlay takes writes), $O is shared for writing. A command's output goes to
# stdout, the kernel's log to $O/log/guest-KERNEL.log (or -NAME.log). Afterwards that is scanned: a
# complaint of the kernel (complaints.sh) is a failure. A task that sleeps in the kernel for two
# minutes is one, a CPU or a workqueue that is stuck for one. KVM is used where a probe of at most
# ten seconds shows that it runs a guest.
#
# Exit: that of the command, 1 for a bad log, 124 for a guest that did not finish.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=common.sh
. "$top/tools/lab/common.sh"
kernel=patched count=0 psi="" nodes=1 disks=0 limit=600 shell=0
array="" name="" um=0

while getopts k:cpNda:n:t:s opt; do
	case $opt in
	k)	kernel=$OPTARG ;;
	c)	count=1 ;;
	p)	psi=" psi=1" ;;
	N)	nodes=2 ;;
	d)	disks=1 ;;
	a)	array=$OPTARG ;;
	n)	name=$OPTARG ;;
	t)	limit=$OPTARG ;;
	s)	shell=1 ;;
	*)	die 2 "usage: $(sed -n 's/^#	\(guest.sh .*\)/\1/p' "$0")" ;;
	esac
done
shift $((OPTIND - 1))
[ "$shell" -eq 1 ] || [ $# -gt 0 ] || die 2 "no command"
case $kernel in
um*)
	um=1
	case $nodes$disks$psi$array in
	10|10many|10qla)	;;
	*)	die 2 "user-mode Linux takes only -a many or qla, -c, -n, -s and -t" ;;
	esac
	;;
esac
[ "$nodes$count" != 21 ] || die 2 "-c has one CPU, -N wants two"

case $top in
/run/*|/dev/shm/*|/var/tmp/*|/var/log/*)
	die 2 "the guest hides $top behind a tmpfs of its own: use a checkout elsewhere" ;;
esac

mkdir -p "$out/log"
out=$(cd "$out" && pwd)
name=${name:-$array}
[ "$um$count$shell" != 111 ] || die 2 "user-mode Linux takes either of -c and -s"
[ "$um$count" != 11 ] || exec env O="$out" "$0" -k stock -c -a um -n "$kernel-$name" -t "$limit" \
	env O="$out" BASE="${BASE-}" KSRC="${KSRC-}" XDG_CACHE_HOME="${XDG_CACHE_HOME:-$HOME/.cache}" \
	"$top/tools/lab/guest.sh" -k "$kernel" ${array:+-a "$array"} -n "$name" -t "$limit" "$@"
log=$out/log/guest-$kernel${name:+-$name}.log
tree=$("$top/tools/lab/kernel.sh" dir "$kernel")
image=$tree/arch/x86/boot/bzImage
[ "$um" -eq 0 ] || image=$tree/linux
# The image of a build that failed is that of the tree that was copied.
if [ ! -e "$image" ] || [ ! -e "$tree/.lab-built" ]; then
	die 2 "the $kernel kernel is not built: make kernel"
fi
PATH=$("$top/tools/lab/kernel.sh" dir venv)/bin:$PATH:/sbin:/usr/sbin

# Disks of scsi_debug and null_blk come when a test asks for them.
memory=2048M scsi_debug_mb=64
case $array in
"")		;;
fc)		memory=3072M ;;
many)		memory=3072M scsi_debug_mb=16 ;;
qla)		scsi_debug_mb=80
		[ "$um" -eq 1 ] || die 2 "only user-mode Linux has the adapter of qla" ;;
um)		memory=4096M ;;
*)		die 2 "no such array: $array" ;;
esac
append="nokaslr null_blk.nr_devices=0 scsi_debug.add_host=0 scsi_debug.dev_size_mb=$scsi_debug_mb"
append="$append scsi_debug.delay=0 scsi_debug.atomic_wr=1 kunit.enable=0"	# kunit.sh runs those tests
# A busy host leaves an emulated guest no time to see its timer tick, as a kernel wants to at boot.
append="$append no_timer_check"
# While the kernel asks what CPU it runs on, it forgets for a moment that it has five levels of page
# tables; an interrupt in just that moment makes KASAN complain.
append="$append no5lvl$psi"
# Stuck: a CPU and a workqueue for a minute (softlockups are told at twice the threshold). A task
# may wait for two minutes, the kernel's own limit.
# KCSAN stops a CPU in the middle of what it does, also where nothing else may run.
if [ "$kernel" = races ]; then
	append="$append nowatchdog rcupdate.rcu_cpu_stall_suppress=1"
	append="$append workqueue.watchdog_thresh=0 sysctl.kernel.hung_task_timeout_secs=0"
elif [ "$count" -eq 1 ]; then
	append="$append nowatchdog workqueue.watchdog_thresh=0 sysctl.kernel.hung_task_timeout_secs=0"
else
	append="$append watchdog_thresh=30 workqueue.watchdog_thresh=60"
	append="$append rcupdate.rcu_cpu_stall_timeout=60"
fi
# The host's files do not change under the guest, but for $out, which is mounted by itself: keep
# what was read of them. A program starts in a third of the time.
[ "$um" -eq 1 ] || append="$append rootflags=trans=virtio,version=9p2000.L,access=any,msize=512000,cache=loose"
# vng takes what modules lie in the tree, of another kernel, too: those that are of this are below.
# Without --force-9p it waits six seconds for a virtiofsd, and these kernels have no virtiofs.
args=(--run "$image" --skip-modules --disable-microvm --force-9p --memory "$memory"
	--rwdir="$out" --cwd "$out")
qemu="" late=0

# A /dev/kvm that takes a guest and then hangs in it is common.
kvm_works()
{
	known=$out/log/kvm-$(cat /proc/sys/kernel/random/boot_id)
	[ -w /dev/kvm ] || return 1
	[ -e "$known" ] || timeout -k 1 10 vng --run "$image" --disable-microvm --force-9p --verbose \
		--memory 512M --exec "echo lab-kvm-works" </dev/null >"$known" 2>&1 || :
	grep -q '^lab-kvm-works' "$known"
}

if [ "$um" -eq 1 ]; then
	# Much waits for RCU's grace periods, which a tick of 10 ms makes long.
	args=("mem=$memory" "ncpus=$(($(nproc) > 1 ? 2 : 1))" seccomp=on rootfstype=hostfs
		root=/dev/root hostfs=/ con=null "con0=fd:0,fd:1" rcupdate.rcu_expedited=1)
elif [ "$count" -eq 1 ]; then
	args+=(--disable-kvm --cpus 1)
	qemu="-icount shift=0,sleep=off ${QEMU_PLUGIN:+-plugin $QEMU_PLUGIN}"
else
	args+=(--cpus 2)
	kvm_works || late=1
	# QEMU 7.2 changes where devices lie under a CPU that it emulates beside: that one finds another
	# device at the place, and may lose its timer or an interrupt. The kernel moves devices at boot,
	# when it asks how large their windows are: the second CPU comes when that is over.
	# It clears and copies pages by rep stosb and movsb, a byte at a time, if the CPU has fast ones.
	if [ "$late" -eq 1 ]; then
		args+=(--disable-kvm)
		qemu="-cpu max,-erms,-fsrm"
		[ "$shell" -eq 1 ] || append="$append maxcpus=1"
	fi
fi
# shellcheck disable=SC2206 # a list of words
[ "$um" -eq 1 ] && args+=($append) || args+=(--append "$append")

if [ "$nodes" -eq 2 ]; then
	half=$((${memory%M} / 2))M
	# CPUs of one socket share a cache; the kernel warns if they are on two nodes.
	qemu="$qemu -smp sockets=2,cores=1,threads=1"
	args+=(--numa "$half,cpus=0" --numa "$half,cpus=1")
fi

if [ "$disks" -eq 1 ]; then
	images=("$out"/disks/disk{0..7})
	# shellcheck disable=SC2206 # a list of names
	[ -z "${DISKS-}" ] || images=($DISKS)
	half=$(((${#images[@]} + 1) / 2))
	[ "$half" -le 7 ] || die 2 "DISKS names ${#images[@]} images; the parallel HBA takes 7, half of 14"
	qemu="$qemu -device lsi53c895a,id=lsi -device virtio-scsi-pci,id=vio"
	for n in "${!images[@]}"; do
		[ -f "${images[n]}" ] || die 2 "${images[n]} is missing (make disks) or not a file"
		bus=lsi.0
		[ "$n" -lt "$half" ] || bus=vio.0
		qemu="$qemu -drive if=none,id=d$n,file=$(realpath "${images[n]}"),format=raw,snapshot=on"
		qemu="$qemu -device scsi-hd,bus=$bus,scsi-id=$((n < half ? n : n - half)),drive=d$n,serial=dio$n"
	done
fi

# um_init COMMAND: a script that is the first to run there. The root is the host's, below an overlay,
# also for the kernel's own threads; of the host's own are $out, for writing, and $top, wherever they
# lie.
um_init()
{
	cat <<-EOF
		#!/bin/sh
		export PATH=$PATH
		mount -t tmpfs none /mnt
		mkdir /mnt/upper /mnt/work /mnt/root
		mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work none /mnt/root
		cd /mnt/root
		mount -t proc none proc
		mount -t sysfs none sys
		mount -t devtmpfs none dev
		mount -t debugfs none sys/kernel/debug
		mount -t tracefs none sys/kernel/tracing
		mkdir -p dev/shm
		ln -s /proc/self/fd dev/fd
		for dir in dev/shm run tmp var/tmp; do mount -t tmpfs none \$dir; done
		for dir in '$top' '$out'; do mkdir -p ".\$dir"; mount -t hostfs -o "\$dir" none ".\$dir"; done
		mount -o remount,ro '.$top'
		ip link set lo up
		pivot_root . mnt
		umount -l mnt
		$1
		echo o >/proc/sysrq-trigger
		sleep 60
	EOF
}

qemu=$qemu${QEMU_WORDS:+ $QEMU_WORDS}
[ -z "$qemu" ] || args+=("--qemu-opts=$qemu")
if [ "$shell" -eq 1 ]; then
	if [ "$um" -eq 1 ]; then
		um_init "cd '$out'; /bin/bash -i" >"$out/log/um.init"
		chmod +x "$out/log/um.init"
		exec "$image" "${args[@]}" init="$out/log/um.init"
	fi
	exec vng "${args[@]}"
fi

# The command's output and status come back as files: the console carries the kernel's log too.
run=$(mktemp -d "$out/log/run.XXXXXX")
trap 'rm -rf "$run"' EXIT
if [ "$um" -eq 1 ]; then
	um_init "/bin/bash $run/script" >"$run/init"
	chmod +x "$run/init"
	command=("$image" "${args[@]}" init="$run/init")
else
	command=(vng "${args[@]}" --verbose --exec "bash $run/script")
fi
{
	[ "$late" -eq 0 ] || printf 'echo 1 >/sys/devices/system/cpu/cpu1/online\n'
	printf 'cd %q\n' "$out"
	# mkfs.nilfs2 and mkfs.ocfs2 look for it; a minimal host has none. / is an overlay.
	printf '[ -e /etc/mtab ] || ln -s ../proc/self/mounts /etc/mtab\n'
	[ ! -e "$tree/.lab-modules" ] || {
		printf 'mkdir -p /lib/modules\nln -s %q/* /lib/modules\n' "$tree/modules/lib/modules"
		[ ! -e "$tree/drivers/char/raw.ko" ] || printf 'insmod %q\n' "$tree/drivers/char/raw.ko"
	}
	printf '%q ' "$@"
	printf '>%q 2>&1\necho $? >%q\ndmesg >%q\n' "$run/out" "$run/rc" "$run/dmesg"
} >"$run/script"

# Not in the foreground: timeout has a process group of its own, which no Ctrl-C reaches.
rc=0 start=$SECONDS
timeout -k 10 "$limit" "${command[@]}" </dev/null >"$log" 2>&1 &
pid=$!
# User-mode Linux was seen to wait for ever for a process that had ended, when all was done.
powered_off()
{
	until [ -s "$run/dmesg" ]; do sleep 1 >/dev/null 2>&1; done
	sleep 60 >/dev/null 2>&1
	say "$kernel${name:+-$name} did not power off: ended"
	pkill -KILL -P "$pid"	# to SIGTERM it answers with a storm of warnings
}
[ "$um" -eq 0 ] || powered_off &
watcher=$!
trap 'kill "$watcher" "$pid" || :; wait "$pid" || :; exit 130' INT TERM HUP
while [ -t 2 ] && kill -0 "$pid" 2>/dev/null; do
	printf '\rlab: guest %-8s %-5s %4d s of at most %d s: %-27.27s' "$kernel" "$name" \
		$((SECONDS - start)) "$limit" "$(tail -n 1 "$run/out" 2>/dev/null)" >&2
	sleep 1
done
wait "$pid" || rc=$?
trap - INT TERM HUP
kill "$watcher" 2>/dev/null || :
[ ! -t 2 ] || printf '\r%79s\r' '' >&2

[ ! -e "$run/out" ] || cat "$run/out"
[ ! -s "$run/dmesg" ] || cat "$run/dmesg" >>"$log"
if [ ! -s "$run/rc" ]; then
	tail -n 20 "$log" >&2
	die 124 "the $kernel guest ended early, or not within $limit s (exit $rc): $log"
fi
! "$top/tools/lab/complaints.sh" "$log" >&2 || die 1 "the kernel complained: $log"
exit "$(cat "$run/rc")"
