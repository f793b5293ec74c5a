# SPDX-License-Identifier: GPL-2.0
#
# What fio --client says in JSON of the hosts (ADDRESS or ADDRESS,PORT, in that order):
#
#	want=who	what each says of itself, a line each
#	want=figures	lines of who, metric, unit and value; who is hosts, all of them, or host1 and
#			so on. Speeds of a host's jobs and of hosts add up, of latency the mean counts.
#
# Fails with a line on stderr if a host says nothing, or a job of it failed.

function fail(what)
{
	print what >"/dev/stderr"
	failed = 1
	exit 1
}

# The value in a line of "name" : value
function value()
{
	sub(/^[^:]*: */, "")
	sub(/,$/, "")
	gsub(/^"|"$/, "")
	return $0
}

# A client's object has ended.
function keep(    n)
{
	n = number[address "," port]
	if (!n)
		return
	if (error)
		fail("host " n ": " job " failed, error " error)
	says[n] = desc
	seen[n]++
	for (who = n; ; who = 0) {
		bytes[who] += bw
		ios[who] += rate
		waits[who] += latency * count
		all[who] += count
		if (!who)
			break
	}
}

function figure(n,    who)
{
	who = n ? "host" n : "hosts"
	if (job ~ /^oltp/)
		printf "%s per_s I/O/s %.3f\n", who, ios[n]
	else
		printf "%s mb_per_s MiB/s %.3f\n", who, bytes[n] / 1048576
	printf "%s latency_us us %.3f\n", who, all[n] ? waits[n] / all[n] / 1000 : 0
}

BEGIN {
	hosts_n = split(hosts, host, " ")
	for (i = 1; i <= hosts_n; i++)
		number[host[i] ~ /,/ ? host[i] : host[i] ",8765"] = i
}

/^  "client_stats"/ { on = 1 }
/^  \]/ { on = 0 }
!on { next }
/^    \{/ { error = bw = rate = latency = count = 0; desc = address = port = part = "" }
/^      "jobname"/ { name = value(); if (name != "All clients") job = name }
/^      "error"/ { error = value() + 0 }
/^      "desc"/ { desc = value() }
/^      "hostname"/ { address = value() }
/^      "port"/ { port = value() }
/^      "[a-z_ ]*" : \{/ { part = $1; inner = "" }
/^        "bw_bytes"/ && part ~ /read|write/ { bw += value() }
/^        "iops"/ && part ~ /read|write/ { rate += value() }
/^        "total_ios"/ && part ~ /read|write/ { done = value() + 0 }
/^        "[a-z_]*" : \{/ { inner = $1 }
/^          "mean"/ && inner == "\"lat_ns\"" && part ~ /read|write/ && done {
	latency = (latency * count + value() * done) / (count + done)
	count += done
}
/^    \}/ && name != "All clients" { keep() }

END {
	if (failed)
		exit 1
	for (i = 1; i <= hosts_n; i++)
		if (!seen[i])
			fail("host " i " says nothing")
	if (want == "figures")
		figure(0)
	for (i = 1; i <= hosts_n; i++) {
		if (want == "figures")
			figure(i)
		else
			print says[i]
	}
}
