# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # field.sh sets what is not set here
#
# Part of field.sh, which it is read by: field.fio on many hosts at once. Each runs field serve
# (field_serve.sh); fio --client sends the jobs, and field_hosts.awk reads what they say.
#
# A case is a section of field.fio, called hosts-SECTION, which is the sum, and host1-SECTION and so on
# in the rows. The kernel is that of the hosts: they must have the same.

# hosts_address ADDRESS[,PORT]: as fio wants it
hosts_address()
{
	case $1 in
	*:*)	echo "ip6:$1" ;;
	*)	echo "ip:$1" ;;
	esac
}

# The sections, a line each: hosts-NAME, report. Of those that write files, which all hosts have room for
hosts_cases()
{
	awk -v room="$(awk 'NR == 1 || $5 < least { least = $5 } END { print least }' "$DIO_TMP/about")" '
		function tell()
		{
			if (report != "" && size * 1.25 <= room)
				print "hosts-" name, report
			report = size = ""
		}
		/^\[/ { tell(); name = substr($0, 2, length($0) - 2) }
		/^description=/ { report = substr($0, 13); sub(/:.*/, "", report) }
		/^size=/ { size = substr($0, 6) + 0 }
		END { tell() }' "$DIO_DIR/field.fio"
}

# hosts_job SECTION REPORT DISKS: it, with what is global, as a host with so many disks is to run it.
# What the first report reads is all disks, a thread each.
hosts_job()
{
	awk -v section="[$1]" -v seconds="$(get seconds)" -v disks="$([ "$2" != field-1 ] || echo "$3")" '
		/^\[/ { on = $0 == "[global]" || $0 == section }
		!on || /^#/ { next }
		/^runtime=/ { $0 = "runtime=" seconds }
		/^filename=\$\{DIO_FILES\}/ { $0 = "filename=files/new" }
		/^filename=\$\{DIO_DISK\}/ {
			$0 = disks ? "filename_format=disk.$jobnum\nnumjobs=" disks : "filename=disk.0"
		}
		{ print }' "$DIO_DIR/field.fio"
}

# hosts_fio WANT WORD: fio on all hosts at once; what field_hosts.awk makes of its words is then in
# hosts. # in WORD is a host's number. Fails with the reason in why.
hosts_fio()
{
	_words="" _no=0
	for _host in $remote; do
		_no=$((_no + 1))
		_word=$2
		[ "${2%#}" = "$2" ] || _word=${2%#}$_no
		_words="$_words --client=$(hosts_address "$_host") $_word"
	done
	# Not in the foreground: see run_round.
	# shellcheck disable=SC2086 # a list
	"$fio" --output-format=json --output="$DIO_TMP/fio.json" $_words >"$DIO_TMP/fio.said" 2>&1 &
	program_pid=$!
	wait "$program_pid"
	_rc=$? program_pid=""
	if [ $_rc -eq 0 ] && why=$(awk -v hosts="$remote" -v want="$1" \
		-f "$DIO_DIR/field_hosts.awk" "$DIO_TMP/fio.json" 2>&1); then
		echo "$why" >"$DIO_TMP/hosts"
	else
		[ $_rc -eq 0 ] || why="fio failed"
		why="$why: $(cat "$DIO_TMP/fio.json" "$DIO_TMP/fio.said" | sed -n 's/.*fio: //p' | tail -n 1)"
		return 1
	fi
}

# hosts_ask flush|end: see field_serve.sh. What each says of itself is in hosts, a line each.
hosts_ask()
{
	hosts_fio who "--remote-config=$1.fio"
}

hosts_end()
{
	hosts_ask end || say "a host that serves on, until its time is over: $why"
}

# hosts_find: sets kernel; about is what hosts say of themselves. Who answers is told to end when we do.
hosts_find()
{
	fio=$DIO_DIR/fio
	[ -x "$fio" ] || fio=$(command -v fio) || die "program fio is missing (make kit FIO=)"
	hosts_ask flush || return
	dio_on_exit hosts_end
	cp "$DIO_TMP/hosts" "$DIO_TMP/about"
	kernel=$(cut -d ' ' -f 2 "$DIO_TMP/about" | sort -u | paste -s -d ' ' -)
	why="the hosts have different kernels: $kernel"
	[ "${kernel#* }" = "$kernel" ]
}

hosts_identities()
{
	awk '{ printf "host.%d\t%s disks, checksum %s, %s MiB for files\n", NR, $3, $4, $5 }' "$DIO_TMP/about"
}

hosts_machine()
{
	printf 'kernel\t%s\n' "$kernel"
	awk '{ n = $3; $1 = $2 = $3 = $4 = $5 = ""; sub(/^ */, "")
		printf "host %d\t%d disks; %s\n", NR, n, $0 }' "$DIO_TMP/about"
	printf 'names hosts\t%s\n' "$remote"
}

hosts_rounds()
{
	awk '{ print NR, $3 }' "$DIO_TMP/about" | while read -r _no _disks; do
		hosts_job "${name#hosts-}" "$report" "$_disks" >"$DIO_TMP/job$_no"
	done
	: >"$DIO_TMP/all"
	for _round in $(seq "$(get rounds)"); do
		hosts_ask flush || die "$name: $why"
		hosts_fio figures "$DIO_TMP/job#" || die "$name: $why"
		cat "$DIO_TMP/hosts" >>"$DIO_TMP/all"
		say "$1 $name: $(awk '{ print $4, $3; exit }' "$DIO_TMP/hosts")"
	done
}

# hosts_case NAME WHERE-WE-ARE
hosts_case()
{
	name=$1
	report=$(hosts_cases | sed -n "s/^$name //p")
	hosts_rounds "$2"
	: >"$DIO_TMP/rows"
	for _who in $(cut -d ' ' -f 1 "$DIO_TMP/hosts" | uniq); do
		sed -n "s/^$_who //p" "$DIO_TMP/all" >"$DIO_TMP/rounds"
		rows_of "$_who-${name#hosts-}" "fio field.fio --section=${name#hosts-}"
	done
	end_case
}
