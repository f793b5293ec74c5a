# SPDX-License-Identifier: GPL-2.0
#
# field.sh's state becomes rows of the form of the lab's results.json, an object a line, in a list:
# a row for each figure, and one for each kernel with a record of the machine. Files are a table of
# the figures of the field reports (report, case, metric, value; may be empty) and the state. names=1
# keeps the names of machine and disks.
#
# "patched" is the kernel with vm.readahead_runs, or the second, "stock" the other. A figure is the
# median of its rounds (the lower of two). spread is the distance of largest and smallest on one
# kernel, the wider of the two; there is a ratio only where the difference is larger.

function quoted(text)
{
	gsub(/["\\]/, "\\\\&", text)
	gsub(/[[:cntrl:]]/, " ", text)
	return "\"" text "\""
}

function or_null(number)
{
	return number == "" ? "null" : number
}

# Sets median and width of a list of numbers
function measure(list,    v, n, i, k, x)
{
	n = split(list, v, " ")
	for (i = 2; i <= n; i++) {
		x = v[i] + 0
		for (k = i - 1; k >= 1 && v[k] + 0 > x; k--)
			v[k + 1] = v[k]
		v[k + 1] = x
	}
	median = n ? sprintf("%.3f", v[int((n + 1) / 2)]) : ""
	width = n > 1 ? v[n] - v[1] : ""
}

function reported(report, name, metric,    tail, head)
{
	tail = head = name
	sub(/^[^-]*-/, "", tail)
	sub(/-[^-]*$/, "", head)
	if ((report, name, metric) in theirs)
		return theirs[report, name, metric]
	if ((report, tail, metric) in theirs)
		return theirs[report, tail, metric]
	return theirs[report, head, metric]
}

function put(row)
{
	printf "%s\n{%s}", (rows++ ? "," : "["), row
}

function start(report, name, metric, unit)
{
	return "\"base\": " quoted(base) ", \"report\": " quoted(report) ", \"case\": " quoted(name) \
		", \"metric\": " quoted(metric) ", \"unit\": " quoted(unit)
}

function machine(role, kernel,    i, k, text)
{
	for (i = 1; i <= keys[kernel]; i++) {
		k = key[kernel, i]
		if (!names && k ~ /^names/)
			continue
		text = text (text == "" ? "" : ", ") quoted(k) ": " quoted(value[kernel, k])
	}
	for (i = 1; i <= told; i++)
		text = text ", " quoted("data " i) ": " quoted(said[i])
	put(start("machine", role, "record", "") ", \"stock\": null, \"patched\": null, " \
	    "\"ratio\": null, \"spread\": null, \"reported\": null, \"time\": \"machine\", " \
	    "\"command\": \"field\", \"machine\": {" text "}")
}

function figure(id,    f, s, p, noise, ratio)
{
	split(id, f, SUBSEP)
	measure(values[id, stock])
	s = median; noise = width
	measure(values[id, patched])
	p = median
	if (noise == "" || (width != "" && width > noise))
		noise = width
	if (s != "" && s + 0 && p != "" && (p - s > noise || s - p > noise))
		ratio = sprintf("%.4f", p / s)
	put(start(f[1], f[2], f[3], unit[id]) ", \"stock\": " or_null(s) ", \"patched\": " \
	    or_null(p) ", \"ratio\": " or_null(ratio) ", \"spread\": " \
	    (noise == "" ? "null" : sprintf("%.4f", noise)) ", \"reported\": " \
	    or_null(reported(f[1], f[2], f[3])) ", \"time\": \"machine\", \"command\": " \
	    quoted(command[id]) listed("stock", values[id, stock]) \
	    listed("patched", values[id, patched]))
}

# A turn's rounds to those of its kernel
function add(id, on, list)
{
	if (list != "")
		values[id, on] = values[id, on] (values[id, on] == "" ? "" : " ") list
}

function listed(role, list)
{
	gsub(/ /, ", ", list)
	return ", \"" role "_values\": [" list "]"
}

FILENAME == ARGV[1] && ARGV[1] != ARGV[2] { theirs[$1, $2, $3] = $4; next }
{ split($1, part, ".") }
part[1] == "kernel" { kernel[part[2]] = $2 }
part[1] == "told" { said[++told] = $2 }
part[1] == "machine" {
	on = kernel[part[2]]
	if (!((on, $2) in value))
		key[on, ++keys[on]] = $2
	value[on, $2] = $3
}
part[1] == "row" {
	id = $2 SUBSEP $3 SUBSEP $4
	if (!(id in unit))
		order[++figures] = id
	unit[id] = $5
	command[id] = $7
	rounds[part[2], id] = $6
}

END {
	stock = kernel[1]
	patched = kernel[2]
	if (value[stock, "vm.readahead_runs"] != "" && value[patched, "vm.readahead_runs"] == "") {
		stock = kernel[2]
		patched = kernel[1]
	}
	base = stock == "" ? patched : stock
	match(base, /^[0-9]+(\.[0-9]+)*/)
	base = substr(base, 1, RLENGTH)
	for (i = 1; i <= figures; i++) {
		for (turn = 1; turn <= 4; turn++)
			add(order[i], kernel[turn], rounds[turn, order[i]])
		figure(order[i])
	}
	if (stock != "")
		machine("stock", stock)
	if (patched != "")
		machine("patched", patched)
	print rows ? "\n]" : "[]"
}
